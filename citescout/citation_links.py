"""How recommended papers are linked by citations with the best matches of the same query."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citescout.recommendation import CitedTogether
from indexer.generations import OpenGeneration
from indexer.paper import Paper
from retrieval.graph import SEEDS, Evidence, cited_among
from retrieval.hits import Allowed, Docids

_MOST = 3  # papers that are named
_FIRST = 10  # best matches that a paper may be cited together with
_OFTEN = 3  # papers that cite both, for them to be called cited together


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

    `best` are candidates, and therefore papers of the evidence themselves.
    """
    graph, best = generation.graph, best[:SEEDS]
    may_cite, none = best[evidence.citing[best]], best[:0]
    best_place, shown_place = cited_among(graph, may_cite, shown)
    citing = [may_cite[best_place[shown_place == place]] for place in range(len(shown))]
    shown_place, best_place = cited_among(graph, shown, best)
    cited = [
        best[np.sort(best_place[shown_place == place])] if evidence.citing[docid] else none
        for place, docid in enumerate(shown)
    ]
    together = _cited_together(generation, best[:_FIRST], shown, evidence.citing)
    most = together.argmax(axis=1) if together.size else np.zeros(len(shown), np.int64)
    named = _papers(generation, [*(few[:_MOST] for few in (*citing, *cited)), best[:_FIRST]])

    def papers(docids: Sequence[int]) -> tuple[Paper, ...]:
        return tuple(named[docid] for docid in docids[:_MOST])

    found = []
    for place in range(len(shown)):
        times = int(together[place, most[place]]) if together.size else 0
        with_it = CitedTogether(named[int(best[most[place]])], times) if times >= _OFTEN else None
        citing_it, it_cites = citing[place].tolist(), cited[place].tolist()
        found.append(CitationLinks(papers(citing_it), len(citing_it), papers(it_cites), with_it))
    return found


def _cited_together(
    generation: OpenGeneration, best: Docids, shown: NDArray[np.integer], may_cite: Allowed
) -> NDArray[np.int64]:
    """How many papers of `may_cite` cite both, shape (len(shown), len(best)); 0 for a paper with itself."""
    graph = generation.graph
    place, citing = graph.cited_by.of_all(shown)
    kept = may_cite[citing]
    place, citing = place[kept], citing[kept]
    counts = np.zeros((len(shown), len(best)), np.int64)
    cites_best = np.zeros(len(may_cite), np.bool_)
    for column, docid in enumerate(best.tolist()):
        others = graph.cited_by.of(docid)
        cites_best[others] = True
        counts[:, column] = np.bincount(place[cites_best[citing]], minlength=len(shown))
        cites_best[others] = False
    counts[np.asarray(shown)[:, None] == best[None]] = 0
    return counts


def _papers(generation: OpenGeneration, lists: Sequence[Docids]) -> dict[int, Paper]:
    docids = np.unique(np.concatenate(lists)).tolist()
    return dict(zip(docids, generation.catalog.papers(docids), strict=True))
