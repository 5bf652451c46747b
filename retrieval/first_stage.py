"""The first stage: BM25, dense vectors and the citation graph, fused into one pool of candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from encoders.transformer import TextEncoder
from indexer.citations import load_array
from indexer.generations import OpenGeneration
from indexer.layout import LAYOUT
from retrieval.bm25 import ABSTRACTS, Bm25, Bm25Parameters
from retrieval.dense import Dense
from retrieval.forms import QueryForm, form_weights
from retrieval.fusion import reciprocal_rank_fusion
from retrieval.graph import GraphEvidence, citation_counts, gather_evidence
from retrieval.hits import Allowed, Hits, Numbers
from retrieval.query import Query

Source = Literal["bm25", "dense", "graph"]
SOURCES: tuple[Source, ...] = ("bm25", "dense", "graph")

# Seeds of the graph expansion, from the top of the fused list, and how steeply their votes lose weight down the list:
# as the fused score to this power.
SEEDS = 100
SEED_POWER = 3


@dataclass(frozen=True, slots=True)
class FirstStageOptions:
    """What the first stage looks at, and how deep."""

    sources: tuple[Source, ...] = SOURCES
    depth: int = 1000  # candidates a source
    query_form: QueryForm = "title+abstract"
    bm25: Bm25Parameters = ABSTRACTS


@dataclass(frozen=True, slots=True)
class Pool:
    """All candidates of one query, best first, with everything that the sources said of them."""

    numbers: Numbers  # (n,)
    fused: NDArray[np.float32]  # (n,) reciprocal rank sum, descending
    hits: dict[str, Hits]  # of each source that was asked
    term_weights: dict[str, float]  # the BM25 query: analysed terms and how often they stand in it
    cosines: NDArray[np.float32]  # (n,) with the query's vector; NaN without a dense source
    votes: NDArray[np.float32]  # (n, 3) cited by seeds, cites seeds, cocited; zeros without the graph
    citations: NDArray[np.int64]  # (n,) how often each is cited by papers that may serve as evidence
    years: NDArray[np.int16]  # (n,) 0 where unknown
    ranks: dict[str, NDArray[np.int32]] = field(default_factory=dict)  # by source: rank from 1, 0 where not found
    scores: dict[str, NDArray[np.float32]] = field(default_factory=dict)  # by source: score, NaN where not found

    def __len__(self) -> int:
        return len(self.numbers)


class FirstStage:
    """Finds candidates in one generation of an index; safe to share between threads."""

    def __init__(self, generation: OpenGeneration, encoder: TextEncoder | None) -> None:
        """Open the retrievers. Without an encoder (or vectors) there is no dense source."""
        self._generation = generation
        folder = generation.folder
        self.bm25 = Bm25(folder / LAYOUT.bm25.path, load_array(folder / LAYOUT.bm25_numbers.path))
        self.dense = Dense(folder / LAYOUT.vectors.path, encoder) if encoder else None

    def candidates(
        self,
        query: Query,
        options: FirstStageOptions,
        vector: NDArray[np.float32] | None = None,
        copies: Sequence[int] = (),
    ) -> Pool:
        """The pool for one query; `vector` is its embedding where the caller has it already.

        `copies` are the numbers of papers that are the query's own under other ids.

        Raises:
            QueryError: the query has no text.
        """
        query.checked()
        evidence, allowed = self._masks(query, copies)
        weights = form_weights(query.text, options.query_form, self.bm25)
        hits: dict[str, Hits] = {}
        if "bm25" in options.sources:
            hits["bm25"] = self.bm25.search(weights, options.depth, allowed, options.bm25)
        if self.dense and vector is None:
            vector = self.dense.vectors([query.text])[0]
        if self.dense and vector is not None and "dense" in options.sources:
            hits["dense"] = self.dense.search(vector, options.depth, allowed)
        votes: GraphEvidence | None = None
        if "graph" in options.sources:
            votes = self._graph_votes(query, reciprocal_rank_fusion(hits), evidence)
            hits["graph"] = votes.ranked(options.depth, allowed)
        fused = reciprocal_rank_fusion(hits)
        return self._pool(fused, hits, weights, vector, votes, evidence)

    def close(self) -> None:
        """Let Lucene's files go."""
        self.bm25.close()

    def _masks(self, query: Query, copies: Sequence[int]) -> tuple[Allowed, Allowed]:
        """By paper: may it serve as evidence; may it be recommended."""
        evidence = ~self._generation.removed
        if query.year is not None:
            evidence &= self._generation.years <= query.year
        known = self._generation.catalog.numbers([query.id, *query.already_cited])
        if query.id in known:
            evidence[known[query.id]] = False
        evidence[list(copies)] = False
        allowed = evidence.copy()
        allowed[[known[cited] for cited in query.already_cited if cited in known]] = False
        return evidence, allowed

    def _graph_votes(self, query: Query, fused: Hits, evidence: Allowed) -> GraphEvidence:
        seeds, weights = fused.numbers[:SEEDS], fused.scores[:SEEDS].astype(np.float64)
        if len(weights):
            weights = (weights / weights[0]) ** SEED_POWER
        cited = self._generation.catalog.numbers(query.already_cited).values()
        own = np.asarray([number for number in cited if evidence[number]], np.int32)
        return gather_evidence(
            self._generation.graph,
            np.concatenate([seeds, own]).astype(np.int32),
            np.concatenate([weights, np.ones(len(own))]),
            evidence,
        )

    def _pool(
        self,
        fused: Hits,
        hits: dict[str, Hits],
        weights: dict[str, float],
        vector: NDArray[np.float32] | None,
        votes: GraphEvidence | None,
        evidence: Allowed,
    ) -> Pool:
        numbers = fused.numbers
        count = len(numbers)
        cosines = (
            self.dense.cosines(vector, numbers)
            if self.dense and vector is not None
            else np.full(count, np.nan, np.float32)
        )
        pool = Pool(
            numbers=numbers,
            fused=fused.scores,
            hits=hits,
            term_weights=weights,
            cosines=cosines,
            votes=votes.of(numbers) if votes else np.zeros((count, 3), np.float32),
            citations=citation_counts(self._generation.graph, numbers, evidence),
            years=self._generation.years[numbers],
        )
        order = np.argsort(numbers)
        for source, found in hits.items():
            places = order[np.searchsorted(numbers, found.numbers, sorter=order)]
            pool.ranks[source] = np.zeros(count, np.int32)
            pool.ranks[source][places] = np.arange(1, len(found) + 1)
            pool.scores[source] = np.full(count, np.nan, np.float32)
            pool.scores[source][places] = found.scores
        return pool
