"""The citations among some papers of an index, and the papers that stand around one of it: what a map shows."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from indexer.generations import OpenGeneration
from retrieval.hits import Docids


@dataclass(frozen=True, slots=True)
class CitationsAmong:
    """Of papers in a given order."""

    times_cited: tuple[int, ...]  # by papers of the index, for each of them
    citations: tuple[tuple[int, int], ...]  # places of the citing and the cited paper, each pair once


def citations_among(generation: OpenGeneration, docids: Sequence[int]) -> CitationsAmong:
    """The citations among papers of different `docids`."""
    graph, alive = generation.graph, ~generation.removed
    citing, cited = graph.cites.of_all(np.asarray(docids, np.int64))
    places = {docid: place for place, docid in enumerate(docids)}
    found = {
        (int(place), places[docid])
        for place, docid in zip(citing, cited.tolist(), strict=True)
        if docid in places and places[docid] != place
    }
    counts = tuple(int(alive[graph.cited_by.of(docid)].sum()) for docid in docids)
    return CitationsAmong(counts, tuple(sorted(found)))


def around(generation: OpenGeneration, docid: int, k: int) -> list[int]:
    """Docids of up to `k` papers that a paper cites, and of up to `k` that cite it, the most cited of each first."""
    graph, alive = generation.graph, ~generation.removed

    def most_cited(docids: Docids) -> list[int]:
        others = docids[alive[docids] & (docids != docid)]
        counts = graph.cited_by.offsets[others + 1] - graph.cited_by.offsets[others]
        return [int(one) for one in others[np.argsort(-counts, kind="stable")][:k]]

    return list(dict.fromkeys([*most_cited(graph.cites.of(docid)), *most_cited(graph.cited_by.of(docid))]))
