"""What training must not see: papers whose titles overlap with those of papers that the models will be tested on.

The rule is that of Nogueira et al. (BIR 2020), see `indexer.identity.title_overlap`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.progress import progress
from indexer.generations import OpenGeneration
from indexer.identity.title_overlap import TitleOverlaps
from training.queries import possible_queries


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The papers of an index that training passes over."""

    candidates: NDArray[np.bool_]  # (docids,), by paper
    queries: NDArray[np.bool_]  # (docids,), all of `candidates` among them


class HeldOut:
    """Titles that are held out, and how much of the indexes that costs."""

    def __init__(self, titles: Iterable[str] = ()) -> None:
        self._titles = TitleOverlaps(titles)
        self.papers = 0  # of the indexes so far, with a held-out title
        self.queries = 0  # possible queries of the indexes so far that are none
        self.possible_queries = 0

    def add(self, other: HeldOut) -> None:
        """Count what another one of the same titles left out, of indexes that this one has not met."""
        if other is not self:
            self.papers += other.papers
            self.queries += other.queries
            self.possible_queries += other.possible_queries

    def leaks(self, title: str) -> bool:
        """Whether a title is nearly one that is held out."""
        return bool(self._titles.of(title))

    def left_out(
        self, generation: OpenGeneration, possible: NDArray[np.bool_] | None = None, twins: bool = True
    ) -> LeftOut:
        """The papers of an index whose titles leak, added to the counts.

        `possible`, shape (docids,), says which papers may be queries; without it those of `possible_queries`. Without
        `twins` only held-out titles leak, as in the papers' protocols.

        A held-out title bars a paper as a query and as a candidate. A paper that cites nothing within the index may be
        a test paper whose citations are hidden: another record with its title, perhaps its preprint, has the same
        citations and is no query either.
        """
        possible = possible_queries(generation) if possible is None else possible
        citing = np.diff(generation.graph.cites.offsets) > 0
        of_hidden = (title for docid, title in generation.catalog.all_titles() if twins and not citing[docid])
        hidden = TitleOverlaps(of_hidden)
        candidates, queries = np.zeros(len(possible), np.bool_), np.zeros(len(possible), np.bool_)
        titles = generation.catalog.all_titles()
        for docid, title in progress(titles, "held-out titles", generation.catalog.size):
            candidates[docid] = self.leaks(title)
            queries[docid] = candidates[docid] or (possible[docid] and bool(hidden.of(title)))
        self.papers += int(candidates.sum())
        self.queries += int((queries & possible).sum())
        self.possible_queries += int(possible.sum())
        return LeftOut(candidates, queries)

    def __str__(self) -> str:
        return (
            f"{self.queries:,} of {self.possible_queries:,} possible queries left out because their titles leak, "
            f"{self.papers:,} papers with held-out titles left out as candidates"
        )
