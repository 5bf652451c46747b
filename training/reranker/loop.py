"""The way through a training run that all recipes share: schedule, checkpoints, early stopping, the best model kept.

Whatever is random in a step is drawn from the run's seed and the number of the step, so that a resumed run draws the
same as one that was never stopped: with the same machine, threads and libraries the weights are equal to the last bit.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from common.cpu import has_bf16
from common.errors import TrainingError
from common.progress import counter
from training.checkpoints import load_optimizer, optimizer_tensors, seed_step
from training.reranker.checkpoints import FILE, Position, load_checkpoint, save_checkpoint
from training.reranker.lists import TrainingList
from training.reranker.validation import as_retrieved, f1_at_20

log = logging.getLogger(__name__)

_LOG_EVERY = 100

Precision = Literal["auto", "bf16", "fp32"]


@dataclass(frozen=True, slots=True)
class Stops:
    """When a run looks up from its work."""

    checkpoint_every: int = 0  # steps; 0 for never
    evaluate_every: int = 500  # steps; only with validation lists
    patience: int = 5  # evaluations without a better F1@20 before the run ends


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    steps: int  # done, those before it was resumed included
    f1: float | None  # F1@20 of the model that is kept, on the validation lists; None without them
    kept_step: int  # after which the model that is kept was as it is
    retrieved_f1: float | None  # F1@20 of the lists as they were retrieved

    def __str__(self) -> str:
        if self.f1 is None:
            return f"{self.steps:,} steps"
        return (
            f"{self.steps:,} steps; kept that of step {self.kept_step:,}: F1@20 {self.f1:.4f} on the validation "
            f"queries, whose lists had {self.retrieved_f1:.4f}"
        )


class Learner(Protocol):
    """A network with a recipe."""

    groups: list[dict[str, Any]]  # parameters with "lr", as torch's optimizers take them
    device: torch.device

    def learn(self, step: int) -> float:
        """Add the gradients of one step; returns the loss."""

    def stepped(self, step: int) -> None:
        """Called when the gradients are applied."""

    def scores(self, one: TrainingList) -> np.ndarray[Any, Any]:
        """Scores of a list's candidates by the network as it would be kept now."""

    def tensors(self) -> dict[str, Tensor]:
        """All tensors that training changes, but the optimizer's; the very ones, not copies."""

    def save(self) -> None:
        """Keep the network as it is now."""


class Trainer:
    """AdamW with warm-up, linear decay and clipped gradients."""

    def __init__(self, groups: list[dict[str, Any]], steps: int, betas: tuple[float, float] = (0.9, 0.999)) -> None:
        self.optimizer = torch.optim.AdamW(groups, betas=betas, weight_decay=0.01)
        self._rates = [group["lr"] for group in groups]
        self._parameters = [parameter for group in groups for parameter in group["params"]]
        self._steps = steps

    def step(self, number: int, warm_up: float, loss: float) -> None:
        """Apply the gradients; the loss is only looked at."""
        if not np.isfinite(loss):
            raise TrainingError(f"the loss is not a number after {number} steps: lower the learning rate")
        share = min((number + 1) / max(warm_up, 1), 1.0, (self._steps - number) / max(self._steps - warm_up, 1))
        for group, rate in zip(self.optimizer.param_groups, self._rates, strict=True):
            group["lr"] = rate * share
        nn.utils.clip_grad_norm_(self._parameters, 1.0)
        self.optimizer.step()
        self.optimizer.zero_grad()
        if number % _LOG_EVERY == 0:
            log.info("step %d of %d: loss %.4f", number, self._steps, loss)

    def tensors(self) -> dict[str, Tensor]:
        """The optimizer's state by names."""
        return optimizer_tensors(self.optimizer)

    def load(self, tensors: dict[str, Tensor]) -> None:
        """The inverse of `tensors`; others are passed over."""
        load_optimizer(self.optimizer, tensors)


def run(
    learner: Learner, trainer: Trainer, folder: Path, name: str, steps: int, warm_up: float, seed: int,
    validation: Sequence[TrainingList], stops: Stops, resume: bool,
) -> Outcome:  # fmt: skip
    """Train up to `steps` steps and keep the best network, by F1@20 of the validation lists, or else the last.

    `name` is the run's fingerprint: a checkpoint of another run is refused.

    Raises:
        TrainingError: a loss that is not a number; a checkpoint in `folder` that is not resumed, damaged, or of
            another run.
    """
    position = _start(learner, trainer, folder, name, resume)
    retrieved = f1_at_20(validation, as_retrieved) if validation else None
    with counter("training", steps) as bar, _reproducible(learner.device):
        bar.update(position.step)
        while position.step < steps and not (validation and position.worse >= stops.patience):
            step = position.step
            seed_step(seed, step)
            trainer.step(step, warm_up, learner.learn(step))
            learner.stepped(step)
            position = replace(position, step=step + 1)
            bar.update(1)
            if validation and (position.step % stops.evaluate_every == 0 or position.step == steps):
                position = _evaluated(learner, position, validation)
            if stops.checkpoint_every and position.step % stops.checkpoint_every == 0:
                save_checkpoint(folder, {**_learned(learner), **trainer.tensors()}, position, name)
    if not validation:
        learner.save()
    (folder / FILE).unlink(missing_ok=True)
    kept = position.best_step if validation else position.step
    return Outcome(position.step, position.best if validation else None, kept, retrieved)


def check_folder(folder: Path, resume: bool) -> None:
    """Refuse to write over the checkpoint of an unfinished run.

    Raises:
        TrainingError: there is one, and it is not resumed.
    """
    if not resume and (folder / FILE).exists():
        raise TrainingError(f"{folder} holds a checkpoint: go on with --resume, or remove {FILE} to start again")


def step_generator(seed: int, step: int) -> np.random.Generator:
    """What a step draws from."""
    return np.random.default_rng((seed, step))


def training_device() -> torch.device:
    """CUDA where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def mixed_precision(precision: Precision, device: torch.device) -> bool:
    """Whether to compute in bf16 where that does no harm; "auto" is where the processor has it."""
    if precision == "auto":
        return torch.cuda.is_bf16_supported() if device.type == "cuda" else has_bf16()
    return precision == "bf16"


def shuffled(count: int, size: int, seed: int, start: int = 0) -> Iterator[list[int]]:
    """Groups of `size` row numbers, every row once a pass, for ever; from the group `start` on."""
    generator = np.random.default_rng(seed)
    number = 0
    while True:
        order = generator.permutation(count)
        for place in range(0, max(count - size, 0) + 1, size):
            if number >= start:
                yield order[place : place + size].tolist()
            number += 1


def _start(learner: Learner, trainer: Trainer, folder: Path, name: str, resume: bool) -> Position:
    check_folder(folder, resume)
    found = load_checkpoint(folder, name) if resume else None
    if found is None:
        return Position()
    tensors, position = found
    with torch.no_grad():
        for key, tensor in _learned(learner).items():
            tensor.copy_(tensors[key])
    trainer.load(tensors)
    log.info("going on after step %d", position.step)
    return position


def _learned(learner: Learner) -> dict[str, Tensor]:
    return {f"learner.{name}": tensor for name, tensor in learner.tensors().items()}


def _evaluated(learner: Learner, position: Position, validation: Sequence[TrainingList]) -> Position:
    f1 = f1_at_20(validation, learner.scores)
    log.info("step %d: F1@20 %.4f on the validation queries", position.step, f1)
    if f1 <= position.best:
        return replace(position, worse=position.worse + 1)
    learner.save()
    return replace(position, best=f1, best_step=position.step, worse=0)


@contextmanager
def _reproducible(device: torch.device) -> Iterator[None]:
    """On CUDA the kernels that add up in a fixed order; those of a CPU do so anyway."""
    before = torch.are_deterministic_algorithms_enabled()
    if device.type == "cuda":
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
        torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(before)
