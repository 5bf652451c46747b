"""Works that papers of an index cite and that are no papers of it: who cites which of them.

Such a work is a number and a key, by which it is found whatever spelling of its name is given. Its name stands where it
always did, among the citations of the papers in the catalog, and so the works follow from the catalog as the citation
graph does: one that is added becomes a paper, and one that is removed stays as a work that is cited.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from common.arrays import places_in
from indexer.catalog import Catalog
from indexer.citations import CitationGraph, load_array
from indexer.identity.references import Reference, described
from indexer.links import Links, work_key

_KEYS = "keys.npy"
_MOST_ASKED = 5  # papers whose citations are read for what a work is called


@dataclass(frozen=True, slots=True)
class WorkName:
    """What is known of a work outside."""

    id: str  # as the first paper names it, such as a DOI; "" where it is only described
    reference: Reference | None  # where a paper describes it


@dataclass(frozen=True, slots=True)
class OutsideWorks:
    """The works of one generation; their numbers are their places among the keys."""

    keys: NDArray[np.uint64]  # (works,) ascending
    graph: CitationGraph  # `cites` has a row a paper, `cited_by` a row a work

    @classmethod
    def of(cls, links: Links, papers: int) -> Self:
        """Of an index with so many docids."""
        return cls(links.keys, CitationGraph.from_edges(links.outside, papers, len(links.keys)))

    def __len__(self) -> int:
        return len(self.keys)

    def numbers(self, names: Iterable[str]) -> NDArray[np.int64]:
        """The works of these names, each once, ascending; names of none are left out."""
        wanted = np.unique(np.fromiter(map(work_key, names), np.uint64))
        places, found = places_in(wanted, self.keys)
        return places[found]

    def names(self, works: NDArray[np.integer], catalog: Catalog) -> list[WorkName]:
        """What each of these works is called, in their order."""
        citing = [self.graph.cited_by.of(int(work))[:_MOST_ASKED] for work in works]
        papers = np.unique(np.concatenate([np.zeros(0, np.int32), *citing]))
        cited = {
            int(paper): {work_key(one): one for one in reversed(named)}
            for paper, named in zip(papers, catalog.cited(papers), strict=True)
        }
        return [
            _name([cited[int(paper)][int(self.keys[work])] for paper in some])
            for work, some in zip(works, citing, strict=True)
        ]

    def save(self, folder: Path) -> None:
        """Write five .npy files into `folder`."""
        self.graph.save(folder)
        np.save(folder / _KEYS, self.keys)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Memory-map what `save` wrote.

        Raises:
            IndexDirectoryError: a file is missing or damaged.
        """
        return cls(load_array(folder / _KEYS), CitationGraph.load(folder))


def _name(spellings: list[str]) -> WorkName:
    descriptions = [reference for one in spellings if (reference := described(one))]
    ids = [one for one in spellings if not described(one)]
    best = max(descriptions, key=lambda one: len(one.title), default=None)
    return WorkName(next(filter(None, (*ids, *(one.doi or one.pmid for one in descriptions))), ""), best)
