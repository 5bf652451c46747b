"""What triplets are drawn from: the papers of one corpus and the citations among them, as plain arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.arrays import unordered
from encoders.text import Text
from indexer.citations import Adjacency

Edges = tuple[NDArray[np.int64], NDArray[np.integer]]  # (position of the query, paper) of every edge


@dataclass(frozen=True, slots=True)
class TrainingCorpus:
    """One corpus, without the citations that training must not know."""

    name: str
    texts: Sequence[Text]  # by docid
    cites: Adjacency
    years: NDArray[np.int16]  # (papers,), 0 where unknown
    candidates: NDArray[np.bool_]  # (papers,) may occur in a triplet; every end of an edge is one

    @property
    def queries(self) -> NDArray[np.int64]:
        """The papers that cite another one, ascending."""
        return np.flatnonzero(np.diff(self.cites.offsets) > 0)

    def citations(self) -> NDArray[np.int64]:
        """(citing, cited) of every citation, shape (n, 2), ascending."""
        return np.stack(self.cites.of_all(np.arange(len(self.years))), axis=1).astype(np.int64)

    def linked(self) -> NDArray[np.int64]:
        """`unordered` of every pair of which one cites the other, ascending."""
        return np.unique(unordered(*self.citations().T))
