"""Training of a CTPE network on coupled text pairs.

Adam 1e-3 on batches of 200 documents, each with one uncoupled pair that is drawn again every epoch (CTPE, algorithm 1
and section 4.3); which other document lends a part for it is of sections 3.2 and 4.7. The paper has no held-out data
and stops when the loss no longer falls; here the loss of documents that are held out decides, and the best epoch's
network is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from common.errors import ModelError, TrainingError, extra_needed
from common.progress import progress
from encoders.ctpe.network import TextCnn, encode_runs
from encoders.ctpe.parts import Parts
from encoders.text import Text
from encoders.words import content_words, fit_counts
from training.checkpoints import Position
from training.ctpe.settings import CtpeSettings
from training.loop import Learner, backward, pass_order, run, step_generator
from training.losses import coupled_margin, expected_coupled_margin

NEAREST = 100  # documents by TF-IDF
_BLOCK = 512  # documents that are compared with all others at a time
Numbers = NDArray[np.int64]
# A batch of at least two documents → another document for each.
Partners = Callable[[Numbers, np.random.Generator], Numbers]


def random_partners(batch: Numbers, generator: np.random.Generator) -> Numbers:
    """Any other document of the batch.

    Batches are drawn at random, so that this is any other document; and its parts are encoded already.
    """
    steps = generator.integers(1, len(batch), len(batch))
    return np.asarray(batch[(np.arange(len(batch)) + steps) % len(batch)])


def tf_idf_partners(nearest: Numbers) -> Partners:
    """CTPE_T: half of the time one of the documents nearest by TF-IDF, else any other of the batch."""

    def draw(batch: Numbers, generator: np.random.Generator) -> Numbers:
        any_other = random_partners(batch, generator)
        near = nearest[batch, generator.integers(0, nearest.shape[1], len(batch))]
        return np.where(generator.random(len(batch)) < 0.5, near, any_other)

    return draw


def nearest_by_tf_idf(texts: Sequence[Text], count: int = NEAREST) -> Numbers:
    """The other texts of largest TF-IDF cosine with each, shape (texts, min(count, texts - 1)), nearest first.

    Raises:
        ModelError: scikit-learn is not installed.
        SourceError: the texts have no words.
    """
    with extra_needed(ModelError, "TF-IDF negatives need scikit-learn (or take --negatives random)", "eval"):
        from sklearn.feature_extraction.text import TfidfVectorizer
    rows = fit_counts(TfidfVectorizer(analyzer=content_words, dtype=np.float32), texts)
    columns = rows.T.tocsr()
    count = min(count, len(texts) - 1)
    nearest = np.zeros((len(texts), count), np.int64)
    starts = range(0, len(texts), _BLOCK)
    for start in progress(starts, "TF-IDF neighbours", len(starts)):
        cosines = (rows[start : start + _BLOCK] @ columns).toarray()
        cosines[np.arange(len(cosines)), start + np.arange(len(cosines))] = -1
        found = np.argpartition(-cosines, count - 1, axis=1)[:, :count]
        order = np.lexsort((found, -np.take_along_axis(cosines, found, axis=1)), axis=1)
        nearest[start : start + _BLOCK] = np.take_along_axis(found, order, axis=1)
    return nearest


HELD_OUT_SHARE = 0.05
_HELD_OUT_AT_MOST = 1000
# Fewer have no uncoupled pair on either side.
LEAST_PAIRS = 4


@dataclass(frozen=True, slots=True)
class TrainingHistory:
    """How training went."""

    best_epoch: int  # 0: none was better than the network it began with
    held_out_losses: tuple[float, ...]  # before training, and after every epoch

    @classmethod
    def of(cls, end: Position, steps: int) -> TrainingHistory:
        """Of a run that ended there, with so many steps an epoch."""
        return cls(end.best[0] // steps, tuple(-quality for _, quality in end.evaluations))

    def __str__(self) -> str:
        first, best = self.held_out_losses[0], self.held_out_losses[self.best_epoch]
        epochs = len(self.held_out_losses) - 1
        return f"held-out loss {first:.4f} untrained, {best:.4f} after epoch {self.best_epoch} of {epochs}"


def held_out(pairs: int, seed: int) -> tuple[Numbers, Numbers]:
    """Pairs to train on and pairs to decide by, of `pairs` ≥ 4.

    Raises:
        TrainingError: too few.
    """
    if pairs < LEAST_PAIRS:
        raise TrainingError(
            f"{pairs or 'zero'} training pairs: at least {LEAST_PAIRS} papers must have words in both parts "
            "(for --split title, in title and abstract)"
        )
    order = np.random.default_rng(seed).permutation(pairs)
    count = min(max(2, round(pairs * HELD_OUT_SHARE)), _HELD_OUT_AT_MOST)
    return np.sort(order[count:]), np.sort(order[:count])


def train_network(
    network: TextCnn,
    pairs: Sequence[Parts],
    held_out_pairs: Sequence[Parts],
    settings: CtpeSettings,
    partners: Partners | None = None,
    folder: Path | None = None,
    name: str = "",
    resume: bool = False,
) -> TrainingHistory:
    """Train `network` in place on coupled `pairs`, whose parts are not empty; it ends as after the best epoch.

    For `folder`, `name` and `resume` see `training.loop.run`.

    Raises:
        TrainingError: the loss is not a number, or see there.
    """
    learner = _CtpeLearner(network, pairs, held_out_pairs, settings, partners or random_partners)
    settings = replace(settings, evaluate_every=learner.steps)
    end = run(learner, settings, round(settings.epochs * learner.steps), folder, name, resume)
    network.load_state_dict(learner.best)
    return TrainingHistory.of(end, learner.steps)


class _CtpeLearner(Learner):
    """The best network is kept in memory."""

    def __init__(
        self,
        network: TextCnn,
        pairs: Sequence[Parts],
        held_out_pairs: Sequence[Parts],
        settings: CtpeSettings,
        partners: Partners,
    ) -> None:
        self._network, self._pairs, self._held_out = network, pairs, held_out_pairs
        self._settings, self._partners = settings, partners
        self.groups = [{"params": list(network.parameters())}]
        self.device = network.matrix.device
        # Of an epoch; whatever the batch size, each batch holds two documents at least.
        self.steps = min(-(-len(pairs) // settings.batch_size), len(pairs) // 2)
        self.best = {name: tensor.clone() for name, tensor in network.state_dict().items()}

    def learn(self, step: int) -> float:
        epoch, place = divmod(step, self.steps)
        batch = np.array_split(pass_order(len(self._pairs), self._settings.seed, epoch), self.steps)[place]
        generator = step_generator(self._settings.seed, step, beside_passes=True)
        return backward(self._loss(batch, self._partners(batch, generator), generator))

    def quality(self) -> float:
        """The expected loss of the pairs that are held out, negated."""
        front = torch.from_numpy(encode_runs(self._network, [pair.front for pair in self._held_out]))
        back = torch.from_numpy(encode_runs(self._network, [pair.back for pair in self._held_out]))
        return -expected_coupled_margin(front, back, self._settings.margin)

    def tensors(self) -> dict[str, Tensor]:
        return {**self._network.state_dict(), **{f"best.{name}": tensor for name, tensor in self.best.items()}}

    def keep(self) -> None:
        self.best = {name: tensor.clone() for name, tensor in self._network.state_dict().items()}

    def _loss(self, batch: Numbers, partners: Numbers, generator: np.random.Generator) -> Tensor:
        pairs, lends_back = self._pairs, generator.random(len(batch)) < 0.5  # else its front
        fronts, front_of = np.unique(
            np.concatenate([batch, np.where(lends_back, batch, partners)]), return_inverse=True
        )
        backs, back_of = np.unique(np.concatenate([batch, np.where(lends_back, partners, batch)]), return_inverse=True)
        # Every part goes through the network once, however many pairs it is in.
        vectors = functional.normalize(
            self._network([*(pairs[one].front for one in fronts), *(pairs[one].back for one in backs)])
        )
        cosines = (vectors[front_of] * vectors[len(fronts) + back_of]).sum(1)
        coupled, uncoupled = cosines.chunk(2)
        return coupled_margin(coupled, uncoupled, self._settings.margin).mean()
