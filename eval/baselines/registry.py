"""The way to the baselines by name."""

import pkgutil
from collections.abc import Sequence
from importlib import import_module

from common.errors import SourceError
from eval.baselines import families
from eval.baselines.base import Baseline, registered

# `encoder:NAME` is any encoder by hub id or folder.
ENCODER = "encoder:"


def baselines() -> list[Baseline]:
    """All that have a name, by name."""
    for module in pkgutil.iter_modules(families.__path__, families.__name__ + "."):
        import_module(module.name)
    return sorted(registered.values(), key=lambda baseline: baseline.name)


def find_baselines(names: Sequence[str] = (), glove: bool = False) -> list[Baseline]:
    """Those named, in that order, each once; without a name, all that learn from texts alone and need no download.

    `glove`: a file of word vectors is at hand, so that what needs one counts among the latter.

    Raises:
        SourceError: an unknown name.
    """
    known = {baseline.name: baseline for baseline in baselines()}
    if not names:
        met = {"nothing", "glove"} if glove else {"nothing"}
        return [one for one in known.values() if one.needs in met]
    return [_find(name, known) for name in dict.fromkeys(names)]


def _find(name: str, known: dict[str, Baseline]) -> Baseline:
    if name in known:
        return known[name]
    if name.startswith(ENCODER) and (source := name.removeprefix(ENCODER)):
        from eval.baselines.families.text_encoders import encoder_baseline

        return encoder_baseline(name, source, "an encoder by hub id or folder")
    raise SourceError(f"no baseline {name!r}: there are {', '.join(known)}, and {ENCODER}NAME for any encoder")
