"""Learning rates over the steps, as shares of the highest."""

from __future__ import annotations

from training.settings import TrainingSettings

# The highest rate is so many times the lowest (Howard & Ruder, ACL 2018, section 3.2).
RATIO = 32
_LEAST = 0.02


def rate(step: int, steps: int, settings: TrainingSettings) -> float:
    """The share at `step`, from 0, of `steps`."""
    if settings.schedule == "constant":
        return 1.0
    if settings.schedule == "slanted-triangular":
        return slanted_triangular(step, steps, settings.warm_up)
    warm_up = settings.warm_up * steps if settings.warm_up < 1 else settings.warm_up
    rise = min(1.0, (step + 1) / max(warm_up, 1))
    if settings.schedule == "linear":  # up, then down to 0
        return min(rise, (steps - step) / max(steps - warm_up, 1))
    return rise * max(_LEAST, 1 - step / steps)  # down from the first step on


def slanted_triangular(step: int, steps: int, cut_share: float) -> float:
    """A short linear rise over `cut_share` of the steps, then a long linear fall (Howard & Ruder 2018, equation 3)."""
    cut = max(1, int(steps * cut_share))
    progress = step / cut if step < cut else 1 - (step - cut) / max(steps - cut, 1)
    return (1 + progress * (RATIO - 1)) / RATIO
