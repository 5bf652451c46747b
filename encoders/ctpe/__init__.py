"""CTPE: a document as two vectors, of its front and of its back, that are trained to know each other.

Coupled text pair embedding, 2022. No citations are needed, neither to train nor to encode.
"""

import json
from pathlib import Path

MODEL_TYPE = "ctpe"
CONFIG = "config.json"


def is_ctpe(folder: Path) -> bool:
    """Whether a folder says that it holds a CTPE; without importing torch."""
    try:
        config = json.loads((folder / CONFIG).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and config.get("model_type") == MODEL_TYPE
