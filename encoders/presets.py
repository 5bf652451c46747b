"""The encoders that have a name, and how any other model by hub id or folder is read.

Adding one is one more `register(...)`; the command line, the documentation and the index manifest read the table.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from common.errors import ModelError

Pooling = Literal["cls", "mean"]
Joint = Literal["sep", "period"]

# Where sentence-transformers keeps what a model folder says of itself.
POOLING_FILE = "1_Pooling/config.json"
LENGTH_FILE = "sentence_bert_config.json"


@dataclass(frozen=True, slots=True)
class EncoderPreset:
    """How to make a document vector with one model."""

    name: str
    source: str  # hub id, local folder, or "package:minilm", "package:mpnet" for weights out of pip packages
    pooling: Pooling  # "cls": the first token's last state (SPECTER); "mean": the mean over all tokens
    joint: Joint  # title and abstract as "title [SEP] abstract" or "title. abstract"
    max_tokens: int  # longer inputs are cut at the end
    description: str


_presets: dict[str, EncoderPreset] = {}


def register(preset: EncoderPreset) -> None:
    """Give an encoder a name for `--encoder`."""
    _presets[preset.name] = preset


def presets() -> Iterator[EncoderPreset]:
    """All named encoders, in the order of their registration."""
    yield from _presets.values()


def find_preset(name: str) -> EncoderPreset:
    """The preset of that name; otherwise `name` is taken for a local folder or a hub id.

    Such a model is pooled, and its inputs are cut, the way its own sentence-transformers configuration says; without
    one it is treated like SPECTER: `[CLS]` of "title [SEP] abstract", 512 tokens.

    Raises:
        ModelError: that configuration is damaged.
    """
    if name in _presets:
        return _presets[name]
    return EncoderPreset(
        name=name,
        source=name,
        pooling=_declared_pooling(Path(name)),
        joint="sep" if _declared_pooling(Path(name)) == "cls" else "period",
        max_tokens=_declared_length(Path(name)),
        description="a model of one's own",
    )


def _declared_length(folder: Path) -> int:
    config = folder / LENGTH_FILE
    if not config.is_file():
        return 512
    try:
        return int(json.loads(config.read_bytes()).get("max_seq_length") or 512)
    except (OSError, ValueError, TypeError, AttributeError) as error:
        raise ModelError(f"{config} is damaged ({error}): it says how many tokens the model reads") from None


def _declared_pooling(folder: Path) -> Pooling:
    config = folder / POOLING_FILE
    if not config.is_file():
        return "cls"
    try:
        declared = json.loads(config.read_bytes())
        return "mean" if declared.get("pooling_mode_mean_tokens") else "cls"
    except (OSError, ValueError, AttributeError) as error:
        raise ModelError(f"{config} is damaged ({error}): it says how the model's vectors are pooled") from None


register(
    EncoderPreset("minilm", "package:minilm", "mean", "period", 256, "all-MiniLM-L6-v2, comes with the installation")
)
register(
    EncoderPreset(
        "mpnet",
        "package:mpnet",
        "mean",
        "period",
        256,
        "all-mpnet-base-v2: better lists, slower indexing; from the hub or by pip, see docs/encoders.md",
    )
)
register(EncoderPreset("specter", "allenai/specter", "cls", "sep", 512, "SPECTER (Cohan et al. 2020)"))
register(EncoderPreset("scincl", "malteos/scincl", "cls", "sep", 512, "SciNCL (Ostendorff et al. 2022)"))
register(EncoderPreset("specter2-base", "allenai/specter2_base", "cls", "sep", 512, "SPECTER2 without adapters"))
