"""Approximate search beside the codes, against comparing everything with numpy."""

from dataclasses import asdict, replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from common.errors import IndexDirectoryError
from indexer import recall as recalls
from indexer.dense_writing import append_dense, write_dense
from indexer.layout import LAYOUT
from indexer.manifest import Manifest
from indexer.recall import Recall, measured
from indexer.structures import STRUCTURES
from indexer.vector_choice import VectorChoice, VectorOptions
from indexer.vector_search import VectorSearch
from indexer.vectors import KINDS, dequantise, fitted, quantise, read_codes

PAPERS, DIMENSION = 3000, 32
CHANCE = np.random.default_rng(3)


def units(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


# Papers in topics, as real ones are.
TOPICS = CHANCE.normal(size=(40, DIMENSION))
VECTORS = units(TOPICS[CHANCE.integers(40, size=PAPERS)] + CHANCE.normal(size=(PAPERS, DIMENSION)))
QUERIES = units(TOPICS[:20] + CHANCE.normal(size=(20, DIMENSION)))
MANIFEST = Manifest(2000, 0, 0, "of a test", "", DIMENSION, "")
CHOICES = [VectorChoice(kind, search) for search in STRUCTURES for kind in KINDS]


def opened(folder: Path, choice: VectorChoice) -> VectorSearch:
    return VectorSearch(folder / LAYOUT.vectors, folder / LAYOUT.structure, choice.search)


@pytest.fixture(scope="module", params=CHOICES, ids=lambda choice: f"{choice.kind}-{choice.search}")
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, VectorChoice]:
    """The first 2000 in one piece and the others behind them."""
    choice = request.param
    base, folder = tmp_path_factory.mktemp("base"), tmp_path_factory.mktemp("appended")
    vectors = VECTORS.astype(KINDS[choice.kind].kept)
    options = VectorOptions(*asdict(choice).values())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recalls, "QUERIES", 50)  # how much recall is measured is asked below, once for each choice
        written = write_dense(base, vectors[:2000], choice, options)
        before = written.described(replace(MANIFEST, asked=options))
        after = append_dense(base, folder, vectors, 2000, before, np.arange(PAPERS))
    assert written.choice == choice
    assert after.recall is not None
    assert (after.recall.of, after.choice) == (PAPERS, choice)
    coding = fitted(choice.kind, vectors)
    np.testing.assert_array_equal(read_codes(folder / LAYOUT.vectors), quantise(vectors, coding))
    return folder, choice


@cache
def decoded(kind: str) -> np.ndarray:
    """The vectors as they come back from their codes."""
    vectors = VECTORS.astype(KINDS[kind].kept)
    coding = fitted(kind, vectors)
    return dequantise(quantise(vectors, coding), coding).astype(np.float64)


def exact(choice: VectorChoice, query: np.ndarray, allowed: np.ndarray | None = None) -> np.ndarray:
    """Inner products with the decoded vectors; −2 where not allowed."""
    scores = decoded(choice.kind) @ query
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
        docids, scores = search.nearest(query, k, allowed)
        assert len(docids) == len(set(docids.tolist())) == wanted
        assert allowed[docids].all()
        all_scores = exact(choice, query, allowed)
        np.testing.assert_allclose(scores, all_scores[docids], atol=1e-5)
        kept.append(len(np.intersect1d(docids, np.argsort(-all_scores)[:wanted])) / wanted)
    assert np.mean(kept) > 0.97


@pytest.mark.parametrize("k", [0, 1, PAPERS, 2 * PAPERS])
def test_there_are_as_many_hits_as_wanted_and_none_is_allowed(written: tuple[Path, VectorChoice], k: int) -> None:
    search = opened(*written)
    assert len(search.nearest(QUERIES[0], k)[0]) == min(k, PAPERS)
    assert len(search.nearest(QUERIES[0], k, np.zeros(PAPERS, bool))[0]) == 0


@pytest.mark.long
@pytest.mark.parametrize("papers", [np.arange(PAPERS), np.random.default_rng(4).permutation(PAPERS)[:900]])
def test_recall_is_that_of_a_comparison_by_hand(written: tuple[Path, VectorChoice], papers: np.ndarray) -> None:
    search = opened(*written)
    recall = measured(search, VECTORS, papers, PAPERS)
    assert (recall.queries, recall.papers, recall.of) == (500, len(papers), PAPERS)
    queries = papers[np.unique(np.linspace(0, len(papers) - 1, 500).astype(int))]
    allowed = np.isin(np.arange(PAPERS), papers)
    assert set(recall.at) == {str(depth) for depth in (10, 100, 1000) if depth < len(papers)}
    shares: dict[int, list[float]] = {int(depth): [] for depth in recall.at}
    for number in queries:
        scores = np.where(allowed, VECTORS @ VECTORS[number], -2)
        scores[number] = -2
        nearest = np.argsort(-scores)
        docids, found = search.nearest(VECTORS[number], 1001, allowed)
        docids = docids[np.lexsort((docids, -found))]
        docids = docids[docids != number]
        for depth, kept in shares.items():
            kept.append(len(np.intersect1d(docids[:depth], nearest[:depth])) / depth)
    for depth, kept in shares.items():
        assert recall.at[str(depth)] == pytest.approx(np.mean(kept), abs=1e-3)


def test_a_scan_of_the_vectors_themselves_is_not_measured(tmp_path: Path) -> None:
    for kind in ("fp16", "fp32"):
        choice = VectorChoice(kind, "flat")
        assert write_dense(tmp_path, VECTORS.astype(KINDS[kind].kept), choice).recall is None


def test_of_copies_any_is_as_near_as_the_others(tmp_path: Path) -> None:
    copies = np.repeat(VECTORS[:20], 30, axis=0).astype(np.float16)
    recall = write_dense(tmp_path, copies, VectorChoice()).recall
    assert recall == Recall({"10": 1.0, "100": pytest.approx(1.0, abs=0.05)}, 500, 600, 600)


@pytest.mark.parametrize("keep", [None, 0, 3, 40, 5000, -1])
def test_a_damaged_structure_is_refused(written: tuple[Path, VectorChoice], tmp_path: Path, keep: int | None) -> None:
    folder, choice = written
    if keep is not None:
        (tmp_path / "structure").write_bytes((folder / LAYOUT.structure).read_bytes()[:keep])
    with pytest.raises(IndexDirectoryError) as caught:
        VectorSearch(folder / LAYOUT.vectors, tmp_path / "structure", choice.search)
    assert "\n" not in str(caught.value)


def test_a_structure_of_other_codes_is_refused(written: tuple[Path, VectorChoice], tmp_path: Path) -> None:
    folder, choice = written
    for vectors in (VECTORS[:-1], VECTORS[:, :16]):
        write_dense(tmp_path, vectors.astype(KINDS[choice.kind].kept), VectorChoice(choice.kind, "flat"))
        with pytest.raises(IndexDirectoryError, match=r"is of 3,000 vectors of 32 dimensions, not of"):
            VectorSearch(tmp_path / LAYOUT.vectors, folder / LAYOUT.structure, choice.search)
