"""What a late-join reranker says of itself in config.json; to read it takes no torch."""

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from common.errors import ModelError
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

    lower_layers: int = 3  # layers that read the texts apart and stay as the base has them
    head: int = 64  # units of the head's hidden layer
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
        config = LateJoinConfig(
            shape=_record(LateJoinShape, content["shape"]),
            split=_record(TokenSplit, content["split"]),
            scale=float(content["scale"]),
            shift=float(content["shift"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path} is incomplete or damaged ({error}): copy the model again") from None
    if not (0 <= config.shape.lower_layers < LAYERS and 1 <= config.shape.head <= HIDDEN):
        raise ModelError(f"{path}: {config.shape} is not a shape that this network can take")
    return config


def _record(kind: Any, content: Any) -> Any:
    return kind(**{field.name: content[field.name] for field in fields(kind)})


def _read_json(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError(f"cannot read {path}: {error}") from None
    if not isinstance(content, dict):
        raise ModelError(f"{path} is not a model configuration")
    return content
