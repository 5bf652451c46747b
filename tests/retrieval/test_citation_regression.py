"""Kernel ridge regression from texts to citations, against its closed form, and what must not move it."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from encoders.transformer import TextEncoder
from indexer.citations import CitationGraph
from indexer.generations import OpenGeneration
from retrieval.citation_regression import example_weights, examples_of, expected_citations
from retrieval.first_stage import DIRECTIONS, FirstStage, FirstStageOptions
from retrieval.graph import cites_something
from retrieval.query import Query

SIZE, DIMENSION = 80, 16
QUERY = Query("Dense retrieval with hard negatives", "We train a bi-encoder for passage retrieval.", year=2021)


def some_vectors(seed: int = 0, size: int = SIZE) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Unit vectors of examples, some of which are alike, and the query's cosines with them."""
    generator = np.random.default_rng(seed)
    middles = generator.standard_normal((8, DIMENSION))
    vectors = middles[generator.integers(0, 8, size)] + 0.5 * generator.standard_normal((size, DIMENSION))
    query = middles[0] + 0.5 * generator.standard_normal(DIMENSION)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors.astype(np.float32), (vectors @ query / np.linalg.norm(query)).astype(np.float32)


def closed_form(vectors: NDArray[np.floating], cosines: NDArray[np.floating]) -> NDArray[np.floating]:
    """(K + I)⁻¹ k by its eigenvectors, what is negative left out."""
    vectors = vectors.astype(np.float64)
    distances = np.asarray([[1 - a @ b for b in vectors] for a in vectors])
    steepness = 6 / np.mean([distance for row in distances for distance in row])
    values, columns = np.linalg.eigh(np.exp(-steepness * distances) + np.eye(len(vectors)))
    weights = columns @ (columns.T @ np.exp(-steepness * (1 - cosines.astype(np.float64))) / values)
    return np.where(weights > 0, weights, 0)


@pytest.mark.parametrize("seed", range(4))
def test_weights_are_those_of_the_closed_form(seed):
    vectors, cosines = some_vectors(seed)
    found = example_weights(vectors * np.float32(3), cosines)  # only directions count
    np.testing.assert_allclose(found, closed_form(vectors, cosines), rtol=1e-4, atol=1e-6)
    assert (found > 0).sum() > 10


def test_copies_share_the_weight_of_one():
    vectors, cosines = some_vectors()
    best = int(example_weights(vectors, cosines).argmax())
    copies = np.r_[np.arange(SIZE), np.full(9, best)]
    alone, all_ten = example_weights(vectors, cosines), example_weights(vectors[copies], cosines[copies])
    of_copies = all_ten[copies == best]
    np.testing.assert_allclose(of_copies, of_copies[0], rtol=1e-6)
    assert alone[best] < of_copies.sum() < 2.5 * alone[best]


def test_an_encoder_whose_cosines_are_all_high_gives_the_same_weights():
    vectors, cosines = some_vectors()
    common = np.ones((SIZE, 1), np.float32) * np.sqrt(4, dtype=np.float32)
    crowded = np.hstack([vectors, common])  # every cosine is (c + 4) / 5
    np.testing.assert_allclose(
        example_weights(crowded, (cosines + 4) / 5), example_weights(vectors, cosines), rtol=2e-3, atol=1e-5
    )


def test_examples_that_are_all_alike_are_no_error():
    same = np.ones((20, DIMENSION), np.float32)
    assert np.isfinite(example_weights(same, np.ones(20, np.float32))).all()


@pytest.mark.filterwarnings("error")
def test_cosines_above_1_of_8_bit_codes_count_as_1():
    alike = np.ones((20, DIMENSION), np.float32) + np.eye(20, DIMENSION, dtype=np.float32) / 1000
    above = np.where(np.arange(20) % 2, 1.004, 0.99).astype(np.float32)
    found = example_weights(alike, above)
    assert np.isfinite(found).all()
    np.testing.assert_array_equal(found, example_weights(alike, np.minimum(above, 1)))


def test_a_further_citation_lowers_no_paper():
    generator = np.random.default_rng(1)
    edges = np.unique(generator.integers(0, SIZE, (300, 2)), axis=0)
    vectors, cosines = some_vectors()
    papers = generator.permutation(SIZE).astype(np.int32)

    def expected(of):
        graph = CitationGraph.from_edges(of, SIZE)
        examples = papers[examples_of(cites_something(graph, papers, np.ones(SIZE, np.bool_)))]
        weights = example_weights(vectors[examples], cosines[examples])
        return examples, weights, expected_citations(graph, examples, weights, papers)

    examples, weights, before = expected(edges)
    citing = int(examples[weights.argmax()])
    cited = next(paper for paper in range(SIZE) if paper != citing and [citing, paper] not in edges.tolist())
    change = expected(np.vstack([edges, [[citing, cited]]]))[2] - before
    assert change[papers == cited] > 0
    np.testing.assert_array_equal(change[papers != cited], 0)


@pytest.mark.parametrize(
    ("copies", "missing", "last"),
    [((), 0, 2021), ((3,), 0, 2020), ((3,), 4, 2016)],
    ids=["a draft", "a paper that is there", "one whose newest lists are not"],
)
def test_a_pool_learns_from_what_was_there(
    stage: FirstStage, generation: OpenGeneration, copies: tuple[int, ...], missing: int, last: int
) -> None:
    pool = stage.without_newest_lists(missing).candidates(QUERY, FirstStageOptions(), copies)
    assert pool.years.max() == 2021
    graph, vectors = generation.graph, stage.dense.documents(pool.docids)
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)  # codes of 8 bits are not quite of length 1
    learned_from = [
        place
        for place, docid in enumerate(pool.docids[:500])
        if 0 < pool.years[place] <= last and len(graph.cites.of(docid))
    ]
    assert 10 < len(learned_from) < len(pool)
    assert np.flatnonzero(pool.cites[:500]).tolist() == learned_from
    weights = closed_form(vectors[learned_from], pool.cosines[learned_from, DIRECTIONS.index("query")])
    lists = [set(graph.cites.of(pool.docids[place]).tolist()) for place in learned_from]
    expected = [sum(w for w, cited in zip(weights, lists, strict=True) if docid in cited) for docid in pool.docids]
    np.testing.assert_allclose(pool.expected, expected, rtol=1e-4, atol=1e-6)
    assert (pool.expected > 0).sum() > 10


def test_without_vectors_examples_count_by_their_words(generation: OpenGeneration) -> None:
    pool = FirstStage(generation, None).candidates(QUERY, FirstStageOptions())
    expected = dict.fromkeys(pool.docids.tolist(), 0.0)
    scores = dict(zip(pool.hits["bm25"].docids.tolist(), pool.hits["bm25"].scores.tolist(), strict=True))
    examples = [docid for docid in pool.docids[:500].tolist() if 0 < generation.years[docid] <= 2021]
    best = max(scores.get(docid, 0.0) for docid in examples if len(generation.graph.cites.of(docid)))
    for docid in examples:
        for cited in generation.graph.cites.of(docid).tolist():
            if cited in expected:
                expected[cited] += (scores.get(docid, 0.0) / best) ** 2
    np.testing.assert_allclose(pool.expected, list(expected.values()), rtol=1e-5, atol=1e-7)
    assert (pool.expected > 0).sum() > 10


def test_without_words_and_vectors_nothing_is_known(generation: OpenGeneration) -> None:
    likes = replace(QUERY, liked=tuple(generation.catalog.ids(np.arange(5))))
    pool = FirstStage(generation, None).candidates(likes, FirstStageOptions(sources=("graph",)))
    assert len(pool) > 20
    assert np.isnan(pool.expected).all()


def test_of_an_index_without_citations_nothing_is_known(stage: FirstStage, generation: OpenGeneration) -> None:
    none = CitationGraph.from_edges(np.zeros((0, 2), np.int64), generation.catalog.size)
    view = FirstStage(replace(generation, graph=none), TextEncoder.load("minilm"))
    assert np.isnan(view.candidates(QUERY, FirstStageOptions()).expected).all()
