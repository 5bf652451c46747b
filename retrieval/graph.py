"""What the citation graph knows: papers linked to those that already look right.

The seeds (the best of the lists by text, and what the user cites already) vote for their neighbours in three ways:
what they cite, who cites them, and what is cited together with them. Citeomatic (Bhagavatula et al. 2018) expands its
candidates by the first of these.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from common.arrays import ordered, place_within, places_in
from indexer.citations import CitationGraph
from retrieval.hits import Allowed, Docids, Hits

# Seeds of the graph's own ranking, from the top of the list by text, and how steeply their votes lose weight: as their
# share of the best score, see `seed_weights`, to this power.
SEEDS = 100
SEED_POWER = 3
_FEWEST_SEEDS = 4  # papers of a list that vote at least, if it has so many
# Other seeds, of whose citations only the learned order looks at the rates: many that all weigh the same.
MANY = 200
# The best by text, whose citations say how often a paper is cited within the topic of the query.
TOPIC = 500

Voters = Literal["seeds", "many"]
VOTERS: tuple[Voters, ...] = ("seeds", "many")
KINDS = ("cited_by_seeds", "cites_seeds", "cocited")  # of votes

# A paper cited ten thousand times would bring all its citing papers; this many are enough to count co-citations.
_MAX_CITING_PER_SEED = 300


@dataclass(frozen=True, slots=True)
class Evidence:
    """Which papers may be evidence for a query, by docid."""

    papers: Allowed  # as candidates and seeds: not the query's own, and nothing newer
    citing: Allowed  # whose reference lists count: of these, what is known to be older than a query with a year


@dataclass(frozen=True, slots=True)
class Seeds:
    """Papers that vote."""

    docids: Docids  # (s,)
    weights: NDArray[np.float64]  # (s,) from 0 to 1


@dataclass(frozen=True, slots=True)
class GraphEvidence:
    """Votes of the seeds for every paper that they touch; papers ascending."""

    docids: Docids  # (n,)
    # (n, 3) in the order of KINDS: the sum of the weights of the seeds that cite it; of weight / √(citations of the
    # seed) over the seeds that it cites; and over other seeds of weight × (papers that cite both) / √(citations of seed
    # × of it).
    votes: NDArray[np.float32]

    def ranked(self, k: int, allowed: Allowed) -> Hits:
        """The graph as a source of candidates: the `k` papers with most votes."""
        votes = sum(self.votes.T.astype(np.float64), np.zeros(len(self.docids)))
        keep = allowed[self.docids] & (votes > 0)
        return Hits.best(self.docids[keep], votes[keep], k)

    def of(self, docids: Docids) -> NDArray[np.float32]:
        """Votes for given papers in the order of KINDS, shape (len(docids), 3); zeros if untouched."""
        places, found = places_in(docids, self.docids)
        of = np.zeros((len(docids), len(KINDS)), np.float32)
        of[found] = self.votes[places[found]]
        return of


def seed_weights(seeds: Docids, hits: Sequence[Hits]) -> NDArray[np.float64]:
    """How much the votes of `seeds`, shape (s,), are worth by the lists that found them, from 0 to 1.

    A source gives its best papers 1, the paper at a quarter of its list and all below 0, others in proportion to their
    scores; the mean over sources, to the power `SEED_POWER`. Scores show how far a list stays on the topic, ranks do
    not: of an index that holds ten papers on it, the hundredth is about something else. Of fewer than 20 papers it is
    the fifth instead; where there is none, or it is as good as the best, nothing is taken off the scores.
    """
    shares = np.zeros(len(seeds))
    asked = [found for found in hits if len(found)]
    for found in asked:
        scores = found.scores.astype(np.float64)
        place = max(len(scores) // 4, _FEWEST_SEEDS)
        least = scores[place] if place < len(scores) and scores[place] < scores[0] else 0.0
        share = np.clip((scores - least) / max(scores[0] - least, 1e-9), 0, 1)
        order = np.argsort(found.docids)
        places, met = places_in(seeds, found.docids[order])
        shares[met] += share[order[places[met]]] / len(asked)
    return shares**SEED_POWER


def seeds_of(by_text: Hits, sources: Sequence[Hits], own: Docids) -> dict[Voters, Seeds]:
    """The seeds of all kinds for one query.

    Args:
        by_text: Papers by text, best first: BM25 and vectors fused.
        sources: The lists that `by_text` is fused from.
        own: What the query cites or likes: these vote among seeds of every kind, and weigh as the best of them.
    """

    def with_own(docids: Docids, weights: NDArray[np.float64]) -> Seeds:
        return Seeds(np.concatenate([docids, own]).astype(np.int32), np.concatenate([weights, np.ones(len(own))]))

    best, many = by_text.docids[:SEEDS], by_text.docids[:MANY]
    return {"seeds": with_own(best, seed_weights(best, sources)), "many": with_own(many, np.ones(len(many)))}


def votes_of(graph: CitationGraph, by_text: Hits, seeds: Seeds, evidence: Evidence, citing: Allowed) -> GraphEvidence:
    """Votes of the seeds of one query, on its topic.

    Args:
        graph: All citations.
        by_text: Papers by text, best first.
        seeds: Those of `seeds_of` that weigh differently.
        evidence: See `gather_evidence`, for the topic.
        citing: Which seeds' reference lists count, see `citing_of`.
    """
    topic = topic_of(graph, by_text.docids[:TOPIC], seeds.docids, evidence)
    return gather_evidence(graph, seeds.docids, seeds.weights, Evidence(evidence.papers, citing), topic)


def citing_of(evidence: Evidence, own: Docids) -> Allowed:
    """Whose reference lists count, with those of `own`: the writer has read these, of whatever year they are."""
    citing = evidence.citing.copy()
    citing[own] = True
    return citing


def cites_something(graph: CitationGraph, docids: Docids, citing: Allowed) -> NDArray[np.bool_]:
    """Which of `docids` have a reference list that is known, and counts by `citing`; in their shape."""
    offsets = graph.cites.offsets
    return citing[docids] & (offsets[docids + 1] > offsets[docids])


def topic_of(graph: CitationGraph, best: Docids, seeds: Docids, evidence: Evidence) -> Allowed:
    """Which papers are of the query's topic, by docid: the `best` by text, and what cites two of the `seeds`.

    How often a paper is cited is counted among these. A count over the whole index would say how large the index is and
    what else is in it, and citations from other fields would count against a paper that this topic cites.
    """
    topic = np.zeros(len(evidence.papers), np.bool_)
    topic[best] = True
    _, citing = graph.cited_by.of_all(np.unique(seeds))
    papers, times = np.unique(citing, return_counts=True)
    topic[papers[times >= 2]] = True
    return topic & evidence.citing


def gather_evidence(
    graph: CitationGraph, seeds: Docids, weights: NDArray[np.floating], evidence: Evidence, topic: Allowed | None = None
) -> GraphEvidence:
    """Collect the votes of `seeds`, shape (s,), with their `weights`, shape (s,).

    Only papers in `evidence` take part. Citations of a paper are those by the `topic`, by docid; without it by all.
    """
    topic = evidence.citing if topic is None else topic
    cited_seed, cited = kept(graph.cites.of_all(seeds), evidence.papers)
    counts_as_citing = evidence.citing[seeds[cited_seed]]
    cited_seed, cited = cited_seed[counts_as_citing], cited[counts_as_citing]
    citing_seed, citing = kept(graph.cited_by.of_all(seeds), evidence.citing)
    degree_of_seed = np.maximum(np.bincount(citing_seed[topic[citing]], minlength=len(seeds)), 1)
    together_seed, together, counts = _cocited(graph, seeds, citing_seed, citing, evidence, topic)
    degree = np.maximum(citation_counts(graph, together, topic), 1)
    shares = counts / np.sqrt(degree_of_seed[together_seed] * degree)
    # What cites a paper that everybody cites need not be about the same.
    shared_by = np.sqrt(np.maximum(np.bincount(citing_seed, minlength=len(seeds)), 1))

    docids, place = np.unique(np.concatenate([cited, citing, together]), return_inverse=True)
    places = np.split(place, np.cumsum([len(cited), len(citing)]))
    amounts = weights[cited_seed], (weights / shared_by)[citing_seed], weights[together_seed] * shares
    votes = [np.bincount(*kind, minlength=len(docids)) for kind in zip(places, amounts, strict=True)]
    return GraphEvidence(docids.astype(np.int32), np.stack(votes, axis=1).astype(np.float32))


def citation_counts(graph: CitationGraph, docids: NDArray[np.integer], citing: Allowed) -> NDArray[np.int64]:
    """How often each paper is cited by papers among `citing`, by docid; shape (len(docids),)."""
    papers, place = np.unique(docids, return_inverse=True)
    positions, found = graph.cited_by.of_all(papers)
    counts = np.bincount(positions[citing[found]], minlength=len(papers))
    return counts[place]


def cited_among(
    graph: CitationGraph, citing: NDArray[np.integer], docids: NDArray[np.integer]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Every citation of one of `docids` by one of `citing`: the positions of both in these, shape (citations,) each."""
    positions, cited = graph.cites.of_all(citing)
    order = np.argsort(docids)
    places, met = places_in(cited, docids[order])
    return positions[met], order[places[met]]


def cited_no_more(graph: CitationGraph, counts: NDArray[np.integer]) -> NDArray[np.float64]:
    """For each of `counts` of citations, which share of the papers that are cited at all is cited no more often."""
    every = np.diff(graph.cited_by.offsets)
    known = np.sort(every[every > 0])
    return np.searchsorted(known, counts, "right") / max(len(known), 1)


Edges = tuple[NDArray[np.int64], Docids]


def kept(edges: Edges, allowed: Allowed) -> Edges:
    """What of `Adjacency.of_all` leads to papers that are `allowed`."""
    positions, papers = edges
    keep = allowed[papers]
    return positions[keep], papers[keep]


def _cocited(
    graph: CitationGraph,
    seeds: Docids,
    citing_seed: NDArray[np.int64],
    citing: Docids,
    evidence: Evidence,
    topic: Allowed,
) -> tuple[NDArray[np.int64], Docids, NDArray[np.int64]]:
    """(seed position, another paper, number of papers that cite both) for every pair that is cited together."""
    order = np.lexsort((citing, ~topic[citing], citing_seed))  # of too many citing papers, those of the topic
    citing_seed, citing = citing_seed[order], citing[order]
    few = place_within(citing_seed) < _MAX_CITING_PER_SEED
    positions, papers = kept(graph.cites.of_all(citing[few]), evidence.papers)
    places = citing_seed[few][positions]
    others = papers != seeds[places]
    pairs, counts = np.unique(ordered(places[others], papers[others]), return_counts=True)
    return pairs >> 32, (pairs & 0xFFFFFFFF).astype(np.int32), counts
