"""What the citation graph knows: papers linked to those that already look right.

The seeds (the best of the lists by text, and what the user cites already) vote for their neighbours in three ways:
what they cite, who cites them, and what is cited together with them. Citeomatic (Bhagavatula et al. 2018) expands its
candidates by the first of these.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from indexer.citations import CitationGraph
from retrieval.hits import Allowed, Hits, Numbers

# Seeds of the graph's own ranking, from the top of the list by text, and how steeply their votes lose weight down the
# list: as the fused score to this power.
SEEDS = 100
SEED_POWER = 3
# Other seeds, whose votes only the blend hears: the few and the many best that all weigh the same, and those nearest
# by vector, weighing as their cosine to this power.
FEW, MANY, NEAR = 10, 200, 100
COSINE_POWER = 8

Voters = Literal["seeds", "few", "many", "near"]
VOTERS: tuple[Voters, ...] = ("seeds", "few", "many", "near")

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


def votes_of(
    graph: CitationGraph, by_text: Hits, near: Hits, own: Numbers, evidence: Allowed
) -> dict[Voters, GraphEvidence]:
    """Votes of all kinds of seeds for one query.

    Args:
        graph: All citations.
        by_text: Papers by text, best first: BM25 and vectors fused.
        near: The nearest by vector, with their cosines.
        own: What the query cites or likes: these vote among seeds of every kind, and weigh as the best of them.
        evidence: See `gather_evidence`.
    """
    steep = (by_text.scores[:SEEDS] / by_text.scores[:1]).astype(np.float64) ** SEED_POWER
    cosines = np.maximum(near.scores[:NEAR], 0).astype(np.float64)
    seeds: dict[Voters, tuple[Numbers, NDArray[np.float64]]] = {
        "seeds": (by_text.numbers[:SEEDS], steep),
        "few": (by_text.numbers[:FEW], np.ones(min(FEW, len(by_text)))),
        "many": (by_text.numbers[:MANY], np.ones(min(MANY, len(by_text)))),
        "near": (near.numbers[:NEAR], (cosines / max(cosines.max(initial=0), 1e-9)) ** COSINE_POWER),
    }
    return {
        voters: gather_evidence(
            graph,
            np.concatenate([numbers, own]).astype(np.int32),
            np.concatenate([weights, np.ones(len(own))]),
            evidence,
        )
        for voters, (numbers, weights) in seeds.items()
    }


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
