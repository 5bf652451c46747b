"""Candidates for one place of a paper, and what the sentence, the draft and its other citations say of them.

Local citation recommendation (He et al., WWW 2010). The sentence and the draft each find papers by BM25 and by vectors.
What these papers cite, and what is cited with them, are candidates too, and so is what is linked with the papers that
the draft cites already.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.arrays import place_within, places_in, unit_rows
from indexer.citations import CitationGraph
from retrieval.citation_marks import near_marks
from retrieval.dense import Dense
from retrieval.forms import bag
from retrieval.graph import KINDS, Evidence, GraphEvidence, citing_of, gather_evidence, kept, seed_weights
from retrieval.hits import Allowed, Docids, Hits
from retrieval.interface import SparseRetriever
from retrieval.query import Query

Column = NDArray[np.float32]  # (n,) of the candidates

SEEDS = 200  # papers by text that vote, for the sentence and for the draft
VOTED = 400  # candidates by each kind of votes
TIMES_NEAR = 3  # words near the mark of a citation count so often
# Papers citing a candidate whose vectors are compared with sentence and draft, and of an own citation.
CITERS, OWN_CITERS = 30, 300
# Own citations near the sentence say more of what is wanted: they weigh exp(SHARPNESS × cosine).
SHARPNESS = 8.0

# Columns of cosines, and the vector that each is with.
_COMPARED = {
    "cosine": "context",
    "draft_cosine": "draft",
    "projected": "context projected",
    "draft_projected": "draft projected",
    "both_projected": "both projected",
    "learned": "learned",
}

VOTERS = ("context", "draft", "both", "own")
# What is known of each candidate; zeros of a source that was not asked, NaN where the query has no such part.
COLUMNS = (
    *("bm25", "near", "cosine", "draft_bm25", "draft_cosine", "own_cosine", "own_near", "nearest_citer"),
    *("projected", "draft_projected", "both_projected", "learned"),
    *(f"{voters}_{kind}" for voters in VOTERS for kind in KINDS),
    *("own_coupling", "recent"),
)


@dataclass(frozen=True, slots=True)
class ContextParts:
    """A query with a context as it is searched for."""

    sentence: dict[str, float]  # analysed terms and how often they stand in the context
    near: dict[str, float]  # the same, those near a mark counted `TIMES_NEAR` times
    draft: dict[str, float]  # of title and abstract; empty where there are none

    @classmethod
    def of(cls, query: Query, bm25: SparseRetriever) -> ContextParts:
        """Analysed as the index is."""
        sentence = bag(bm25.terms(query.wanted.abstract))
        near = dict(sentence)
        for text in near_marks(query.sentence):
            for term in bm25.terms(text):
                near[term] = near.get(term, 0.0) + TIMES_NEAR - 1
        return cls(sentence, near, bag(bm25.terms(query.text.joined())))


@dataclass(frozen=True, slots=True)
class ContextCandidates:
    """All candidates of a context, and what is known of them."""

    docids: Docids  # (n,), ascending
    hits: dict[str, Hits]  # of the sentence: bm25 and dense; and what the graph adds
    lists: dict[str, Hits]  # those, and of the words near the mark and of the draft
    columns: Mapping[str, Column]  # by name in COLUMNS


class ContextSearch:
    """Finds them in one index; for one query."""

    def __init__(self, graph: CitationGraph, dense: Dense | None, evidence: Evidence, allowed: Allowed) -> None:
        """Among `allowed` papers, by what `evidence` says."""
        self._graph = graph
        self._dense = dense
        self._evidence = evidence
        self._allowed = allowed

    def candidates(
        self,
        lists: dict[str, Hits],
        vectors: Mapping[str, NDArray[np.float32]],
        own: Docids,
        follows_citations: bool,
        depth: int,
    ) -> ContextCandidates:
        """The candidates.

        Args:
            lists: Papers by text, among "bm25", "dense" (of the sentence), "near", "projected", "draft bm25", "draft
                dense"; missing where not asked.
            vectors: See `text_vectors`; none without vectors.
            own: Papers that the draft cites.
            follows_citations: Whether the graph is asked.
            depth: Of each list as it votes; what stands behind are candidates alone.
        """
        columns: dict[str, Column] = {}
        voting = {name: hits.first(depth) for name, hits in lists.items()}
        votes = self._votes(voting, own) if follows_citations else {}
        linked = [each.ranked(VOTED, self._allowed) for each in votes.values()]
        coupled = self._coupled(own) if follows_citations and len(own) else Hits.none()
        found = [hits.docids for hits in (*lists.values(), *linked, coupled.first(VOTED))]
        docids = np.unique(np.concatenate(found)) if found else np.zeros(0, np.int32)
        missing = np.full(len(docids), np.nan, np.float32)
        for name, source in (("bm25", "bm25"), ("near", "near"), ("draft_bm25", "draft bm25")):
            columns[name] = _scores(docids, lists[source]) if source in lists else missing
        for voters in VOTERS:
            kinds = votes[voters].of(docids) if voters in votes else None
            for place, kind in enumerate(KINDS):
                columns[f"{voters}_{kind}"] = missing if kinds is None else kinds[:, place]
        columns["own_coupling"] = _scores(docids, coupled) if len(own) and follows_citations else missing
        columns |= self._near_in_meaning(docids, vectors, own, missing)
        hits: dict[str, Hits] = {name: lists[name] for name in ("bm25", "dense") if name in lists}
        if follows_citations:
            hits["graph"] = _mean_share(linked)
        return ContextCandidates(docids.astype(np.int32), hits, lists, columns)

    def _votes(self, lists: Mapping[str, Hits], own: Docids) -> dict[str, GraphEvidence]:
        """Votes of the best papers for the sentence, for the draft, for both, and of the own citations."""
        seeds: dict[str, tuple[Docids, NDArray[np.float64]]] = {}
        for voters, names in (("context", ("bm25", "dense")), ("draft", ("draft bm25", "draft dense"))):
            asked = [lists[name] for name in names if name in lists]
            if any(len(hits) for hits in asked):
                seeds[voters] = _seeds(asked)
        if len(seeds) == 2:
            docids = np.unique(np.concatenate([one for one, _ in seeds.values()]))
            weights = np.zeros(len(docids))
            for one, weight in seeds.values():
                weights[np.searchsorted(docids, one)] += weight / 2
            seeds["both"] = docids, weights
        found = {
            voters: gather_evidence(self._graph, docids, weights, self._evidence)
            for voters, (docids, weights) in seeds.items()
        }
        if len(own):
            own_evidence = Evidence(self._evidence.papers, citing_of(self._evidence, own))
            found["own"] = gather_evidence(self._graph, own, np.full(len(own), 1 / len(own)), own_evidence)
        return found

    def _coupled(self, own: Docids) -> Hits:
        """What is cited by papers that share citations with the draft, each worth more the more of them it shares.

        A paper that cites c of the own citations and r papers in all is worth c ** 1.5 / √(r + 5): two papers on the
        same matter share several citations (bibliographic coupling, Kessler 1963).
        """
        place, citing = kept(self._graph.cited_by.of_all(own), self._evidence.citing)
        papers, shared = np.unique(citing[place_within(place) < OWN_CITERS], return_counts=True)
        of, cited = self._graph.cites.of_all(papers)
        worth = shared**1.5 / np.sqrt(np.bincount(of, minlength=len(papers)) + 5.0)
        keep = self._allowed[cited]
        docids, where = np.unique(cited[keep], return_inverse=True)
        votes = np.asarray(np.bincount(where, worth[of[keep]], len(docids)), np.float64)
        return Hits.best(docids, votes, len(docids))

    def _near_in_meaning(
        self, docids: Docids, vectors: Mapping[str, NDArray[np.float32]], own: Docids, missing: Column
    ) -> dict[str, Column]:
        """Cosines of the candidates, and of the papers that cite them, with the sentence and the draft."""
        found = dict.fromkeys((*_COMPARED, "own_cosine", "own_near", "nearest_citer"), missing)
        if self._dense is None or not vectors or not len(docids):
            return found
        directions = {column: vectors[name] for column, name in _COMPARED.items() if name in vectors}
        if len(own):
            near = self._dense.cosines(vectors["context"][None], own)[:, 0]
            directions["own_cosine"] = self._dense.centre(own)
            directions["own_near"] = self._dense.centre(own, np.exp(SHARPNESS * (near - near.max())))
        cosines = self._dense.cosines(np.stack(list(directions.values())), docids)
        found |= {name: cosines[:, place] for place, name in enumerate(directions)}
        return found | {"nearest_citer": self._nearest_citer(self._dense, docids, vectors["both"])}

    def _nearest_citer(self, dense: Dense, docids: Docids, vector: NDArray[np.float32]) -> Column:
        """How near the nearest paper is that cites each candidate; 0 where nothing cites it."""
        place, citing = self._sampled_citers(docids)
        nearest = np.zeros(len(docids), np.float32)
        if len(citing):
            papers, where = np.unique(citing, return_inverse=True)
            near = dense.cosines(vector[None], papers)[:, 0]
            cited, first = np.unique(place, return_index=True)
            nearest[cited] = np.maximum(np.maximum.reduceat(near[where], first), 0)
        return nearest

    def _sampled_citers(self, docids: Docids) -> tuple[NDArray[np.int64], Docids]:
        """(position of a candidate, a paper that cites it) for at most `CITERS` of each."""
        place, citing = kept(self._graph.cited_by.of_all(docids), self._evidence.citing)
        count = np.bincount(place, minlength=len(docids))
        step = np.maximum(-(-count // CITERS), 1)[place]  # spread evenly over them
        few = place_within(place) % step == 0
        return place[few], citing[few]


def text_lists(
    parts: ContextParts,
    search: Callable[[dict[str, float]], Hits] | None,
    nearest: Callable[[NDArray[np.float32]], Hits] | None,
    vectors: Mapping[str, NDArray[np.float32]],
) -> dict[str, Hits]:
    """Papers by text for `ContextSearch.candidates`: `search` is BM25's, `nearest` that of vectors, None if unasked."""
    lists: dict[str, Hits] = {}
    if search:
        lists["bm25"] = search(parts.sentence)
        lists["near"] = search(parts.near) if parts.near != parts.sentence else lists["bm25"]
        if parts.draft:
            lists["draft bm25"] = search(parts.draft)
    if nearest:
        projected = "learned" if "learned" in vectors else "both projected"
        lists |= {
            name: nearest(vectors[part])
            for name, part in (("dense", "context"), ("draft dense", "draft"), ("projected", projected))
            if part in vectors
        }
    return lists


def text_vectors(
    dense: Dense,
    context: NDArray[np.float32],
    draft: NDArray[np.float32] | None,
    sentence: NDArray[np.float32] | None,
) -> dict[str, NDArray[np.float32]]:
    """Vectors of the "context", of the "draft" if there is any text of it, and of "both", their middle.

    Then where the index looks for what such texts cite: "context projected", "draft projected" and "both projected".
    With a vector by `Dense.sentence_vector`, "learned" is the middle of the last one and of where that one leads.
    """
    found = {"context": context} if draft is None else {"context": context, "draft": draft}
    projected = dense.projected(np.stack(list(found.values())))
    both = unit_rows(projected.sum(axis=0, keepdims=True))
    learned = {} if sentence is None else {"learned": unit_rows(both + dense.projected(sentence[None]))[0]}
    return {
        **found,
        "both": unit_rows(np.sum(list(found.values()), axis=0, keepdims=True))[0],
        **{f"{name} projected": vector for name, vector in zip(found, projected, strict=True)},
        "both projected": both[0],
        **learned,
    }


def _mean_share(linked: Sequence[Hits]) -> Hits:
    """The graph as one source: the mean over voters of the share of their most voted paper."""
    listed = [hits for hits in linked if len(hits)]
    if not listed:
        return Hits.none()
    docids, where = np.unique(np.concatenate([hits.docids for hits in listed]), return_inverse=True)
    shares = np.concatenate([hits.scores / hits.scores[0] for hits in listed])
    return Hits.best(docids, np.bincount(where, shares, len(docids)) / len(listed), VOTED)


def _seeds(lists: Sequence[Hits]) -> tuple[Docids, NDArray[np.float64]]:
    """The papers that vote, and what their votes weigh, by the lists that found them."""
    docids = np.unique(np.concatenate([hits.docids[:SEEDS] for hits in lists]))
    weights = seed_weights(docids, lists)
    best = np.sort(np.lexsort((docids, -weights))[:SEEDS])
    return docids[best], weights[best]


def _scores(docids: Docids, hits: Hits) -> Column:
    """Scores of `docids`, ascending, in a list; 0 where it lacks them."""
    scores = np.zeros(len(docids), np.float32)
    places, found = places_in(hits.docids, docids)
    scores[places[found]] = hits.scores[found]
    return scores
