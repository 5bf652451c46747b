"""The one door to all encoders."""

from __future__ import annotations

from pathlib import Path

from encoders.base import Encoder
from encoders.runtimes.base import RuntimeName
from encoders.transformer import TextEncoder


def load_encoder(name: str, runtime: RuntimeName = "auto", unit: bool = True) -> Encoder:
    """The encoder of a preset name, a folder (of a transformer or of a CTPE) or a hub id.

    Without `unit`, vectors keep the lengths that the model gives them.

    Raises:
        ModelError: unknown, damaged, or unsafe to load.
    """
    from encoders.ctpe.files import is_ctpe, load_ctpe

    if is_ctpe(Path(name).expanduser()):
        return load_ctpe(Path(name).expanduser(), name, unit)
    return TextEncoder.load(name, runtime, unit)


def asks_as_it_tells(name: str) -> bool:
    """Whether an encoder's vectors of queries are those of documents; nothing is loaded."""
    from encoders.ctpe.files import is_ctpe

    return not is_ctpe(Path(name).expanduser())
