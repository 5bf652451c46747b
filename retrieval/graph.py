"""What the citation graph knows: papers linked to those that already look right.

The seeds (the best of the fused list, and what the user cites already) vote for their neighbours in three ways:
what they cite, who cites them, and what is cited together with them. Citeomatic (Bhagavatula et al. 2018) expands its
candidates by the first of these.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.citations import CitationGraph
from retrieval.hits import Allowed, Hits, Numbers

# A paper cited ten thousand times would bring all its citing papers; this many are enough to count co-citations.
_MAX_CITING_PER_SEED = 300

# How much one unit of each kind of vote is worth in the graph's own ranking. See docs/experiments.md.
VOTE_WEIGHTS = {"cited_by_seeds": 1.0, "cites_seeds": 0.5, "cocited": 1.0}

Votes = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class GraphEvidence:
    """Votes of the seeds for every paper that they touch; papers ascending."""

    numbers: Numbers  # (n,)
    cited_by_seeds: Votes  # (n,) sum of the weights of the seeds that cite it
    cites_seeds: Votes  # (n,) sum of the weights of the seeds that it cites
    cocited: Votes  # (n,) sum over seeds of weight × (papers that cite both) / √(citations of seed × of it)

    def total(self) -> NDArray[np.float64]:
        """All votes together, shape (n,)."""
        return sum((getattr(self, kind) * weight for kind, weight in VOTE_WEIGHTS.items()), np.zeros(len(self.numbers)))

    def ranked(self, k: int, allowed: Allowed) -> Hits:
        """The graph as a source of candidates: the `k` papers with most votes."""
        keep = allowed[self.numbers]
        return Hits.best(self.numbers[keep], self.total()[keep], k)

    def of(self, numbers: Numbers) -> NDArray[np.float32]:
        """(cited_by_seeds, cites_seeds, cocited) of given papers, shape (len(numbers), 3); zeros if untouched."""
        votes = np.stack([self.cited_by_seeds, self.cites_seeds, self.cocited], axis=1)
        if not len(self.numbers):
            return np.zeros((len(numbers), 3), np.float32)
        places = np.minimum(np.searchsorted(self.numbers, numbers), len(self.numbers) - 1)
        found = self.numbers[places] == numbers
        return np.where(found[:, None], votes[places], 0).astype(np.float32)


def gather_evidence(
    graph: CitationGraph, seeds: Numbers, weights: NDArray[np.floating], evidence: Allowed
) -> GraphEvidence:
    """Collect the votes of `seeds`, shape (s,), with their `weights`, shape (s,).

    Only papers in `evidence` take part: not the query's own paper, and nothing newer than the query.
    """
    cited_seed, cited = _kept(graph.cites.of_all(seeds), evidence)
    citing_seed, citing = _kept(graph.cited_by.of_all(seeds), evidence)
    together_seed, together, counts = _cocited(graph, len(seeds), citing_seed, citing, evidence)
    degree_of_seed = np.bincount(citing_seed, minlength=len(seeds))
    degree = citation_counts(graph, together, evidence)
    shares = counts / np.sqrt(np.maximum(degree_of_seed[together_seed], 1) * np.maximum(degree, 1))

    numbers, place = np.unique(np.concatenate([cited, citing, together]), return_inverse=True)
    cited_place, citing_place, together_place = np.split(place, np.cumsum([len(cited), len(citing)]))

    def votes(places: NDArray[np.integer], amounts: NDArray[np.floating]) -> Votes:
        return np.bincount(places, amounts, minlength=len(numbers)).astype(np.float32)

    return GraphEvidence(
        numbers=numbers.astype(np.int32),
        cited_by_seeds=votes(cited_place, weights[cited_seed]),
        cites_seeds=votes(citing_place, weights[citing_seed]),
        cocited=votes(together_place, weights[together_seed] * shares),
    )


def citation_counts(graph: CitationGraph, numbers: NDArray[np.integer], evidence: Allowed) -> NDArray[np.int64]:
    """How often each paper is cited by papers in `evidence`, shape (len(numbers),)."""
    papers, place = np.unique(numbers, return_inverse=True)
    positions, citing = graph.cited_by.of_all(papers)
    counts = np.bincount(positions[evidence[citing]], minlength=len(papers))
    return counts[place]


Edges = tuple[NDArray[np.int64], Numbers]


def _kept(edges: Edges, evidence: Allowed) -> Edges:
    positions, papers = edges
    keep = evidence[papers]
    return positions[keep], papers[keep]


def _cocited(
    graph: CitationGraph, seeds: int, citing_seed: NDArray[np.int64], citing: Numbers, evidence: Allowed
) -> tuple[NDArray[np.int64], Numbers, NDArray[np.int64]]:
    """(seed position, paper, number of papers that cite both) for every pair that is cited together."""
    starts = np.searchsorted(citing_seed, np.arange(seeds))
    within = np.arange(len(citing)) - starts[citing_seed]
    few = within < _MAX_CITING_PER_SEED
    positions, papers = _kept(graph.cites.of_all(citing[few]), evidence)
    seed = citing_seed[few][positions]
    pairs, counts = np.unique(np.stack([seed, papers]), axis=1, return_counts=True)
    return pairs[0], pairs[1].astype(np.int32), counts
