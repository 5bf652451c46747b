"""What triplets are drawn from: the papers of one corpus and the citations among them, as plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from encoders.text import Text

Numbers = NDArray[np.integer]
Edges = tuple[NDArray[np.int64], NDArray[np.int64]]  # (position of the query, paper) of every edge


class SparseRows(Protocol):
    """One direction of a citation graph, as compressed sparse rows."""

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each paper's neighbours begin, shape (papers + 1,)."""

    @property
    def neighbours(self) -> NDArray[np.int32]:
        """Shape (edges,), ascending within a paper."""


@dataclass(frozen=True, slots=True)
class TrainingCorpus:
    """One corpus, without the citations that training must not know."""

    name: str
    texts: Sequence[Text]  # by number
    cites: SparseRows
    cited_by: SparseRows  # the same edges the other way
    years: NDArray[np.int16]  # (papers,), 0 where unknown
    candidates: NDArray[np.bool_]  # (papers,) may occur in a triplet; every end of an edge is one

    @property
    def queries(self) -> NDArray[np.int64]:
        """The papers that cite another one, ascending."""
        return np.flatnonzero(np.diff(self.cites.offsets) > 0)

    @property
    def edges(self) -> int:
        """Number of citations."""
        return len(self.cites.neighbours)

    def linked(self) -> NDArray[np.int64]:
        """`unordered` of every pair of which one cites the other, ascending."""
        citing = np.repeat(np.arange(len(self.years)), np.diff(self.cites.offsets))
        return np.unique(unordered(citing, self.cites.neighbours))


def rows_of(rows: SparseRows, papers: Numbers) -> Edges:
    """(position in `papers`, neighbour) of every edge that leaves one of `papers`."""
    starts, ends = rows.offsets[papers], rows.offsets[np.asarray(papers) + 1]
    sizes = ends - starts
    positions = np.repeat(np.arange(len(papers)), sizes)
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return positions, np.asarray(rows.neighbours[np.repeat(starts, sizes) + within], np.int64)


def ordered(one: Numbers, other: Numbers) -> NDArray[np.int64]:
    """Pairs of numbers as one number each, (a, b) another than (b, a)."""
    return np.asarray(one, np.int64) << 32 | np.asarray(other, np.int64)


def unordered(one: Numbers, other: Numbers) -> NDArray[np.int64]:
    """Pairs of numbers as one number each, (a, b) the same as (b, a)."""
    return ordered(np.minimum(one, other), np.maximum(one, other))
