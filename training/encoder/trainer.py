"""The training loop, the same for every recipe."""

from __future__ import annotations

import hashlib
import logging
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from common.errors import TrainingError
from common.progress import counter
from encoders.text import Text
from training.checkpoints import (
    FILE,
    damage_named,
    load_checkpoint,
    load_optimizer,
    optimizer_tensors,
    save_checkpoint,
    seed_step,
)
from training.encoder.batches import BatchSource
from training.encoder.losses import distance
from training.encoder.model import TokenTable, TrainableEncoder, load_trainable
from training.encoder.schedule import rate
from training.encoder.settings import TrainingSettings

log = logging.getLogger(__name__)

_LOG_EVERY = 50
_VALIDATED_TOGETHER = 64
_MODEL = "model."  # before the names of its tensors in a checkpoint


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What a finished run tells."""

    steps: int
    validated: int  # triplets
    before: float  # share of them whose positive is nearer than the negative, by L2; of the base …
    after: float  # … and of the trained encoder

    def __str__(self) -> str:
        told = f"{self.steps:,} steps"
        if self.validated:
            told += (
                f"; triplet accuracy on {self.validated:,} kept back: {self.before:.3f} before, {self.after:.3f} after"
            )
        return told


def train_encoder(
    base: str, texts: Sequence[Text], batches: BatchSource, validation: NDArray[np.int64], out: Path,
    settings: TrainingSettings, resume: bool = False,
) -> TrainingReport:  # fmt: skip
    """Fine-tune `base` (preset, folder or hub id) and save it in the folder `out`.

    `batches` and `validation`, triplets of shape (v, 3), name places in `texts`. With `resume`, a checkpoint in `out`
    is taken up, and a run ends with the same bits as if it had not been interrupted.

    Raises:
        TrainingError: `out` is in use, the tokenizer does not fit, the checkpoint is of another run, or the loss is not
            a number.
        ModelError: `base` cannot be loaded.
    """
    check_folder(out, resume)
    torch.manual_seed(settings.seed)
    encoder = load_trainable(base, settings)
    table = encoder.tokens(texts, next(folder for folder in (out, *out.absolute().parents) if folder.is_dir()))
    steps = settings.steps or batches.steps(settings.epochs)
    run = _Run(encoder, table, batches, settings, steps)
    fingerprint = _fingerprint(base, table, batches, settings, steps)
    out.mkdir(parents=True, exist_ok=True)
    found = load_checkpoint(out, fingerprint) if resume else None
    if found is None:
        first, before = 0, triplet_accuracy(encoder, table, validation, settings.precision)
    else:
        tensors, notes = found
        with damage_named(out / FILE):
            first, before = int(notes["step"]), float(notes["before"])
            run.restore(tensors)
    with counter("training", steps) as bar:
        bar.update(first)
        for step in range(first, steps):
            seed_step(settings.seed, step)
            loss = run.step(step)
            bar.update(1)
            bar.set_postfix(loss=f"{loss:.4f}")
            if (step + 1) % settings.checkpoint_every == 0 and step + 1 < steps:
                save_checkpoint(out, run.tensors(), {"step": step + 1, "before": before}, fingerprint)
    after = triplet_accuracy(encoder, table, validation, settings.precision)
    encoder.module.eval().cpu()
    encoder.save(out)
    (out / FILE).unlink(missing_ok=True)
    return TrainingReport(steps, len(validation), before, after)


def check_folder(out: Path, resume: bool) -> None:
    """Refuse a folder that holds something else, before any work.

    Raises:
        TrainingError: it is a file, holds a model, or a checkpoint that is not to be resumed.
    """
    if out.is_file():
        raise TrainingError(f"{out} is a file: give a folder for the encoder")
    if not out.is_dir():
        return
    if (out / "config.json").exists():
        raise TrainingError(f"{out} holds a model already: give another folder, or delete it")
    if (out / FILE).exists() and not resume:
        raise TrainingError(f"{out} holds the checkpoint of an unfinished run: --resume it, or delete {out / FILE}")


class _Run:
    """Model, optimizer and data of a run."""

    def __init__(
        self, encoder: TrainableEncoder, table: TokenTable, batches: BatchSource, settings: TrainingSettings, steps: int
    ) -> None:
        self._encoder, self._table, self._batches = encoder, table, batches
        self._settings, self._steps = settings, steps
        self._parameters = [one for one in encoder.module.parameters() if one.requires_grad]
        decayed = [one for one in self._parameters if one.ndim > 1]
        rest = [one for one in self._parameters if one.ndim <= 1]
        groups: list[dict[str, Any]] = [
            {"params": decayed, "weight_decay": settings.weight_decay},
            {"params": rest, "weight_decay": 0.0},
        ]
        # Without weight decay this is Adam.
        self._optimizer = torch.optim.AdamW(
            [group for group in groups if group["params"]], lr=settings.learning_rate, betas=settings.betas
        )

    def step(self, number: int) -> float:
        """One step; the loss of its batch."""
        module = self._encoder.module.train()
        for group in self._optimizer.param_groups:
            group["lr"] = self._settings.learning_rate * rate(number, self._steps, self._settings)
        total = 0.0
        for chunk in self._batches.step(number):
            loss = chunk.loss(self._encoder.vectors(self._table, chunk.documents, self._settings.precision))
            total += loss.item()
            if not math.isfinite(total):
                raise TrainingError(
                    f"the loss is not a number at step {number + 1} of {self._steps}: lower the learning rate"
                    + (", or train in fp32" if self._settings.precision == "bf16" else "")
                )
            loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._parameters, self._settings.clip)
        self._optimizer.step()
        module.zero_grad(set_to_none=True)
        if number % _LOG_EVERY == 0:
            log.info("step %d of %d: loss %.4f", number + 1, self._steps, total)
        return total

    def tensors(self) -> dict[str, Tensor]:
        """All that training changes."""
        model = {f"{_MODEL}{name}": tensor for name, tensor in self._encoder.module.state_dict().items()}
        return {**model, **optimizer_tensors(self._optimizer)}

    def restore(self, tensors: Mapping[str, Tensor]) -> None:
        """Go back to where these tensors were saved."""
        model = {name.removeprefix(_MODEL): one for name, one in tensors.items() if name.startswith(_MODEL)}
        self._encoder.module.load_state_dict(model)
        load_optimizer(self._optimizer, tensors)


@torch.no_grad()
def triplet_accuracy(
    encoder: TrainableEncoder, table: TokenTable, rows: NDArray[np.int64], precision: str
) -> float:  # fmt: skip
    """Share of the triplets whose positive is nearer to the query than the negative, equal ones half; NaN for none."""
    encoder.module.eval()
    nearer = 0.0
    for start in range(0, len(rows), _VALIDATED_TOGETHER):
        some = rows[start : start + _VALIDATED_TOGETHER]
        documents, places = np.unique(some, return_inverse=True)
        vectors = encoder.vectors(table, documents, precision)
        query, positive, negative = (vectors[torch.from_numpy(place)] for place in places.reshape(some.shape).T.copy())
        difference = distance(query, negative) - distance(query, positive)
        nearer += float((difference > 0).sum()) + float((difference == 0).sum()) / 2
    return nearer / len(rows) if len(rows) else math.nan


def _fingerprint(
    base: str, table: TokenTable, batches: BatchSource, settings: TrainingSettings, steps: int
) -> str:  # fmt: skip
    # How often checkpoints are made changes nothing of the result.
    parts = (base, repr(replace(settings, checkpoint_every=0)), str(steps), batches.digest(), table.digest)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
