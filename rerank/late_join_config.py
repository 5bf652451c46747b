"""What a late-join reranker says of itself in config.json; to read it takes no torch."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter

from common.errors import ModelError, brief
from encoders.minilm import MODEL_SHA256
from rerank.token_split import TokenSplit

ARCHITECTURE = "late-join"
FORMAT = 1
CONFIG = "config.json"

# Those of the base, all-MiniLM-L6-v2.
HIDDEN, LAYERS = 384, 6

# The parts that count in fp32 everywhere: what is computed once a query, and the last step, where digits count.
EXACT = frozenset({"query", "scores"})


@dataclass(frozen=True, slots=True)
class LateJoinShape:
    """What the size of the weights depends on."""

    lower_layers: Annotated[int, Field(ge=0, lt=LAYERS)] = 3  # read the texts apart and stay as the base has them
    head: Annotated[int, Field(ge=1, le=HIDDEN)] = 64  # units of the head's hidden layer
    gate: float = 0.2  # how far each head's gate is open before training


@dataclass(frozen=True, slots=True)
class LateJoinConfig:
    """All of config.json but its format."""

    shape: LateJoinShape
    split: TokenSplit  # what inference reads unless asked otherwise
    scale: float  # p(cited) = sigmoid(scale · score + shift), fitted on validation lists
    shift: float


def is_late_join(folder: Path) -> bool:
    """Whether a folder holds this kind of reranker rather than a Hugging Face model."""
    config = folder / CONFIG
    return config.is_file() and _read_json(config).get("architecture") == ARCHITECTURE


def read_config(folder: Path) -> LateJoinConfig:
    """The configuration in a folder.

    Raises:
        ModelError: it is missing, damaged, or of another network or base.
    """
    path = folder / CONFIG
    content = _read_json(path)
    if content.get("architecture") != ARCHITECTURE or content.get("format") != FORMAT:
        raise ModelError(
            f"{path} describes '{content.get('architecture')}' format {content.get('format')}; "
            f"this version reads '{ARCHITECTURE}' format {FORMAT}"
        )
    if content.get("base_sha256") != MODEL_SHA256:
        raise ModelError(f"{path}: the weights were trained on another base than all-MiniLM-L6-v2")
    try:
        return TypeAdapter(LateJoinConfig).validate_python(content)
    except ValueError as error:
        raise ModelError(f"{path} is incomplete or damaged ({brief(error)}): copy the model again") from None


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot read {path}: {error}") from None
    if not isinstance(content, dict):
        raise ModelError(f"{path} is not a model configuration")
    return content
