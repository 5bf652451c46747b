"""How much of an exact search a search of the index keeps, measured with some of its own papers as queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.order import SIGNED, best_first
from indexer.vector_search import VectorSearch

QUERIES = 100
DEPTHS = (10, 100, 1000)


@dataclass(frozen=True, slots=True)
class Recall:
    """Mean share of the exact nearest papers that the first of 1000 hits hold; a query's own paper does not count."""

    at: dict[str, float]  # "10", "100", "1000" → share; depths that the corpus does not have are left out
    queries: int
    papers: int  # that the index held when this was measured
    exact: str  # what was compared with: "vectors" of the encoder (32 bits), or a scan of the "codes"


class ExactNeighbours:
    """The exact nearest papers of some of the first vectors, kept while all vectors pass by."""

    def __init__(self) -> None:
        self.seen = 0  # vectors
        self.own = np.zeros(0, np.int64)  # (queries,) numbers of the papers that are the queries
        self.queries = np.zeros((0, 0), np.float32)  # (queries, dimension)
        self._numbers = np.zeros((0, 0), np.int64)  # (queries, kept), unordered
        self._scores = np.zeros((0, 0), np.float32)

    def see(self, numbers: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Take account of the vectors of papers `numbers`, shape (n, dimension).

        The queries are an even choice of the first that it sees.
        """
        if not self.seen:
            rows = np.unique(np.linspace(0, len(numbers) - 1, min(QUERIES, len(numbers))).astype(np.int64))
            self.own, self.queries = np.asarray(numbers, np.int64)[rows], vectors[rows]
            self._numbers = np.zeros((len(rows), 0), np.int64)
            self._scores = np.zeros((len(rows), 0), np.float32)
        self.seen += len(numbers)
        scores = self.queries @ vectors.T
        candidates = np.broadcast_to(np.asarray(numbers, np.int64), scores.shape)
        scores[self.own[:, None] == candidates] = -np.inf
        self._scores = np.concatenate([self._scores, scores], axis=1)
        self._numbers = np.concatenate([self._numbers, candidates], axis=1)
        if self._scores.shape[1] > DEPTHS[-1]:
            best = np.argpartition(-self._scores, DEPTHS[-1], axis=1)[:, : DEPTHS[-1]]
            self._scores = np.take_along_axis(self._scores, best, axis=1)
            self._numbers = np.take_along_axis(self._numbers, best, axis=1)

    def nearest(self) -> list[NDArray[np.int64]]:
        """Of each query, the numbers of the nearest, best first."""
        return [_ordered(*found) for found in zip(self._numbers, self._scores, strict=True)]


def recall_of_vectors(search: VectorSearch, exact: ExactNeighbours) -> Recall | None:
    """Recall of `search` against the vectors that passed by; unknown where not all did."""
    if exact.seen != search.papers:
        return None
    return _recall(search, exact.own, exact.queries, exact.nearest(), "vectors")


def recall_of_structure(search: VectorSearch) -> Recall:
    """Recall of `search` against a scan of its own codes, with papers evenly chosen as queries."""
    own = np.unique(np.linspace(0, search.papers - 1, min(QUERIES, search.papers)).astype(np.int64))
    queries = search.vectors(own)
    depth = min(DEPTHS[-1] + 1, search.papers)
    exact = [_without(search.scan(query, depth)[0], number) for query, number in zip(queries, own, strict=True)]
    return _recall(search, own, queries, exact, "codes")


def _recall(
    search: VectorSearch,
    own: NDArray[np.int64],
    queries: NDArray[np.float32],
    exact: list[NDArray[np.int64]],
    compared: str,
) -> Recall:
    depths = [depth for depth in DEPTHS if depth < search.papers]
    kept = np.zeros((len(own), len(depths)))
    for row, (number, query) in enumerate(zip(own, queries, strict=True)):
        found = _without(_ordered(*search.nearest(query, DEPTHS[-1] + 1)), number)
        for column, depth in enumerate(depths):
            kept[row, column] = len(np.intersect1d(found[:depth], exact[row][:depth])) / depth
    at = {str(depth): round(float(share), 4) for depth, share in zip(depths, kept.mean(axis=0), strict=True)}
    return Recall(at, len(own), search.papers, compared)


def _ordered(numbers: NDArray[np.int64], scores: NDArray[np.float32]) -> NDArray[np.int64]:
    ordered: NDArray[np.int64] = numbers[best_first(scores, numbers, SIGNED)]
    return ordered


def _without(numbers: NDArray[np.int64], own: int) -> NDArray[np.int64]:
    others: NDArray[np.int64] = numbers[numbers != own]
    return others
