"""What a training step sees, as a function of its number: a run that is resumed needs to know nothing else.

Triplets come in an order of their own; or a batch is of queries that are near each other, so that the cited papers of
one are hard negatives of the others. Such a batch has a random query, queries near to it in the base encoder's space
(two thirds) and other random ones; of each query two cited papers and one near paper that is not linked with it. Every
cited paper competes with all documents of the batch that are not linked with its query.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from common.arrays import contained, ordered, unordered
from training.encoder.settings import EncoderSettings
from training.loop import pass_order, step_generator
from training.losses import list_softmax, triplet_margin
from training.triplets.sampling import TrainingCorpus, Triplets, draw


@dataclass(frozen=True, slots=True)
class Chunk:
    """Documents that are in memory together."""

    documents: NDArray[np.int64]  # (d,) distinct places in the list of texts
    loss: Callable[[Tensor], Tensor]  # their vectors, (d, dimension) → their part of the step's loss


class BatchSource(Protocol):
    """All batches of a recipe."""

    def steps(self, epochs: float) -> int:
        """Steps that see every query or triplet `epochs` times."""

    def step(self, number: int) -> Iterator[Chunk]:
        """The chunks of one step; the same whenever it is asked for."""

    def digest(self) -> str:
        """Changes with whatever the batches depend on."""


class TripletBatches:
    """Triplets in an order that is drawn again for every pass."""

    def __init__(self, triplets: Triplets, settings: EncoderSettings) -> None:
        self._rows = triplets.rows
        self._settings = settings
        self._positive = np.unique(ordered(triplets.rows[:, 0], triplets.rows[:, 1]))
        self._linked = np.union1d(triplets.linked, unordered(triplets.rows[:, 0], triplets.rows[:, 1]))

    def steps(self, epochs: float) -> int:
        """See `BatchSource`."""
        return max(1, round(epochs * self._per_pass))

    @property
    def _per_pass(self) -> int:
        return -(-len(self._rows) // self._settings.batch_size)

    def step(self, number: int) -> Iterator[Chunk]:
        """See `BatchSource`."""
        passed, place = divmod(number, self._per_pass)
        order = pass_order(len(self._rows), self._settings.seed, passed)
        batch = self._rows[order[place * self._settings.batch_size :][: self._settings.batch_size]]
        # In the softmax over a batch, every document is a negative of every query: it cannot be cut into chunks.
        size = len(batch) if self._settings.loss == "in-batch" else self._settings.chunk
        for start in range(0, len(batch), size):
            yield self._chunk(batch[start : start + size], len(batch))

    def digest(self) -> str:
        """See `BatchSource`."""
        return hashlib.sha256(self._rows.tobytes() + self._linked.tobytes()).hexdigest()

    def _chunk(self, rows: NDArray[np.int64], batch: int) -> Chunk:
        documents, places = np.unique(rows, return_inverse=True)
        places = places.reshape(rows.shape)
        settings = self._settings
        if settings.loss == "margin":
            query, positive, negative = torch.from_numpy(places.T.copy())

            def margin(vectors: Tensor) -> Tensor:
                return triplet_margin(vectors[query], vectors[positive], vectors[negative], settings.margin) / batch

            return Chunk(documents, margin)
        queries = np.unique(places[:, 0])
        return Chunk(documents, _softmax(documents[queries], documents, self._positive, self._linked, settings.scale))


def _softmax(
    queries: NDArray[np.int64],
    documents: NDArray[np.int64],
    positive: NDArray[np.int64],
    linked: NDArray[np.int64],
    scale: float,
) -> Callable[[Tensor], Tensor]:
    """The loss of a whole batch from the unit vectors of its `documents`, `queries` among them, both ascending.

    The mean over the `positive` pairs (`ordered`); what is `linked` otherwise (`unordered`) takes no part.
    """
    asked = queries[:, None]
    cited = contained(ordered(asked, documents), positive)
    ignored = (contained(unordered(asked, documents), linked) | (asked == documents)) & ~cited
    places = np.searchsorted(documents, queries)
    rows, wanted, out = torch.from_numpy(places), torch.from_numpy(cited), torch.from_numpy(ignored)

    def loss(vectors: Tensor) -> Tensor:
        scores = scale * (vectors[rows] @ vectors.T)
        return list_softmax(scores, wanted.to(scores.device), out.to(scores.device)) / max(int(cited.sum()), 1)

    return loss


# Of batches of queries that are near each other.
_NEAR_QUERIES = 120  # from which those of a batch are drawn
_NEAR_SHARE = 2 / 3
_CITED = 2  # papers of each query
_NEAR_PAPERS = 40  # from which the unlinked one is drawn
# Corpora are drawn by their queries to this power: large ones more often, but not in proportion.
_CORPUS_POWER = 0.7


@dataclass(frozen=True, slots=True)
class Neighbourhood:
    """One corpus as the batches see it."""

    corpus: TrainingCorpus
    queries: NDArray[np.int64]  # to train on
    vectors: NDArray[np.float32]  # (papers, dimension) unit vectors of the base encoder
    first: int  # place of the corpus's first paper in the list of all texts


class NeighbourhoodBatches:
    """Batches out of one or several corpora, each from one corpus."""

    def __init__(self, corpora: Sequence[Neighbourhood], settings: EncoderSettings) -> None:
        self._corpora = corpora
        self._settings = settings
        self._linked = [one.corpus.linked() for one in corpora]
        weights = np.asarray([len(one.queries) for one in corpora], np.float64) ** _CORPUS_POWER
        self._weights = weights / weights.sum()

    def steps(self, epochs: float) -> int:
        """See `BatchSource`."""
        queries = sum(len(one.queries) for one in self._corpora)
        return max(1, round(epochs * queries / self._settings.batch_size))

    def step(self, number: int) -> Iterator[Chunk]:
        """See `BatchSource`."""
        generator = step_generator(self._settings.seed, number)
        which = int(generator.choice(len(self._corpora), p=self._weights))
        one, linked = self._corpora[which], self._linked[which]
        queries = self._queries(one, generator)
        places, cited = one.corpus.cites.of_all(queries)
        _, positives = draw((places, cited), np.full(len(queries), _CITED), generator)
        near = _near_unlinked(one, queries, linked, generator)
        documents = np.unique(np.concatenate([queries, positives, near]))
        known = np.unique(ordered(queries[places], cited))
        yield Chunk(documents + one.first, _softmax(queries, documents, known, linked, self._settings.scale))

    def digest(self) -> str:
        """See `BatchSource`."""
        digest = hashlib.sha256()
        for one in self._corpora:
            cites = one.corpus.cites
            for array in (one.queries, cites.offsets, cites.neighbours, one.corpus.candidates, one.vectors):
                digest.update(f"{array.dtype} {array.shape}".encode())
                digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    def _queries(self, one: Neighbourhood, generator: np.random.Generator) -> NDArray[np.int64]:
        size = min(self._settings.batch_size, len(one.queries))
        anchor = generator.choice(one.queries)
        cosines = (one.vectors @ one.vectors[anchor])[one.queries]
        near = one.queries[_largest(cosines, _NEAR_QUERIES + 1)]
        near = generator.permutation(near[near != anchor])[: int(size * _NEAR_SHARE)]
        others = generator.choice(one.queries, max(size - 1 - len(near), 0))
        return np.unique(np.concatenate([[anchor], near, others]))


def _near_unlinked(
    one: Neighbourhood, queries: NDArray[np.int64], linked: NDArray[np.int64], generator: np.random.Generator
) -> NDArray[np.int64]:  # fmt: skip
    """One paper near each query that is not linked with it; none where all that are near are linked."""
    cosines = one.vectors[queries] @ one.vectors.T
    cosines[:, ~one.corpus.candidates] = -np.inf
    found = []
    for query, row in zip(queries, cosines, strict=True):
        near = _largest(row, _NEAR_PAPERS)
        near = near[(near != query) & np.isfinite(row[near])]
        near = near[~contained(unordered(np.full(len(near), query), near), linked)]
        if len(near):
            found.append(int(generator.choice(near)))
    return np.asarray(found, np.int64)


def _largest(values: NDArray[np.float32], count: int) -> NDArray[np.int64]:
    """Places of the `count` largest values, in no order."""
    count = min(count, len(values))
    return np.argpartition(-values, count - 1)[:count]
