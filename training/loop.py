"""The one way through a training run: optimiser, schedule, evaluations, checkpoints, early stopping.

Whatever is random in a step is drawn from the run's seed and the number of the step, so that a resumed run draws the
same as one that was never stopped: with the same machine, threads and libraries the weights are equal to the last bit.
That is why this is not the Trainer of transformers, on which that of sentence-transformers is built: it resumes by
reading past all batches that were seen, its checkpoint is a folder of pickles that is written in place, and it needs
accelerate (sentence-transformers' datasets, too). What it would save is this file.
"""

import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from common.cpu import has_bf16
from common.errors import TrainingError
from common.progress import counter
from training.checkpoints import (
    Position,
    check_folder,
    load_checkpoint,
    load_optimizer,
    optimizer_tensors,
    save_checkpoint,
)
from training.settings import Precision, TrainingSettings, rate, warm_up_steps


def step_generator(seed: int, step: int, *, beside_passes: bool = False) -> np.random.Generator:
    """What a step draws from; `beside_passes` apart from what `pass_order` draws for the pass of that number."""
    return np.random.default_rng((seed, step, 1) if beside_passes else (seed, step))


@lru_cache(maxsize=1)
def pass_order(count: int, seed: int, number: int) -> NDArray[np.int64]:
    """The order of `count` examples in the pass of that number, shape (count,); that of the last pass is remembered."""
    return np.random.default_rng([seed, number]).permutation(count)


class ShuffledGroups:
    """Groups of `size` of `count` examples, every one once a pass; what a pass cannot fill a group with waits."""

    def __init__(self, count: int, size: int, seed: int) -> None:
        self._count, self._size, self._seed = count, size, seed
        self._groups = max(count - size, 0) // size + 1  # of a pass
        self._pass = -1

    def of(self, number: int) -> list[int]:
        """The examples of the group of that number, counted over all passes."""
        passed, place = divmod(number, self._groups)
        if passed < self._pass or self._pass < 0:
            self._generator, self._pass = np.random.default_rng(self._seed), -1
        while self._pass < passed:
            self._order = self._generator.permutation(self._count)
            self._pass += 1
        found: list[int] = self._order[place * self._size :][: self._size].tolist()
        return found


log = logging.getLogger(__name__)

_LOG_EVERY = 100


class Learner(ABC):
    """A network with a recipe."""

    groups: list[dict[str, Any]]  # parameters as torch's optimisers take them, with what is not the settings' for them
    device: torch.device

    @abstractmethod
    def learn(self, step: int) -> float:
        """Add the gradients of one step; returns the loss."""

    @abstractmethod
    def tensors(self) -> dict[str, Tensor]:
        """All tensors that training changes, but the optimiser's; the very ones, not copies."""

    def stepped(self, step: int) -> None:  # noqa: B027 - most have nothing to do
        """Called when the gradients are applied."""

    def quality(self) -> float | None:
        """How good the network is on what it does not learn from, higher being better; None without such examples."""
        return None

    def keep(self) -> None:  # noqa: B027 - who saves the last network after the run has nothing to do
        """Keep the network as it is now: it is the best so far, or the last."""


def run(
    learner: Learner, settings: TrainingSettings, steps: int, folder: Path | None = None, name: str = "",
    resume: bool = False,
) -> Position:  # fmt: skip
    """Train up to `steps` steps; the learner keeps the network of the best evaluation, or else the last.

    A checkpoint of the run with the fingerprint `name` is written to `folder`, and left there: `remove_checkpoint` when
    the model is saved.

    Raises:
        TrainingError: a loss that is not a number; a checkpoint in `folder` that is not resumed, damaged, or of
            another run.
    """
    groups = _groups(learner, settings)
    rates = [group["lr"] for group in groups]
    parameters = [parameter for group in groups for parameter in group["params"]]
    # Without weight decay this is Adam.
    optimizer = torch.optim.AdamW(groups, betas=settings.betas, weight_decay=settings.weight_decay)
    position = _start(learner, optimizer, folder, name, resume)
    if settings.evaluate_start and not position.step:
        position = _evaluated(learner, position, settings)
    # At a rate that still rises a network has learnt little: one that is no better yet is not at its end.
    warm_up = warm_up_steps(steps, settings)
    with counter("training", steps) as bar, _reproducible(learner.device):
        bar.update(position.step)
        while position.step < steps and not (settings.keep_best and position.worse(warm_up) >= settings.patience):
            step = position.step
            # Torch draws what belongs to this step, whichever steps came before.
            torch.manual_seed(int(step_generator(settings.seed, step).integers(2**63)))
            loss = learner.learn(step)
            if not np.isfinite(loss):
                raise TrainingError(
                    f"the loss is not a number at step {step + 1} of {steps}: lower the learning rate"
                    + (", or train in fp32" if mixed_precision(settings.precision, learner.device) else "")
                )
            for group, highest in zip(optimizer.param_groups, rates, strict=True):
                group["lr"] = highest * rate(step, steps, settings)
            if settings.clip is not None:
                nn.utils.clip_grad_norm_(parameters, settings.clip)
            optimizer.step()
            optimizer.zero_grad()
            learner.stepped(step)
            if step % _LOG_EVERY == 0:
                log.info("step %d of %d: loss %.4f", step + 1, steps, loss)
            bar.update(1)
            bar.set_postfix(loss=f"{loss:.4f}")
            position = replace(position, step=step + 1)
            ends = position.step == steps
            if ends or _is_due(settings.evaluate_every, position.step):
                position = _evaluated(learner, position, settings)
            if folder and not ends and _is_due(settings.checkpoint_every, position.step):
                save_checkpoint(folder, {**_learned(learner), **optimizer_tensors(optimizer)}, position, name)
    if not (settings.keep_best and position.evaluations):
        learner.keep()
    return position


def _groups(learner: Learner, settings: TrainingSettings) -> list[dict[str, Any]]:
    """The groups of a learner, each parted: matrices, and what weight decay would only pull to 0."""
    found = []
    for group in learner.groups:
        matrices = [one for one in group["params"] if one.ndim > 1]
        others = [one for one in group["params"] if one.ndim <= 1]  # biases, gates and what norms multiply by
        for parameters, own in ((matrices, {}), (others, {"weight_decay": 0.0})):
            if parameters:
                found.append({"lr": settings.learning_rate, **group, "params": parameters, **own})
    return found


def _is_due(every: int, step: int) -> bool:
    return every > 0 and step % every == 0


def backward(loss: Tensor) -> float:
    """Add the gradients of a loss; its value."""
    loss.backward()  # type: ignore[no-untyped-call]
    return float(loss.item())


def training_device() -> torch.device:
    """CUDA where there is one."""
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def mixed_precision(precision: Precision, device: torch.device) -> bool:
    """Whether to compute in bf16 where that does no harm; "auto" is where the processor has it."""
    if precision == "auto":
        return torch.cuda.is_bf16_supported() if device.type == "cuda" else has_bf16()
    return precision == "bf16"


def _start(
    learner: Learner, optimizer: torch.optim.Optimizer, folder: Path | None, name: str, resume: bool
) -> Position:  # fmt: skip
    if folder is None:
        return Position()
    check_folder(folder, resume)
    found = load_checkpoint(folder, name) if resume else None
    if found is None:
        if resume:
            log.warning("%s has no checkpoint to go on from: training begins with its first step", folder)
        return Position()
    tensors, position = found
    with torch.no_grad():
        for key, tensor in _learned(learner).items():
            tensor.copy_(tensors[key])
    load_optimizer(optimizer, tensors)
    log.info("going on after step %d", position.step)
    return position


def _learned(learner: Learner) -> dict[str, Tensor]:
    return {f"learner.{name}": tensor for name, tensor in learner.tensors().items()}


def _evaluated(learner: Learner, position: Position, settings: TrainingSettings) -> Position:
    quality = learner.quality()
    if quality is None:
        return position
    log.info("step %d: %.4f on what it does not learn from", position.step, quality)
    position = replace(position, evaluations=(*position.evaluations, (position.step, quality)))
    if settings.keep_best and not position.worse():
        learner.keep()
    return position


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
