"""Approximate search beside the codes, against comparing everything with numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from common.errors import IndexDirectoryError
from indexer.dense_writing import append_dense, measured_recall, write_dense
from indexer.layout import LAYOUT
from indexer.recall import ExactNeighbours
from indexer.structures import STRUCTURES
from indexer.vector_choice import VectorChoice
from indexer.vector_search import VectorSearch
from indexer.vectors import KINDS, dequantise, quantise, read_codes

PAPERS, DIMENSION = 3000, 32
CHANCE = np.random.default_rng(3)


def units(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


# Papers in topics, as real ones are.
TOPICS = CHANCE.normal(size=(40, DIMENSION))
VECTORS = units(TOPICS[CHANCE.integers(40, size=PAPERS)] + CHANCE.normal(size=(PAPERS, DIMENSION)))
QUERIES = units(TOPICS[:20] + CHANCE.normal(size=(20, DIMENSION)))
CHOICES = [VectorChoice(kind, search) for search in STRUCTURES for kind in KINDS]


def opened(folder: Path, choice: VectorChoice) -> VectorSearch:
    return VectorSearch(folder / LAYOUT.vectors.path, folder / LAYOUT.structure.path, choice.search)


@pytest.fixture(scope="module", params=CHOICES, ids=lambda choice: f"{choice.kind}-{choice.search}")
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, VectorChoice]:
    """The first 2000 in one piece and the others behind them."""
    choice = request.param
    base, folder = tmp_path_factory.mktemp("base"), tmp_path_factory.mktemp("appended")
    codes = quantise(VECTORS, choice.kind)
    write_dense(base, codes[:2000], choice)
    append_dense(base, folder, read_codes(base / LAYOUT.vectors.path), codes[2000:], choice)
    np.testing.assert_array_equal(read_codes(folder / LAYOUT.vectors.path), codes)
    return folder, choice


def exact(choice: VectorChoice, query: np.ndarray, allowed: np.ndarray | None = None) -> np.ndarray:
    """Inner products with the decoded vectors; −2 where not allowed."""
    scores = dequantise(quantise(VECTORS, choice.kind), choice.kind).astype(np.float64) @ query
    return scores if allowed is None else np.where(allowed, scores, -2)


@pytest.mark.parametrize("share", [1.0, 0.6, 0.3, 0.1, 0.01])
@pytest.mark.parametrize("k", [10, 100, 1000])
def test_hits_are_nearly_the_nearest_with_their_own_scores(
    written: tuple[Path, VectorChoice], k: int, share: float
) -> None:
    folder, choice = written
    search = opened(folder, choice)
    allowed = np.random.default_rng(5).random(PAPERS) < share
    wanted = min(k, int(allowed.sum()))
    kept = []
    for query in QUERIES:
        numbers, scores = search.nearest(query, k, allowed)
        assert len(numbers) == len(set(numbers.tolist())) == wanted
        assert allowed[numbers].all()
        all_scores = exact(choice, query, allowed)
        np.testing.assert_allclose(scores, all_scores[numbers], atol=1e-5)
        kept.append(len(np.intersect1d(numbers, np.argsort(-all_scores)[:wanted])) / wanted)
    assert np.mean(kept) > 0.97


@pytest.mark.parametrize("k", [0, 1, PAPERS, 2 * PAPERS])
def test_there_are_as_many_hits_as_wanted_and_none_is_allowed(written: tuple[Path, VectorChoice], k: int) -> None:
    search = opened(*written)
    assert len(search.nearest(QUERIES[0], k)[0]) == min(k, PAPERS)
    assert len(search.nearest(QUERIES[0], k, np.zeros(PAPERS, bool))[0]) == 0


def test_recall_is_that_of_a_comparison_by_hand(written: tuple[Path, VectorChoice]) -> None:
    folder, choice = written
    seen = ExactNeighbours()
    for start in range(0, PAPERS, 700):
        seen.see(range(start, min(start + 700, PAPERS)), VECTORS[start : start + 700])
    recall = measured_recall(folder, choice, seen)
    assert recall is not None
    assert (recall.exact, recall.queries, recall.papers) == ("vectors", 100, PAPERS)
    search = opened(folder, choice)
    queries = np.unique(np.linspace(0, 699, 100).astype(int))
    for depth in (10, 100, 1000):
        shares = []
        for number in queries:
            scores = VECTORS @ VECTORS[number]
            scores[number] = -2
            numbers, found = search.nearest(VECTORS[number], 1001)
            numbers = numbers[np.lexsort((numbers, -found))]
            numbers = numbers[numbers != number][:depth]
            shares.append(len(set(numbers.tolist()) & set(np.argsort(-scores)[:depth].tolist())) / depth)
        assert recall.at[str(depth)] == pytest.approx(np.mean(shares), abs=2e-3)


def test_recall_against_the_codes_where_not_all_vectors_were_seen(written: tuple[Path, VectorChoice]) -> None:
    folder, choice = written
    seen = ExactNeighbours()
    seen.see(range(5), VECTORS[:5])
    for exact_neighbours in (None, seen):
        recall = measured_recall(folder, choice, exact_neighbours)
        assert recall is not None
        assert recall.exact == "codes"
        assert 0.95 < recall.at["1000"] <= 1


def test_a_scan_is_measured_against_vectors_or_not_at_all(tmp_path: Path) -> None:
    choice = VectorChoice("fp32", "flat")
    write_dense(tmp_path, quantise(VECTORS[:600], "fp32"), choice)
    seen = ExactNeighbours()
    seen.see(range(600), VECTORS[:600])
    recall = measured_recall(tmp_path, choice, seen)
    assert recall is not None
    assert recall.at == {"10": 1.0, "100": 1.0}  # there are not a thousand others
    assert measured_recall(tmp_path, choice) is None


def test_exact_neighbours_are_those_of_numpy() -> None:
    seen = ExactNeighbours()
    order = np.random.default_rng(1).permutation(PAPERS)
    for chunk in np.array_split(order, 7):
        seen.see(chunk.tolist(), VECTORS[chunk])
    assert len(set(seen.own.tolist()) & set(np.array_split(order, 7)[0].tolist())) == len(seen.own) == 100
    for number, query, nearest in zip(seen.own, seen.queries, seen.nearest(), strict=True):
        np.testing.assert_array_equal(query, VECTORS[number])
        scores = VECTORS @ query
        scores[number] = -2
        np.testing.assert_allclose(scores[nearest], np.sort(scores)[::-1][:1000], atol=1e-5)


@pytest.mark.parametrize("keep", [None, 0, 3, 40, 5000, -1])
def test_a_damaged_structure_is_refused(written: tuple[Path, VectorChoice], tmp_path: Path, keep: int | None) -> None:
    folder, choice = written
    if keep is not None:
        (tmp_path / "structure").write_bytes((folder / LAYOUT.structure.path).read_bytes()[:keep])
    with pytest.raises(IndexDirectoryError) as caught:
        VectorSearch(folder / LAYOUT.vectors.path, tmp_path / "structure", choice.search)
    assert "\n" not in str(caught.value)


def test_a_structure_of_other_codes_is_refused(written: tuple[Path, VectorChoice], tmp_path: Path) -> None:
    folder, choice = written
    for vectors in (VECTORS[:-1], VECTORS[:, :16]):
        write_dense(tmp_path, quantise(vectors, choice.kind), VectorChoice(choice.kind, "flat"))
        with pytest.raises(IndexDirectoryError, match=r"is of 3,000 vectors of 32 dimensions, not of"):
            VectorSearch(tmp_path / LAYOUT.vectors.path, folder / LAYOUT.structure.path, choice.search)
