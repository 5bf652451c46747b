"""The papers nearest to one of the index: by their vectors, and by who cites them together with it."""

from dataclasses import dataclass

import numpy as np

from citescout.recommendation import SourceRank
from indexer.generations import OpenGeneration
from indexer.identity.retractions import is_notice
from indexer.paper import Paper
from retrieval.first_stage import FirstStage
from retrieval.forms import bag
from retrieval.fusion import reciprocal_rank_fusion
from retrieval.graph import Evidence, gather_evidence
from retrieval.hits import Hits

_DEPTH = 100  # neighbours that each source names


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One paper near another."""

    paper: Paper
    sources: tuple[SourceRank, ...]  # dense or bm25, and graph, as far as they found it
    cited_together: int  # papers that cite both
    cites: bool  # it cites the other one
    cited: bool  # the other one cites it


def neighbours(generation: OpenGeneration, first_stage: FirstStage, docid: int, k: int) -> list[Neighbour]:
    """The `k` nearest of a paper, both sources fused by reciprocal rank; where there are no vectors, BM25 finds them.

    Citation votes are those of `retrieval.graph` with this paper as the only seed.
    """
    others = ~generation.removed
    others[docid] = False
    hits: dict[str, Hits] = {}
    if first_stage.dense:
        vector = first_stage.dense.centre(np.asarray([docid]))
        hits["dense"] = first_stage.dense.search(vector, _DEPTH, others)
    else:
        (text,) = generation.catalog.texts([docid])
        terms = bag(first_stage.bm25.terms(text.joined()))
        hits["bm25"] = first_stage.bm25.search(terms, _DEPTH, others)
    evidence = Evidence(~generation.removed, ~generation.removed)
    votes = gather_evidence(generation.graph, np.asarray([docid], np.int32), np.ones(1), evidence)
    hits["graph"] = votes.ranked(_DEPTH, others)
    fused = reciprocal_rank_fusion(hits).docids
    notices = np.fromiter((is_notice(text.title) for text in generation.catalog.texts(fused)), np.bool_)
    nearest = fused[~notices][:k]  # nobody is to cite them
    ranks = {source: {int(n): place for place, n in enumerate(found.docids)} for source, found in hits.items()}
    cites, cited_by = generation.graph.cites.of(docid), generation.graph.cited_by.of(docid)
    return [
        Neighbour(
            paper=paper,
            sources=tuple(
                SourceRank(source, places[n] + 1, float(hits[source].scores[places[n]]))
                for source, places in ranks.items()
                if n in places
            ),
            cited_together=len(np.intersect1d(cited_by, generation.graph.cited_by.of(n))),
            cites=n in cited_by,
            cited=n in cites,
        )
        for n, paper in zip(map(int, nearest), generation.catalog.papers(nearest), strict=True)
    ]
