"""8-bit codes fit the vectors of any encoder, or 16 bits take their place: against comparing everything with numpy."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from indexer.dense_writing import LEAST_RECALL, append_dense, write_dense
from indexer.layout import LAYOUT
from indexer.manifest import Manifest
from indexer.vector_choice import VectorChoice, VectorOptions
from indexer.vector_search import VectorSearch
from indexer.vectors import KINDS

PAPERS, DIMENSION = 2000, 64
MANIFEST = Manifest(PAPERS, 0, 0, "of a test", "", DIMENSION, "")
NAMED = VectorOptions("sq8")


def units(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def topics(seed: int = 0) -> np.ndarray:
    """Directions around some topics, as those of papers are."""
    rng = np.random.default_rng(seed)
    return units(rng.normal(size=(40, DIMENSION))[rng.integers(40, size=PAPERS)] + rows(seed + 1))


def rows(seed: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(PAPERS, DIMENSION))


def with_outlier() -> np.ndarray:
    vectors = topics()
    vectors[:, 7] = 3 + 0.05 * rows(2)[:, 7]
    return units(vectors)


def around_a_mean(cosine: float) -> np.ndarray:
    common = units(rows(3)[:1])
    return units(np.sqrt(1 - cosine) * topics() + np.sqrt(cosine) * common)


def with_constant() -> np.ndarray:
    vectors = topics()
    vectors[:, 5], vectors[:, 6] = 0, 1
    return vectors / np.sqrt(2)


def short() -> np.ndarray:
    return topics() * 0.1


def of_all_lengths() -> np.ndarray:
    return topics() * 10 ** np.random.default_rng(4).uniform(-2, 0, size=(PAPERS, 1))


CORPORA = {
    "topics": topics,
    "outlier coordinate": with_outlier,
    "mean cosine .5": lambda: around_a_mean(0.5),
    "constant dimensions": with_constant,
    "short vectors": short,
    "all lengths": of_all_lengths,
}


def exact_recall(folder: Path, vectors: np.ndarray, depth: int = 10) -> float:
    """Recall of a scan for every seventh paper by a comparison of all vectors in 64 bits."""
    search = VectorSearch(folder / LAYOUT.vectors)
    kept = []
    for number in range(0, len(vectors), 7):
        scores = vectors @ vectors[number]
        scores[number] = -np.inf
        found = search.nearest(vectors[number].astype(np.float32), depth + 1)[0]
        nearest = np.argsort(-scores)[:depth]
        kept.append(len(np.intersect1d(found[found != number][:depth], nearest)) / depth)
    return float(np.mean(kept))


def written(folder: Path, vectors: np.ndarray, options: VectorOptions) -> tuple[VectorChoice, float, float | None]:
    """What was chosen, the recall that is said, and that of 8 bits where 16 took their place."""
    dense = write_dense(folder, vectors.astype(np.float16), VectorChoice(), options)
    said = dense.recall.at["10"] if dense.recall else 1.0
    return dense.choice, said, dense.eight_bits.at["10"] if dense.eight_bits else None


@pytest.mark.parametrize("corpus", CORPORA)
def test_eight_bits_keep_the_nearest_of_any_encoder(tmp_path: Path, corpus: str) -> None:
    vectors = CORPORA[corpus]()
    choice, said, _ = written(tmp_path, vectors, NAMED)
    assert choice.kind == "sq8"
    assert exact_recall(tmp_path, vectors) >= 0.98
    assert said == pytest.approx(exact_recall(tmp_path, vectors), abs=0.01)


@pytest.mark.parametrize("cosine", [0.95, 0.99])
def test_where_eight_bits_lose_more_than_one_in_a_hundred_there_are_sixteen(tmp_path: Path, cosine: float) -> None:
    vectors = around_a_mean(cosine)
    assert (units(vectors) @ units(vectors).T).mean() == pytest.approx(cosine, abs=0.01)
    choice, said, _ = written(tmp_path / "named", vectors, NAMED)
    assert (choice.kind, said < LEAST_RECALL) == ("sq8", True)
    choice, said, eight_bits = written(tmp_path / "free", vectors, VectorOptions())
    assert (choice.kind, said) == ("fp16", 1.0)
    assert eight_bits is not None
    assert eight_bits == pytest.approx(exact_recall(tmp_path / "named", vectors), abs=0.01)
    assert not (tmp_path / "free" / LAYOUT.originals).exists()
    assert exact_recall(tmp_path / "free", vectors) > exact_recall(tmp_path / "named", vectors) + 0.02
    tight = VectorOptions("auto", "auto", PAPERS * DIMENSION)
    assert written(tmp_path / "tight", vectors, tight)[0].kind == "sq8"  # 16 do not fit the memory


def test_papers_that_lie_elsewhere_do_not_break_what_was_there(tmp_path: Path) -> None:
    before, after = topics(), topics(9)
    after[:, 3] += 0.7  # outside of every range so far
    vectors = np.concatenate([before, units(after)])
    dense = write_dense(tmp_path / "base", before.astype(np.float16), VectorChoice(), NAMED)
    manifest = dense.described(replace(MANIFEST, asked=NAMED))
    live = np.arange(len(vectors))
    grown = append_dense(tmp_path / "base", tmp_path / "grown", vectors.astype(np.float16), PAPERS, manifest, live)
    assert grown.recall is not None
    assert grown.recall.of == 2 * PAPERS
    assert exact_recall(tmp_path / "grown", vectors) >= 0.97
    write_dense(tmp_path / "fresh", vectors.astype(np.float16), VectorChoice(), NAMED)
    for part in (LAYOUT.vectors, LAYOUT.originals):
        assert (tmp_path / "grown" / part).read_bytes() == (tmp_path / "fresh" / part).read_bytes()


def test_growth_can_ask_for_sixteen_bits(tmp_path: Path) -> None:
    first, second = topics()[:500].astype(np.float16), around_a_mean(0.99).astype(np.float16)
    before = write_dense(tmp_path / "base", first, VectorChoice())
    vectors, manifest = np.concatenate([first, second]), before.described(MANIFEST)
    after = append_dense(tmp_path / "base", tmp_path / "grown", vectors, 500, manifest, np.arange(len(vectors)))
    assert (before.choice.kind, after.choice.kind) == ("sq8", "fp16")
    assert not (tmp_path / "grown" / LAYOUT.originals).exists()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("papers", [1, 2, 11])
def test_the_smallest_corpora_and_copies_of_one_text(tmp_path: Path, papers: int, kind: str) -> None:
    vectors = np.repeat(topics()[:1], papers, axis=0).astype(KINDS[kind].kept)
    dense = write_dense(tmp_path, vectors, VectorChoice(kind))
    assert dense.choice.kind == kind
    docids, scores = VectorSearch(tmp_path / LAYOUT.vectors).nearest(vectors[0].astype(np.float32), 20)
    assert sorted(docids.tolist()) == list(range(papers))
    np.testing.assert_allclose(scores, 1, atol=1e-3)


def test_a_scan_gives_the_scores_of_the_decoded_codes(tmp_path: Path) -> None:
    for name, make in CORPORA.items():
        write_dense(tmp_path / name, make().astype(np.float16), VectorChoice(), NAMED)
        search = VectorSearch(tmp_path / name / LAYOUT.vectors)
        decoded = search.vectors(np.arange(PAPERS)).astype(np.float64)
        for query in topics(5)[:20].astype(np.float32):
            docids, scores = search.nearest(query, 1000)
            np.testing.assert_allclose(scores, decoded[docids] @ query, atol=1e-6)
            np.testing.assert_allclose(scores, np.sort(decoded @ query)[::-1][:1000], atol=1e-6)
