"""The settings of every training run: optimiser, schedule, and when it is looked at.

The settings of a recipe are these with the recipe's own beside them. Learning rates over the steps are shares of the
highest.
"""

from dataclasses import dataclass
from typing import Literal

Schedule = Literal["slanted-triangular", "linear", "warm-up", "constant"]
ListLoss = Literal["cross-entropy", "softmax", "distillation"]
Precision = Literal["auto", "bf16", "fp32"]  # auto: bf16 where the processor has it


@dataclass(frozen=True, slots=True)
class TrainingSettings:
    """How a run learns; every recipe has defaults of its own."""

    steps: int | None = None  # else as many as `epochs` take
    epochs: float = 1.0
    batch_size: int = 32  # examples of a step: triplets, queries, pairs or documents
    learning_rate: float = 2e-5
    schedule: Schedule = "linear"
    warm_up: float = 0.1  # share of the steps below 1, otherwise steps
    weight_decay: float = 0.01
    betas: tuple[float, float] = (0.9, 0.999)
    clip: float | None = 1.0  # norm of the gradients
    precision: Precision = "auto"
    seed: int = 0
    checkpoint_every: int = 0  # steps; 0 for never
    keep_best: bool = True  # by what validates; else the last network
    evaluate_every: int = 0  # steps; 0 for only after the last one
    evaluate_start: bool = False  # whether the network is also evaluated as it starts, and may be the best
    patience: int = 5  # evaluations after the warm-up without a better one before a run that keeps the best ends


# The highest rate is so many times the lowest (Howard & Ruder, ACL 2018, section 3.2).
RATIO = 32
_LEAST = 0.02


def rate(step: int, steps: int, settings: TrainingSettings) -> float:
    """The share at `step`, from 0, of `steps`."""
    if settings.schedule == "constant":
        return 1.0
    if settings.schedule == "slanted-triangular":
        return slanted_triangular(step, steps, settings.warm_up)
    warm_up = warm_up_steps(steps, settings)
    rise = min(1.0, (step + 1) / max(warm_up, 1))
    if settings.schedule == "linear":  # up, then down to 0
        return min(rise, (steps - step) / max(steps - warm_up, 1))
    return rise * max(_LEAST, 1 - step / steps)  # down from the first step on


def warm_up_steps(steps: int, settings: TrainingSettings) -> float:
    """Of `steps`, those in which the rate rises."""
    if settings.schedule == "constant":
        return 0
    return settings.warm_up * steps if settings.warm_up < 1 else settings.warm_up


def slanted_triangular(step: int, steps: int, cut_share: float) -> float:
    """A short linear rise over `cut_share` of the steps, then a long linear fall (Howard & Ruder 2018, equation 3)."""
    cut = max(1, int(steps * cut_share))
    progress = step / cut if step < cut else 1 - (step - cut) / max(steps - cut, 1)
    return (1 + progress * (RATIO - 1)) / RATIO
