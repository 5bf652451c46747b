"""Dense search equals the inner products that numpy computes."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from common.errors import IndexDirectoryError, ModelError
from encoders.text import Text
from indexer.vector_search import VectorSearch
from indexer.vectors import fitted, open_index, quantise, write_codes
from retrieval.dense import Dense

PAPERS, DIMENSION = 1000, 24
RANDOM = np.random.default_rng(11)


def units(count: int) -> np.ndarray:
    rows = RANDOM.normal(size=(count, DIMENSION)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


ORIGINAL, QUERIES = units(PAPERS), units(20)


def encoder(dimension: int) -> SimpleNamespace:
    """Stands in for an encoder, of which only this much is asked."""
    return SimpleNamespace(dimension=dimension, name="of-a-test")


def write(vectors: np.ndarray, file: Path) -> None:
    coding = fitted("sq8", vectors)
    write_codes([quantise(vectors, coding)], file, coding)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("dense") / "vectors.faiss"
    write(ORIGINAL, file)
    return file


@pytest.fixture(scope="module")
def dense(path: Path) -> Dense:
    return Dense(VectorSearch(path), encoder(DIMENSION))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def stored(path: Path) -> np.ndarray:
    return open_index(path).reconstruct_n(0, PAPERS).astype(np.float64)


@pytest.mark.parametrize("k", [1, 10, 999, 1000, 5000])
def test_hits_are_the_exact_order_of_the_stored_vectors(dense: Dense, stored: np.ndarray, k: int) -> None:
    for query in QUERIES:
        exact = stored @ query
        hits = dense.search(query, k)
        assert len(hits) == len(set(hits.docids.tolist())) == min(k, PAPERS)
        np.testing.assert_allclose(hits.scores, exact[hits.docids], atol=1e-5)
        np.testing.assert_allclose(hits.scores, np.sort(exact)[::-1][:k], atol=1e-5)


def test_eight_bits_keep_the_neighbours_of_the_full_vectors(dense: Dense) -> None:
    kept = [
        len(set(np.argsort(-(ORIGINAL @ query))[:100].tolist()) & set(dense.search(query, 100).docids.tolist())) / 100
        for query in QUERIES
    ]
    assert np.mean(kept) >= 0.95


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99, 1.0])
@pytest.mark.parametrize("k", [1, 50, 1000])
def test_filter_equals_filtering_the_whole_list(dense: Dense, share: float, k: int) -> None:
    allowed = np.random.default_rng(2).random(PAPERS) < share
    for query in QUERIES[:5]:
        whole = dense.search(query, PAPERS)
        keep = allowed[whole.docids]
        hits = dense.search(query, k, allowed)
        assert hits.docids.tolist() == whole.docids[keep][:k].tolist()


def test_equal_vectors_come_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    write(np.concatenate([ORIGINAL[:3]] * 3), tmp_path / "vectors.faiss")
    hits = Dense(VectorSearch(tmp_path / "vectors.faiss"), encoder(DIMENSION)).search(ORIGINAL[1], 9)  # type: ignore[arg-type]
    assert hits.docids.tolist()[:3] == [1, 4, 7]


@pytest.mark.parametrize("k", [0, -3])
def test_no_hit_is_wanted(dense: Dense, k: int) -> None:
    assert len(dense.search(QUERIES[0], k)) == 0


def test_zero_vector_points_nowhere(dense: Dense) -> None:
    assert len(dense.search(np.zeros(DIMENSION, np.float32), 10)) == 0


def test_cosines_are_inner_products_in_the_order_asked_for(dense: Dense, stored: np.ndarray) -> None:
    docids = np.asarray([999, 0, 5, 0], np.int32)
    np.testing.assert_allclose(dense.cosines(QUERIES[:2], docids), stored[docids] @ QUERIES[:2].T, atol=1e-5)
    assert dense.cosines(QUERIES[:2], docids[:0]).shape == (0, 2)


def test_a_vector_that_was_asked_for_lately_is_not_made_again(path: Path) -> None:
    made: list[Text] = []

    def encode_queries(texts: list[Text]) -> np.ndarray:
        made.extend(texts)
        return QUERIES[[int(text.title) for text in texts]]

    dense = Dense(VectorSearch(path), SimpleNamespace(**vars(encoder(DIMENSION)), encode_queries=encode_queries))  # type: ignore[arg-type]
    texts = [Text(str(number), "") for number in (3, 1, 3, 2)]
    first = dense.vectors(texts)
    np.testing.assert_array_equal(first, QUERIES[[3, 1, 3, 2]])
    first[:] = 0  # whoever gets a vector may do with it what he likes
    np.testing.assert_array_equal(dense.with_query_map(None).vectors([*texts, Text("4", "")]), QUERIES[[3, 1, 3, 2, 4]])
    assert [text.title for text in made] == ["3", "1", "2", "4"]
    assert dense.vectors([]).shape == (0, DIMENSION)


def test_encoder_of_another_dimension_is_refused(path: Path) -> None:
    with pytest.raises(ModelError, match=f"25 dimensions.*{DIMENSION}"):
        Dense(VectorSearch(path), encoder(25))  # type: ignore[arg-type]


def test_missing_vectors_are_reported_as_a_damaged_index(tmp_path: Path) -> None:
    with pytest.raises(IndexDirectoryError):
        Dense(VectorSearch(tmp_path / "none.faiss"), encoder(DIMENSION))  # type: ignore[arg-type]


@pytest.mark.parametrize("k", [1, 7, 20, 300, 899])
def test_of_equally_near_papers_at_the_end_the_lowest_numbers_are_kept(tmp_path: Path, k: int) -> None:
    copies = np.repeat(ORIGINAL[:30], 30, axis=0)[np.random.default_rng(4).permutation(900)]
    write(copies, tmp_path / "vectors.faiss")
    search = Dense(VectorSearch(tmp_path / "vectors.faiss"), encoder(DIMENSION))  # type: ignore[arg-type]
    stored = open_index(tmp_path / "vectors.faiss").reconstruct_n(0, 900).astype(np.float64)
    allowed = np.random.default_rng(5).random(900) < 0.7
    for query in QUERIES[:5]:
        nearest = np.lexsort((np.arange(900), -(stored @ query).round(6)))
        assert search.search(query, k).docids.tolist() == nearest[:k].tolist()
        assert search.search(query, k, allowed).docids.tolist() == nearest[allowed[nearest]][:k].tolist()


def test_a_store_that_gives_few_hits_is_asked_for_no_more(path: Path) -> None:
    class Few(VectorSearch):
        asked = 0

        def nearest(self, vector, k, allowed=None):  # type: ignore[no-untyped-def]
            self.asked = max(self.asked, k)
            return np.arange(k), np.full(k, 0.5, np.float32)

    few = Few(path)
    few.most = 100
    dense = Dense(few, encoder(DIMENSION))  # type: ignore[arg-type]
    assert dense.search(QUERIES[0], 10).docids.tolist() == list(range(10))
    assert few.asked == 100
