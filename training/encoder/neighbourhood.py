"""Batches of queries that are near each other, so that the cited papers of one are hard negatives of the others.

A batch has a random query, queries near to it in the base encoder's space (two thirds) and other random ones; of each
query two cited papers and one near paper that is not linked with it. Every cited paper competes with all documents of
the batch that are not linked with its query.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.arrays import contained, ordered, unordered
from training.draws import step_generator
from training.encoder.batches import Chunk, softmax_loss
from training.encoder.settings import EncoderSettings
from training.triplets.corpus import TrainingCorpus
from training.triplets.sampling import draw

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
        yield self._chunk(self._corpora[which], self._linked[which], generator)

    def digest(self) -> str:
        """See `BatchSource`."""
        parts = (array.tobytes() for one in self._corpora for array in (one.queries, one.corpus.cites.neighbours))
        return hashlib.sha256(b"".join(parts)).hexdigest()

    def _chunk(self, one: Neighbourhood, linked: NDArray[np.int64], generator: np.random.Generator) -> Chunk:
        queries = self._queries(one, generator)
        places, cited = one.corpus.cites.of_all(queries)
        _, positives = draw((places, cited), np.full(len(queries), _CITED), generator)
        near = _near_unlinked(one, queries, linked, generator)
        documents = np.unique(np.concatenate([queries, positives, near]))
        asked, other = np.broadcast_arrays(queries[:, None], documents[None])
        known = np.unique(ordered(queries[places], cited))
        positive = contained(ordered(asked, other).reshape(-1), known).reshape(asked.shape)
        related = contained(unordered(asked, other).reshape(-1), linked).reshape(asked.shape)
        ignored = (related | (asked == other)) & ~positive
        loss = softmax_loss(np.searchsorted(documents, queries), positive, ignored, self._settings.scale)
        return Chunk(documents + one.first, loss)

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
