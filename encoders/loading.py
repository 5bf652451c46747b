"""Loads any encoder, by name, folder or hub id."""

import logging
from functools import cache

from encoders.base import Encoder
from encoders.ctpe import is_ctpe
from encoders.declarations import declared
from encoders.hub import in_cache
from encoders.model import folder_named
from encoders.models import registered
from encoders.runtimes.base import RuntimeName
from encoders.static import encoder as static
from encoders.transformer import TextEncoder

log = logging.getLogger(__name__)


def load_encoder(name: str, runtime: RuntimeName = "auto", unit: bool = True) -> Encoder:
    """The encoder of a registered name, a folder (of a transformer or of a CTPE) or a hub id.

    Without `unit`, vectors keep the lengths that the model gives them.

    Raises:
        ModelError: unknown, damaged, or unsafe to load.
    """
    if name == static.NAME:
        return static.load_static(unit)
    if is_ctpe(folder_named(name)):
        from encoders.ctpe.files import load_ctpe  # torch

        return load_ctpe(folder_named(name), name, unit)
    return TextEncoder.load(name, runtime, unit)


def encodes_queries_alike(name: str) -> bool:
    """Whether an encoder's vectors of queries are those of documents; no weights are loaded."""
    folder = folder_named(name)
    if is_ctpe(folder):
        return False
    model = registered(name)
    if model is None and (known := folder if folder.is_dir() else in_cache(name)):
        model = declared(name, known)
    return model is None or model.prompt == model.query_prompt


def assumed_of(encoder: Encoder) -> str | None:
    """How an encoder is used although its files do not say so; None where nothing had to be assumed."""
    return encoder.preset.assumed if isinstance(encoder, TextEncoder) else None


def warn_of_assumptions(encoder: Encoder) -> None:
    """Log that, and what else one should know of the model, once."""
    if isinstance(encoder, TextEncoder):
        model = encoder.preset
        warn_once(model.assumed and f"{model.name} does not say how it is used; assumed: {model.assumed}")
        warn_once(model.note)


@cache
def warn_once(message: str | None) -> None:
    """Log a warning, if there is any, the first time only."""
    if message:
        log.warning("%s", message)
