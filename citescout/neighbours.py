"""What stands around a paper of the index: the papers nearest to it, and the citations that a map shows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from citescout.recommendation import SourceRank
from indexer.duplicates import with_retractions
from indexer.generations import OpenGeneration
from indexer.identity.retractions import is_notice
from indexer.paper import Paper
from retrieval.first_stage import FirstStage
from retrieval.forms import bag
from retrieval.fusion import reciprocal_rank_fusion
from retrieval.graph import Evidence, gather_evidence
from retrieval.hits import Docids, Hits

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
        vector = first_stage.dense.centre(np.asarray([docid], np.int64))
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
    papers = with_retractions(generation.catalog, generation.catalog.papers(nearest))
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
        for n, paper in zip(map(int, nearest), papers, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class CitationsAmong:
    """Of papers in a given order."""

    times_cited: tuple[int, ...]  # by papers of the index, for each of them
    citations: tuple[tuple[int, int], ...]  # places of the citing and the cited paper, each pair once


def citations_among(generation: OpenGeneration, ids: Sequence[str]) -> CitationsAmong:
    """The citations among papers of different ids, and how often each is cited; of unknown ids there are none."""
    graph, alive, docids = generation.graph, ~generation.removed, generation.catalog.docids(ids)
    places = {docids[id_]: place for place, id_ in enumerate(ids) if id_ in docids}
    known = list(places)
    citing, cited = graph.cites.of_all(np.asarray(known, np.int64))
    pairs = zip(citing.tolist(), cited.tolist(), strict=True)
    found = {(places[known[one]], places[other]) for one, other in pairs if other in places and other != known[one]}
    counts = [0] * len(ids)
    for docid, place in places.items():
        counts[place] = int(alive[graph.cited_by.of(docid)].sum())
    return CitationsAmong(tuple(counts), tuple(sorted(found)))


def around(generation: OpenGeneration, docid: int, k: int) -> list[int]:
    """Docids of up to `k` papers that a paper cites, and of up to `k` that cite it, the most cited of each first."""
    graph, alive = generation.graph, ~generation.removed

    def most_cited(docids: Docids) -> list[int]:
        others = docids[alive[docids] & (docids != docid)]
        counts = graph.cited_by.offsets[others + 1] - graph.cited_by.offsets[others]
        return [int(one) for one in others[np.argsort(-counts, kind="stable")][:k]]

    return list(dict.fromkeys([*most_cited(graph.cites.of(docid)), *most_cited(graph.cited_by.of(docid))]))
