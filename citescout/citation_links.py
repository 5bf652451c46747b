"""How recommended papers are linked by citations with the best matches of the same query, and with the user's own.

Those are papers that the query cites already, or likes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from citescout.recommendation import CITED_BY, CITED_WITH, CITES, CitedTogether, OwnLink
from common.sequences import batches
from indexer.citations import CitationGraph
from indexer.duplicates import same_paper
from indexer.generations import OpenGeneration
from indexer.identity.keys import keys_of
from indexer.paper import Paper
from retrieval.graph import SEEDS, Evidence, cited_among, citing_of
from retrieval.hits import Allowed, Docids

_MOST = 3  # papers that are named
_FIRST = 10  # best matches that a paper may be cited together with
_OFTEN = 3  # papers that cite both, for them to be called cited together
_KINDS = (CITES, CITED_BY, CITED_WITH)  # the strongest first


@dataclass(frozen=True, slots=True)
class CitationLinks:
    """Of one recommended paper."""

    cited_by: tuple[Paper, ...]  # best matches that cite it, the best of them
    cited_by_count: int
    cites: tuple[Paper, ...]  # best matches that it cites, the best of them
    cited_with: CitedTogether | None  # the best match, of the first few, that it is cited together with most often


def links_with(
    generation: OpenGeneration, best: Docids, shown: NDArray[np.integer], evidence: Evidence
) -> list[CitationLinks]:
    """The links of every paper of `shown` with the first of `best`, papers by docid; only what is `evidence` counts.

    `best` are candidates, and therefore papers of the evidence themselves; all of `shown` are among them.
    """
    graph, best = generation.graph, best[:SEEDS]
    citing = [best[column] for column in _cites(graph, best, shown, evidence.citing).T]
    cited = [best[row] for row in _cites(graph, shown, best, evidence.citing)]
    together = _cited_together(graph, shown, best[:_FIRST], evidence.citing)
    docids = np.unique(np.concatenate([best[:_FIRST], *(few[:_MOST] for few in (*citing, *cited))])).tolist()
    named = dict(zip(docids, generation.catalog.papers(docids), strict=True))
    found = []
    for citing_it, it_cites, times in zip(citing, cited, together, strict=True):
        most = int(times.argmax())
        with_it = CitedTogether(named[int(best[most])], int(times[most])) if times[most] >= _OFTEN else None
        citing_few, cited_few = (tuple(named[one] for one in few[:_MOST].tolist()) for few in (citing_it, it_cites))
        found.append(CitationLinks(citing_few, len(citing_it), cited_few, with_it))
    return found


def own_links(
    generation: OpenGeneration, own: Docids, shown: NDArray[np.integer], papers: Sequence[Paper], evidence: Evidence
) -> list[tuple[OwnLink, ...]]:
    """The strongest links of every paper of `shown`, which are `papers`, with the user's own; see `links_with`.

    First what cites it, then what it cites, then what is cited along with it, most often first. A paper that is liked
    stays in the list; it has no link with itself, nor with other records of it.
    """
    graph, may_cite = generation.graph, citing_of(evidence, own)
    together = _cited_together(graph, shown, own, may_cite)
    linked = (_cites(graph, own, shown, may_cite).T, _cites(graph, shown, own, may_cite), together > 0)
    kinds = np.select(linked, range(len(_KINDS)), len(_KINDS))

    def links(paper: Paper, kind: NDArray[np.int64], times: NDArray[np.int64]) -> Iterator[OwnLink]:
        order = np.lexsort((own, -times, kind))[: np.count_nonzero(kind < len(_KINDS))]
        for some in batches(order.tolist(), _MOST):
            for place, other in zip(some, generation.catalog.papers(own[some]), strict=True):
                if not _same(paper, other):
                    yield OwnLink(other, _KINDS[kind[place]], int(times[place]))

    return [tuple(islice(links(*row), _MOST)) for row in zip(papers, kinds, together, strict=True)]


def _cites(
    graph: CitationGraph, citing: NDArray[np.integer], cited: NDArray[np.integer], may_cite: Allowed
) -> NDArray[np.bool_]:
    """Which papers of `citing` that may cite do cite which of `cited`, shape (len(citing), len(cited))."""
    found = np.zeros((len(citing), len(cited)), np.bool_)
    found[cited_among(graph, citing, cited)] = True
    found &= may_cite[citing][:, None]
    return found


def _cited_together(
    graph: CitationGraph, shown: NDArray[np.integer], others: Docids, may_cite: Allowed
) -> NDArray[np.int64]:
    """How many papers of `may_cite` cite both, shape (len(shown), len(others)); 0 for a paper with itself."""
    place, citing = graph.cited_by.of_all(shown)
    kept = may_cite[citing]
    place, citing = place[kept], citing[kept]
    counts = np.zeros((len(shown), len(others)), np.int64)
    cites_other = np.zeros(len(may_cite), np.bool_)
    for column, docid in enumerate(others.tolist()):
        papers = graph.cited_by.of(docid)
        cites_other[papers] = True
        counts[:, column] = np.bincount(place[cites_other[citing]], minlength=len(shown))
        cites_other[papers] = False
    counts[np.asarray(shown)[:, None] == others[None]] = 0
    return counts


def _same(paper: Paper, other: Paper) -> bool:
    """Whether two records are one, or of one paper by the rules of `index --merge-duplicates`."""
    shared = {*keys_of(paper)} & {*keys_of(other)}
    return paper.id == other.id or any(same_paper(key.kind, paper, other, 2) for key in shared)
