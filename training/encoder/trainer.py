"""The training of encoders, the same for every recipe: `training.loop` with the batches of the recipe."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from encoders.text import Text
from training.checkpoints import check_out, fingerprint, remove_checkpoint, weights_digest, written_into
from training.encoder.batches import BatchSource
from training.encoder.model import TokenTable, TrainableEncoder, load_trainable
from training.encoder.settings import EncoderSettings
from training.loop import Learner, backward, run
from training.losses import distance

_VALIDATED_TOGETHER = 64


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """What a finished run reports."""

    steps: int
    validated: int  # triplets
    before: float  # share of them whose positive is nearer than the negative, by L2; of the base …
    after: float  # … and of the trained encoder

    def __str__(self) -> str:
        summary = f"{self.steps:,} steps"
        if self.validated:
            summary += (
                f"; triplet accuracy on {self.validated:,} kept back: {self.before:.3f} before, {self.after:.3f} after"
            )
        return summary


def train_encoder(
    base: str, texts: Sequence[Text], batches: BatchSource, validation: NDArray[np.int64], out: Path,
    settings: EncoderSettings, resume: bool = False,
) -> TrainingReport:  # fmt: skip
    """Fine-tune `base` (preset, folder or hub id) and save it in the folder `out`.

    `batches` and `validation`, triplets of shape (v, 3), name places in `texts`. With `resume`, a checkpoint in `out`
    is taken up, and a run ends with the same bits as if it had not been interrupted.

    Raises:
        TrainingError: `out` is in use, the tokenizer does not fit, the checkpoint is of another run, or the loss is not
            a number.
        ModelError: `base` cannot be loaded.
    """
    check_out(out, resume)
    torch.manual_seed(settings.seed)
    encoder = load_trainable(base, settings)
    table = encoder.tokens(texts, next(folder for folder in (out, *out.absolute().parents) if folder.is_dir()))
    steps = settings.steps or batches.steps(settings.epochs)
    learner = _EncoderLearner(encoder, table, batches, validation, settings)
    start = base, encoder.preset.pooling, weights_digest(learner.tensors())
    name = fingerprint(settings, *start, encoder.mixed, steps, batches.digest(), table.digest)
    out.mkdir(parents=True, exist_ok=True)
    end = run(learner, settings, steps, out, name, resume)
    encoder.module.eval().cpu()
    with written_into(out):
        encoder.save(out)
    remove_checkpoint(out)
    qualities = [quality for _, quality in end.evaluations] or [math.nan]
    return TrainingReport(steps, len(validation), qualities[0], qualities[-1])


class _EncoderLearner(Learner):
    def __init__(
        self, encoder: TrainableEncoder, table: TokenTable, batches: BatchSource, validation: NDArray[np.int64],
        settings: EncoderSettings,
    ) -> None:  # fmt: skip
        self._encoder, self._table, self._batches, self._validation = encoder, table, batches, validation
        self.device = encoder.device
        self.groups = [{"params": [one for one in encoder.module.parameters() if one.requires_grad]}]

    def learn(self, step: int) -> float:
        self._encoder.module.train()
        total = 0.0
        for chunk in self._batches.step(step):
            total += backward(chunk.loss(self._encoder.vectors(self._table, chunk.documents)))
        return total

    def quality(self) -> float | None:
        """The share of the validation triplets whose positive is the nearer one."""
        if not len(self._validation):
            return None
        return triplet_accuracy(self._encoder, self._table, self._validation)

    def tensors(self) -> dict[str, Tensor]:
        return dict(self._encoder.module.state_dict())


@torch.no_grad()
def triplet_accuracy(encoder: TrainableEncoder, table: TokenTable, rows: NDArray[np.int64]) -> float:
    """Share of the triplets whose positive is nearer to the query than the negative, equal ones half; NaN for none."""
    encoder.module.eval()
    nearer = 0.0
    for start in range(0, len(rows), _VALIDATED_TOGETHER):
        some = rows[start : start + _VALIDATED_TOGETHER]
        documents, places = np.unique(some, return_inverse=True)
        vectors = encoder.vectors(table, documents)
        query, positive, negative = (vectors[torch.from_numpy(place)] for place in places.reshape(some.shape).T.copy())
        difference = distance(query, negative) - distance(query, positive)
        nearer += float((difference > 0).sum()) + float((difference == 0).sum()) / 2
    return nearer / len(rows) if len(rows) else math.nan
