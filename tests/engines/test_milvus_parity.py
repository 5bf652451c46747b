"""The same corpus local and in Milvus Lite: nearly the same lists, equally good ones, and the same kind of reasons."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from citescout.recommender import Recommender
from citescout.settings import Settings
from eval.metrics import score
from indexer.engines import english
from indexer.generations import OpenGeneration, open_generation
from retrieval.opening import open_dense, open_sparse
from retrieval.query import Query

pytestmark = pytest.mark.cluster

BM25 = Settings(sources=("bm25",), blend=False, depth=0)
DENSE = Settings(sources=("dense",), blend=False, depth=0)
WHOLE = Settings(depth=0)
K1, B = 2.0, 0.9


@pytest.fixture(scope="module")
def generation(milvus_index: Path):
    opened = open_generation(milvus_index)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def sparse(generation: OpenGeneration):
    opened = open_sparse(generation)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def texts(generation: OpenGeneration) -> list[str]:
    return [text.joined() for _, text in generation.catalog.all_texts()]


@pytest.fixture(scope="module")
def queries(generation: OpenGeneration) -> tuple[Query, ...]:
    """The papers that cite at least five others."""
    papers = list(generation.catalog.all_papers())
    return tuple(
        Query(paper.title, paper.abstract, paper.id, paper.year)
        for number, paper in enumerate(papers)
        if len(generation.graph.cites.of(number)) >= 5
    )


def ids(recommender: Recommender, query: Query, settings: Settings) -> list[str]:
    ranking = recommender.rank(query, settings)
    return recommender.generation.catalog.ids(ranking.pool.docids[ranking.order])


def shared(ours: Sequence[str], theirs: Sequence[str], cut: int) -> float:
    return len({*ours[:cut]} & {*theirs[:cut]}) / max(len(ours[:cut]), 1)


def formula(documents: list[Counter[str]], weights: Counter[str]) -> np.ndarray:
    """BM25 in Lucene's scale, with every document's exact length."""
    lengths = np.array([bag.total() for bag in documents])
    scores = np.zeros(len(documents))
    for term, weight in weights.items():
        frequency = np.array([bag[term] for bag in documents])
        holding = np.count_nonzero(frequency)
        idf = math.log(1 + (len(documents) - holding + 0.5) / (holding + 0.5))
        scores += weight * idf * frequency / (frequency + K1 * (1 - B + B * lengths / lengths.mean()))
    return scores


def test_bm25_is_the_formula_over_the_words_that_we_tell(sparse, texts: list[str]) -> None:
    documents = [Counter(english.terms(text)) for text in texts]
    for number in range(0, len(texts), 15):
        weights = Counter(sparse.terms(texts[number]))
        hits = sparse.search(weights, 100)
        expected = formula(documents, weights)
        np.testing.assert_allclose(hits.scores, expected[hits.docids], rtol=1e-4)
        np.testing.assert_allclose(hits.scores, np.sort(expected)[::-1][: len(hits)], rtol=1e-4)


def test_the_table_of_terms_tells_what_milvus_finds(sparse, texts: list[str]) -> None:
    words = sorted({term for text in texts[::20] for term in english.terms(text)})
    for term in words[::10]:
        found = len(sparse.search({term: 1.0}, len(texts)))
        assert sparse.idf(term) == pytest.approx(math.log(1 + (len(texts) - found + 0.5) / (found + 0.5)))
        assert sparse.collection_frequency(term) == sum(english.terms(text).count(term) for text in texts)
    assert sparse.idf("nowhereatall") == 0
    assert len(sparse.search({"nowhereatall": 1.0}, 10)) == 0


def test_weights_are_how_often_a_term_is_asked_for(sparse) -> None:
    once, thrice = sparse.search({"network": 1.0}, 50), sparse.search({"network": 3.0}, 50)
    assert once.docids.tolist() == thrice.docids.tolist()
    np.testing.assert_allclose(thrice.scores, 3 * once.scores, rtol=1e-5)


@pytest.mark.parametrize("source", ["bm25", "dense"])
@pytest.mark.parametrize("case", ["year", "some", "few", "none", "all"])
def test_only_allowed_papers_are_found(milvus_index: Path, generation: OpenGeneration, source: str, case: str) -> None:
    rng = np.random.default_rng(3)
    count = generation.manifest.papers
    allowed = {
        "year": generation.years <= 2016,
        "some": (generation.years <= 2018) & (rng.random(count) < 0.8),
        "few": rng.random(count) < 0.05,
        "none": np.zeros(count, np.bool_),
        "all": np.ones(count, np.bool_),
    }[case]
    recommender = Recommender.open(milvus_index)
    stage = recommender._first_stage
    if source == "bm25":
        weights = Counter(stage.bm25.terms("learning to rank documents with neural networks"))
        whole, kept = stage.bm25.search(weights, count), stage.bm25.search(weights, 20, allowed)
    else:
        vector = stage.dense.centre(np.array([5]))
        whole, kept = stage.dense.search(vector, count), stage.dense.search(vector, 20, allowed)
    assert kept.docids.tolist() == whole.docids[allowed[whole.docids]][:20].tolist()
    recommender.close()


def test_vectors_are_those_of_the_encoder(generation: OpenGeneration, texts: list[str]) -> None:
    from indexer.generations import encoder_of

    encoder = encoder_of(generation)
    assert encoder is not None
    dense = open_dense(generation, encoder)
    docids = np.array([7, 300, 7, 0, *range(100, 300)])
    expected = encoder.encode(generation.catalog.texts(docids))
    np.testing.assert_allclose(dense.documents(docids), expected, atol=1e-3)
    query = encoder.encode(generation.catalog.texts([42]))
    np.testing.assert_allclose(dense.cosines(query, docids), expected @ query.T, atol=2e-3)
    dense.close()


def test_overlap_with_local_lists(local: Recommender, in_milvus: Recommender, queries: tuple[Query, ...]) -> None:
    assert len(queries) > 50
    for settings, least in ((BM25, 0.95), (DENSE, 0.99)):
        shares = [shared(ids(local, one, settings), ids(in_milvus, one, settings), 100) for one in queries]
        assert np.mean(shares) >= least


def test_the_whole_pipeline_is_as_good(
    local: Recommender, in_milvus: Recommender, queries: tuple[Query, ...], generation: OpenGeneration
) -> None:
    docids = generation.catalog.docids(query.id for query in queries)
    gold = {id_: frozenset(generation.catalog.ids(generation.graph.cites.of(n))) for id_, n in docids.items()}
    here, there = (
        score(gold, {query.id: ids(recommender, query, WHOLE) for query in queries}).f1_at_20
        for recommender in (local, in_milvus)
    )
    assert here > 0.1
    assert there == pytest.approx(here, abs=0.005)


def test_reasons_and_provenance_are_of_the_same_kind(local: Recommender, in_milvus: Recommender) -> None:
    query = Query(
        "Dense retrieval of papers to cite", "We rank scientific papers by dense vectors and BM25.", year=2021
    )
    ours, theirs = (
        {entry.paper.id: entry for entry in recommender.recommend(query)} for recommender in (local, in_milvus)
    )
    both = ours.keys() & theirs.keys()
    assert len(both) >= 15
    for id_ in both:
        here, there = ours[id_].reasons, theirs[id_].reasons
        assert {one.source for one in here.sources} == {one.source for one in there.sources}
        assert {term.term for term in here.matched_terms} == {term.term for term in there.matched_terms}
        for one, other in zip(here.matched_terms, there.matched_terms, strict=True):
            assert one.weight == pytest.approx(other.weight, rel=0.2, abs=0.1)
        assert [one.feature for one in here.contributions] == [one.feature for one in there.contributions]
