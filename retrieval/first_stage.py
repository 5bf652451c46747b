"""BM25, dense vectors and the citation graph, fused into one pool; and what a query may get, by year and citations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from common.stages import stage
from encoders.base import Encoder
from indexer.bm25_parameters import Bm25Parameters
from indexer.citations import there_by
from indexer.generations import OpenGeneration
from indexer.query_map import QueryMap, learn_query_map
from retrieval.citation_rates import Rates, rates_of
from retrieval.citation_regression import expected_of_pool
from retrieval.dense import Dense, rocchio
from retrieval.forms import QueryForm, form_weights
from retrieval.fusion import reciprocal_rank_fusion
from retrieval.graph import (
    KINDS,
    Evidence,
    GraphEvidence,
    Seeds,
    Voters,
    citation_counts,
    cites_something,
    citing_of,
    seeds_of,
    votes_of,
)
from retrieval.hits import Allowed, Docids, Hits, deepened, ranks_and_scores
from retrieval.named import identified_in, named_in
from retrieval.opening import open_dense, open_sparse
from retrieval.query import Query
from retrieval.quoted import quoted_in
from retrieval.rare_words import SHORT, shares_of_rare_words

Source = Literal["bm25", "dense", "graph"]
SOURCES: tuple[Source, ...] = ("bm25", "dense", "graph")
CANDIDATES = 1000  # of each source

# What candidates' vectors are compared with: where the index looks for the query's citations, and the query's vector.
DIRECTIONS = ("projected", "query")

Vector = NDArray[np.float32]  # (dimension,)


@dataclass(frozen=True, slots=True)
class FirstStageOptions:
    """What the first stage looks at, and how deep."""

    sources: Sequence[Source] = SOURCES
    depth: int = CANDIDATES  # of each source
    query_form: QueryForm = "title+abstract"
    bm25: Bm25Parameters | None = None  # None for the index's own
    bm25_terms: int | None = None  # of the query that BM25 searches for, those that weigh most; None for all
    encodes: bool = True  # the query, if there are vectors; without, no cosines
    names: bool = True  # papers that title and abstract name or quote are looked for, too
    wanted: Allowed | None = None  # papers among which each source looks on, as deep once more, behind what it found


@dataclass(frozen=True, slots=True)
class Pool:
    """All candidates of one query, best first, with everything that the sources said of them."""

    docids: Docids  # (n,)
    fused: NDArray[np.float32]  # (n,) reciprocal rank sum, descending
    hits: dict[str, Hits]  # of each source that was asked
    term_weights: dict[str, float]  # the BM25 query: analysed terms and how often they stand in it
    term_idf: dict[str, float]  # inverse document frequency of each of them; 0 where no other paper holds it
    rarest_idf: float  # what a term weighs that hardly a paper holds
    rare_words: NDArray[np.float32]  # (n,) as `retrieval.rare_words`; zeros where these are not looked for
    cosines: NDArray[np.float32]  # (n, len(DIRECTIONS)); NaN without a dense source
    votes: NDArray[np.float32]  # (n, 3) as `retrieval.graph.KINDS`; zeros without the graph
    rates: dict[Voters, Rates]  # (n, 2) as `retrieval.citation_rates.RATES`; empty without the graph
    expected: NDArray[np.float32]  # (n,) as `retrieval.citation_regression`; NaN without text, the graph or examples
    citations: NDArray[np.int64]  # (n,) how often each is cited by papers that may serve as evidence
    years: NDArray[np.int16]  # (n,) 0 where unknown
    evidence: Evidence  # what may be evidence for the query
    own: Docids  # what the query cites or likes, of that
    cites: NDArray[np.bool_]  # (n,) whether its reference list is known and may be evidence; none without the graph
    text_ranks: NDArray[np.int32]  # (n,) rank from 1 in the list of BM25 and vectors fused, 0 where not found
    ranks: dict[str, NDArray[np.int32]]  # by source: (n,) rank from 1, 0 where not found
    scores: dict[str, NDArray[np.float32]]  # by source: (n,) score, NaN where not found
    context: Mapping[str, NDArray[np.float32]] | None = None  # of a query with one: `retrieval.context.COLUMNS`
    named: frozenset[int] = frozenset()  # what the query's text names or quotes; of a context, also if cited already
    quoted: frozenset[int] = frozenset()  # of these, papers of which it repeats a passage
    copies: Sequence[int] = ()  # other records of the query's own paper, which are no candidates

    def __len__(self) -> int:
        return len(self.docids)


class FirstStage:
    """Finds candidates in one generation of an index; safe to share between threads."""

    def __init__(self, generation: OpenGeneration, encoder: Encoder | Future[Encoder | None] | None) -> None:
        """Open the retrievers. Without an encoder (or vectors) there is no dense source; one may still be loading."""
        self.generation = generation
        self._there_by = there_by(generation.graph, generation.years)
        self.bm25 = open_sparse(generation)
        try:
            loaded = encoder.result() if isinstance(encoder, Future) else encoder
            self.dense = open_dense(generation, loaded) if loaded else None
        except BaseException:
            self.bm25.close()
            raise

    def vectors(self, queries: Sequence[Query]) -> Sequence[Vector | None]:
        """The vector of each query (of its context, where it has one); None where there are no vectors."""
        texts = [query.wanted for query in queries]
        with stage("encoder"):
            return list(self.dense.vectors(texts)) if self.dense else [None] * len(texts)

    def candidates(
        self,
        query: Query,
        options: FirstStageOptions,
        copies: Sequence[int] = (),
        vector: Vector | None = None,
    ) -> Pool:
        """The pool for one query; `copies` are the docids of papers that are the query's own under other ids.

        `vector` is the query's, where it is known already.
        """
        evidence, allowed = self.masks(query, copies)
        text, catalog = query.text.joined() if options.names else "", self.generation.catalog
        identified = identified_in(text, catalog, allowed)
        if len(identified):  # what is near them is asked for
            query = replace(query, liked=(*query.liked, *catalog.ids(identified)))
        own = self.own(query, evidence)
        weights = form_weights(query.text, options.query_form, self.bm25)
        hits, vector, projected = self._by_text(query, options, weights, allowed, vector)
        by_text = fused = reciprocal_rank_fusion(hits)
        graph, years = self.generation.graph, self.generation.years
        votes: GraphEvidence | None = None
        seeds, citing = dict[Voters, Seeds](), evidence.citing
        if "graph" in options.sources:
            with stage("graph"):
                voting = {source: found.first(options.depth) for source, found in hits.items()}  # whatever is `wanted`
                first = by_text if options.wanted is None else reciprocal_rank_fusion(voting)
                seeds, citing = seeds_of(first, list(voting.values()), own), citing_of(evidence, own)
                votes = votes_of(graph, first, seeds["seeds"], evidence, citing)
                hits["graph"] = deepened(partial(votes.ranked, options.depth), allowed, options.wanted)
            fused = reciprocal_rank_fusion(hits)
        named = named_in(text, self.generation, self.bm25, evidence, allowed, own)
        quoted = quoted_in(text, hits.get("bm25", Hits.none()).docids, catalog, self.bm25, allowed)
        named = np.union1d(named[allowed[named]], np.union1d(identified, quoted))
        docids = np.concatenate([fused.docids, np.setdiff1d(named, fused.docids)])
        cites = cites_something(graph, docids, citing) if seeds else np.zeros(len(docids), np.bool_)
        ranks, scores = ranks_and_scores(docids, hits)
        cosines = self._cosines(vector, projected, docids)
        idf = self.term_idf(weights, query)
        looked_up = idf if "bm25" in hits and len(idf) <= SHORT else {}
        return Pool(
            docids=docids,
            fused=np.pad(fused.scores, (0, len(docids) - len(fused.docids))),
            hits=hits,
            term_weights=weights,
            term_idf=idf,
            rarest_idf=float(np.log1p(self.bm25.documents)),
            rare_words=shares_of_rare_words(looked_up, self.bm25, docids),
            cosines=cosines,
            votes=votes.of(docids) if votes else np.zeros((len(docids), len(KINDS)), np.float32),
            rates=rates_of(graph, years, seeds, citing, docids),
            expected=expected_of_pool(
                graph, self.dense, docids, cites, cosines[:, DIRECTIONS.index("query")], scores.get("bm25")
            ),
            citations=citation_counts(graph, docids, evidence.citing),
            years=years[docids],
            evidence=evidence,
            own=own,
            cites=cites,
            text_ranks=ranks_and_scores(docids, {"text": by_text})[0]["text"],
            ranks=ranks,
            scores=scores,
            named=frozenset(named.tolist()),
            quoted=frozenset(quoted.tolist()),
            copies=copies,
        )

    def without_citations_of(self, papers: Docids, copies: Docids, of_any_age: bool = False) -> FirstStage:
        """The same files, but where queries are looked for is learnt from what papers before the oldest of these cite.

        Never from what they or `copies` cite; where the years of all are unknown, or `of_any_age`, from all others.
        """
        left_out = np.union1d(papers, copies)
        if self.dense is None or self.dense.query_map is None or not len(left_out):
            return self
        graph, years = self.generation.graph, self.generation.years
        known = years[papers][years[papers] > 0]
        before = int(known.min()) if len(known) and not of_any_age else None
        return self._with_query_map(learn_query_map(self.dense.documents, graph, years, left_out, before))

    def without_query_map(self) -> FirstStage:
        """The same files, but queries are looked for where the encoder puts them."""
        return self._with_query_map(None)

    def without_newest_lists(self, years: int) -> FirstStage:
        """The same files, as if what papers cite were known so many years later: it counts for queries with a year."""
        view = copy(self)
        view._there_by = self._there_by + np.int16(years)
        return view

    def _with_query_map(self, query_map: QueryMap | None) -> FirstStage:
        view = copy(self)
        view.dense = self.dense.with_query_map(query_map) if self.dense else None
        return view

    def evidence(self, query: Query, copies: Sequence[int] = ()) -> Evidence:
        """Which papers may be evidence for a query."""
        return self.masks(query, copies)[0]

    def close(self) -> None:
        """Let the files and connections go."""
        self.bm25.close()
        if self.dense:
            self.dense.close()

    def term_idf(self, terms: Iterable[str], query: Query) -> dict[str, float]:
        """Inverse document frequencies; 0 of terms that no paper holds but the query's own."""
        idf = {term: self.bm25.idf(term) for term in terms}
        if query.id in self.generation.catalog.docids([query.id]):
            # Half of the way from what one paper holds to what two do.
            alone = float(np.log1p(self.bm25.documents / 2))
            idf = {term: 0.0 if value > alone else value for term, value in idf.items()}
        return idf

    def masks(self, query: Query, copies: Sequence[int]) -> tuple[Evidence, Allowed]:
        """What may serve as evidence; and by paper, may it be recommended."""
        years = self.generation.years
        evidence = ~self.generation.removed
        if query.year is not None:
            evidence &= years <= query.year
        known = self.generation.catalog.docids([query.id, *query.already_cited, *query.disliked])
        if query.id in known:
            evidence[known[query.id]] = False
        evidence[list(copies)] = False
        allowed = evidence.copy()
        allowed[[known[other] for other in (*query.already_cited, *query.disliked) if other in known]] = False
        citing = evidence
        if query.year is not None:
            # Who writes now can read it. A paper of the index is asked as if it were being written: of what appeared in
            # the same year it is unknown whether it was there.
            citing = evidence & (self._there_by <= query.year - (query.id in known or bool(copies)))
        return Evidence(evidence, citing), allowed

    def own(self, query: Query, evidence: Evidence) -> Docids:
        """What the query cites or likes, of what counts."""
        known = self.generation.catalog.docids([*query.already_cited, *query.liked]).values()
        return np.asarray([docid for docid in known if evidence.papers[docid]], np.int32)

    def _by_text(
        self,
        query: Query,
        options: FirstStageOptions,
        weights: dict[str, float],
        allowed: Allowed,
        vector: Vector | None,
    ) -> tuple[dict[str, Hits], Vector | None, Vector | None]:
        """What BM25 and vectors find; the query's vector, and where the index is searched by it: None without."""
        hits: dict[str, Hits] = {}
        if "bm25" in options.sources:
            with stage("bm25"):
                terms, parameters = options.bm25_terms, options.bm25
                asked = self.bm25.heaviest(weights, terms, parameters) if terms else weights
                hits["bm25"] = deepened(
                    lambda among: self.bm25.search(asked, options.depth, among, parameters), allowed, options.wanted
                )
        if not self.dense or not options.encodes:
            return hits, vector, None
        if vector is None:
            with stage("encoder"):
                vector = self.dense.vectors([query.text])[0]
        projected = self._steered(self.dense, self.dense.projected(vector[None])[0], query)
        if "dense" in options.sources:
            with stage("dense"):
                hits["dense"] = deepened(partial(self.dense.search, projected, options.depth), allowed, options.wanted)
        return hits, vector, projected

    def _steered(self, dense: Dense, vector: Vector, query: Query) -> Vector:
        """The query's vector, moved towards what is liked or cited already, and away from what is disliked."""
        wanted = (*query.liked, *query.already_cited)
        if not wanted and not query.disliked:
            return vector
        liked, disliked = (list(self.generation.catalog.docids(ids).values()) for ids in (wanted, query.disliked))
        return rocchio(vector, dense.centre(np.asarray(liked, np.int64)), dense.centre(np.asarray(disliked, np.int64)))

    def _cosines(self, vector: Vector | None, projected: Vector | None, docids: Docids) -> NDArray[np.float32]:
        """Of given papers with every one of DIRECTIONS."""
        if self.dense is None or vector is None or projected is None:
            return np.full((len(docids), len(DIRECTIONS)), np.nan, np.float32)
        return self.dense.cosines(np.stack([projected, vector]), docids)
