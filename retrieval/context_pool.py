"""The pool of a query with a context: what `retrieval.context` finds, in the form of the first stage."""

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from common.blas import one_blas_thread
from common.stages import stage
from indexer.bm25_parameters import PYSERINI
from retrieval.context import ContextParts, ContextSearch, text_lists, text_vectors
from retrieval.dense import Dense
from retrieval.first_stage import DIRECTIONS, FirstStage, FirstStageOptions, Pool
from retrieval.fusion import reciprocal_rank_fusion
from retrieval.graph import KINDS, Evidence, citation_counts, cites_something
from retrieval.hits import Allowed, Docids, Hits, deepened, ranks_and_scores
from retrieval.interface import SparseRetriever
from retrieval.named import identified_in, named_in
from retrieval.query import Query
from retrieval.quoted import quoted_in
from retrieval.rare_words import shares_of_rare_words

RECENT = 3  # years


def pool_of(
    first: FirstStage,
    query: Query,
    options: FirstStageOptions,
    copies: Sequence[int],
    vector: NDArray[np.float32] | None,
) -> Pool:
    """The pool of any query: of one with a context as here, of others the first stage's own."""
    find = partial(context_pool, first) if query.context.strip() else first.candidates
    with one_blas_thread():
        return find(query, options, copies, vector)


def context_pool(
    first: FirstStage,
    query: Query,
    options: FirstStageOptions,
    copies: Sequence[int],
    vector: NDArray[np.float32] | None,
) -> Pool:
    """The candidates, best first by reciprocal ranks; arguments as for `FirstStage.candidates`.

    `vector` is that of the context, where it is known already.
    """
    generation, bm25, dense = first.generation, first.bm25, first.dense
    evidence, allowed = first.masks(query, copies)
    own = first.own(query, evidence)
    parts = ContextParts.of(query, bm25)
    vectors = _vectors(dense, query, vector) if dense and options.encodes else {}
    search = partial(_search, bm25, options, allowed) if "bm25" in options.sources else None
    nearest = partial(_nearest, dense, options, allowed) if dense and "dense" in options.sources else None
    with stage("bm25 and dense"):
        lists = text_lists(parts, search, nearest, vectors)
    named = named_in(query.context, generation, bm25, evidence, allowed, own)
    quoted = quoted_in(query.wanted.abstract, lists.get("bm25", Hits.none()).docids, generation.catalog, bm25, allowed)
    known = allowed.copy()
    known[own] = True  # what the query cites may be what the sentence names
    identified = identified_in(query.context, generation.catalog, known)
    named = np.union1d(named, np.union1d(identified, quoted))
    if len(listed := named[allowed[named]]):
        lists["named"] = Hits(listed, np.ones(len(listed), np.float32))
    graph, linked = generation.graph, "graph" in options.sources
    with stage("graph"):
        found = ContextSearch(graph, dense, evidence, allowed).candidates(
            lists, vectors, own if linked else own[:0], linked, options.depth
        )

    fused = reciprocal_rank_fusion({**found.lists, **found.hits})
    # What only one kind of votes found stands behind what lists hold.
    alone = np.setdiff1d(found.docids, fused.docids)
    docids = np.concatenate([fused.docids, alone]).astype(np.int32)
    order = np.searchsorted(found.docids, docids)
    ranks, scores = ranks_and_scores(docids, found.hits)
    columns = {name: column[order] for name, column in found.columns.items()}
    columns["recent"] = _recent_citations(first, docids, query.year, evidence)
    cosines = np.full((len(docids), len(DIRECTIONS)), np.nan, np.float32)
    cosines[:, DIRECTIONS.index("query")] = columns["cosine"]
    by_text = reciprocal_rank_fusion({name: hits for name, hits in found.hits.items() if name != "graph"})
    idf = first.term_idf(parts.sentence, query)
    return Pool(
        docids=docids,
        fused=np.concatenate([fused.scores, np.zeros(len(alone), np.float32)]),
        hits=found.hits,
        term_weights=parts.sentence,
        term_idf=idf,
        rarest_idf=float(np.log1p(bm25.documents)),
        rare_words=shares_of_rare_words(idf if "bm25" in options.sources else {}, bm25, docids),
        cosines=cosines,
        votes=np.zeros((len(docids), len(KINDS)), np.float32),
        rates={},
        expected=np.full(len(docids), np.nan, np.float32),
        citations=citation_counts(graph, docids, evidence.citing),
        years=generation.years[docids],
        evidence=evidence,
        own=own,
        cites=cites_something(graph, docids, evidence.citing) if linked else np.zeros(len(docids), np.bool_),
        text_ranks=ranks_and_scores(docids, {"text": by_text})[0]["text"],
        ranks=ranks,
        scores=scores,
        context=columns,
        named=frozenset(named.tolist()),
        quoted=frozenset(quoted.tolist()),
        copies=copies,
    )


def _search(bm25: SparseRetriever, options: FirstStageOptions, allowed: Allowed, weights: dict[str, float]) -> Hits:
    # A sentence has few words: with the index's own parameters, which are for whole abstracts as queries, papers
    # with a long abstract come last among titles.
    parameters = options.bm25 or (PYSERINI if bm25.adjustable else None)
    # By the index's own where none are asked for: `citescout.shared_words` names the same.
    asked = bm25.heaviest(weights, options.bm25_terms, options.bm25) if options.bm25_terms else weights
    return deepened(lambda among: bm25.search(asked, options.depth, among, parameters), allowed, options.wanted)


def _nearest(dense: Dense, options: FirstStageOptions, allowed: Allowed, vector: NDArray[np.float32]) -> Hits:
    return deepened(partial(dense.search, vector, options.depth), allowed, options.wanted)


def _recent_citations(first: FirstStage, docids: Docids, year: int | None, evidence: Evidence) -> NDArray[np.float32]:
    """How often each paper was cited in the last years before the query's, or of the index; shape (len(docids),)."""
    years = first.generation.years
    newest = int(years.max(initial=0)) if year is None else year
    recent = evidence.citing & (years >= newest - RECENT)
    return citation_counts(first.generation.graph, docids, recent).astype(np.float32)


def _vectors(dense: Dense, query: Query, vector: NDArray[np.float32] | None) -> dict[str, NDArray[np.float32]]:
    """See `text_vectors`; `vector` is the context's, if it is known already."""
    texts = [query.wanted] if vector is None else []
    if query.text.parts():
        texts.append(query.text)
    with stage("encoder"):
        encoded = list(dense.vectors(texts)) if texts else []
        sentence = dense.sentence_vector(query.wanted.abstract, query.text.title)
    context = encoded.pop(0) if vector is None else vector
    return text_vectors(dense, context, encoded[0] if encoded else None, sentence)
