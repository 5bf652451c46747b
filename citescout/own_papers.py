"""How a recommended paper is linked with those that the user cites already, or likes."""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from citescout.recommendation import CITED_BY, CITED_WITH, CITES, OwnLink
from common.sequences import batches
from indexer.duplicates import same_paper
from indexer.generations import OpenGeneration
from indexer.identity.keys import keys_of
from indexer.paper import Paper
from retrieval.graph import Evidence, citing_of
from retrieval.hits import Docids

_MOST = 3  # links that are shown


class OwnPapers:
    """The papers of one user's bibliography that are in the index."""

    def __init__(self, generation: OpenGeneration, own: Docids, evidence: Evidence) -> None:
        """Look at the papers `own`; only what is `evidence` counts."""
        self._generation = generation
        self._own = own
        self._may_cite = citing_of(evidence, own)
        self._citing = [self._citing_of(int(docid)) for docid in own]

    def links(self, docid: int, paper: Paper) -> tuple[OwnLink, ...]:
        """The strongest links of a paper: what cites it, what it cites, then what is cited along with it most often.

        A paper that is liked stays in the list; it has no link with itself, nor with other records of it.
        """
        if not len(self._own):
            return ()
        graph = self._generation.graph
        citing_it, it_cites = graph.cited_by.of(docid), graph.cites.of(docid)
        of_it = self._citing_of(docid)
        found: list[tuple[int, int, int]] = []  # kind, −times, own paper
        for own, citing in zip(map(int, self._own), self._citing, strict=True):
            together = len(np.intersect1d(citing, of_it, assume_unique=True))
            if own in citing_it:
                found.append((0, -together, own))
            elif own in it_cites and self._may_cite[docid]:
                found.append((1, -together, own))
            elif together:
                found.append((2, -together, own))
        return tuple(islice(self._with_others(paper, sorted(found)), _MOST))

    def _with_others(self, paper: Paper, found: Sequence[tuple[int, int, int]]) -> Iterator[OwnLink]:
        kinds = (CITES, CITED_BY, CITED_WITH)
        for some in batches(found, _MOST):
            papers = self._generation.catalog.papers([own for _, _, own in some])
            for (kind, times, _), own in zip(some, papers, strict=True):
                if not _same(paper, own):
                    yield OwnLink(own, kinds[kind], -times)

    def _citing_of(self, docid: int) -> NDArray[np.int32]:
        citing = self._generation.graph.cited_by.of(docid)
        return citing[self._may_cite[citing]]


def _same(paper: Paper, other: Paper) -> bool:
    """Whether two records are one, or of one paper by the rules of `index --merge-duplicates`."""
    shared = {*keys_of(paper)} & {*keys_of(other)}
    return paper.id == other.id or any(same_paper(key.kind, paper, other, 2) for key in shared)
