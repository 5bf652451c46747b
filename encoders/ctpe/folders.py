"""Which folders hold a CTPE; without importing torch."""

import json
from pathlib import Path

MODEL_TYPE = "ctpe"
CONFIG = "config.json"


def is_ctpe(folder: Path) -> bool:
    """Whether a folder says that it holds a CTPE."""
    try:
        config = json.loads((folder / CONFIG).read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(config, dict) and config.get("model_type") == MODEL_TYPE
