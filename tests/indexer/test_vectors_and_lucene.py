"""The two indexes of a generation that other libraries write."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from common.errors import IndexDirectoryError
from encoders.text import Text
from indexer.lucene import build_bm25, clean_text, open_reader, paper_numbers
from indexer.vectors import open_vectors, quantise, read_codes, write_codes


@pytest.fixture
def vectors() -> np.ndarray:
    rows = np.random.default_rng(1).normal(size=(50, 16)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_vectors_come_back_within_eight_bits(tmp_path: Path, vectors: np.ndarray) -> None:
    write_codes(quantise(vectors), tmp_path / "dense" / "vectors.faiss")
    index = open_vectors(tmp_path / "dense" / "vectors.faiss")
    assert (index.ntotal, index.d) == vectors.shape
    half = 5 / 16**0.5
    step = 2 * half / 255
    assert (np.abs(index.reconstruct_n(0, 50) - vectors.clip(-half, half)) <= step + 1e-6).all()
    np.testing.assert_array_equal(read_codes(tmp_path / "dense" / "vectors.faiss"), quantise(vectors))


def test_a_code_depends_on_its_own_vector_alone(vectors: np.ndarray) -> None:
    together = quantise(vectors)
    for row in range(50):
        np.testing.assert_array_equal(quantise(vectors[row : row + 1])[0], together[row])


@pytest.mark.parametrize("papers", [1, 2])
def test_the_smallest_index_of_vectors(tmp_path: Path, vectors: np.ndarray, papers: int) -> None:
    write_codes(quantise(vectors[:papers]), tmp_path / "vectors.faiss")
    index = open_vectors(tmp_path / "vectors.faiss")
    np.testing.assert_allclose(index.reconstruct_n(0, papers), vectors[:papers], atol=0.02)


@pytest.mark.parametrize("keep", [None, 0, 3, 40, -1])
def test_damaged_vectors_are_refused(tmp_path: Path, vectors: np.ndarray, keep: int | None) -> None:
    path = tmp_path / "vectors.faiss"
    write_codes(quantise(vectors), path)
    data = path.read_bytes()
    path.unlink()
    if keep is not None:
        path.write_bytes(data[:keep])
    with pytest.raises(IndexDirectoryError) as caught:
        open_vectors(path)
    assert "\n" not in str(caught.value)


def test_every_paper_has_one_lucene_document(tmp_path: Path) -> None:
    numbers = [*range(2500)]  # more than one batch, on several threads
    build_bm25(((n, Text(f"word{n} title", "")) for n in numbers), tmp_path / "bm25", len(numbers))
    mapping = paper_numbers(tmp_path / "bm25")
    assert mapping.dtype == np.int32
    assert sorted(mapping.tolist()) == numbers


def test_papers_without_words_keep_their_documents(tmp_path: Path) -> None:
    texts = [Text("", ""), Text("the of", ""), Text("\0", "\ud800"), Text("citation graphs", "")]
    build_bm25(enumerate(texts), tmp_path / "bm25", len(texts))
    assert sorted(paper_numbers(tmp_path / "bm25").tolist()) == [0, 1, 2, 3]


def test_a_paper_that_lucene_did_not_take_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(IndexDirectoryError, match="2 of 3"):
        build_bm25([(0, Text("a", "")), (1, Text("b", ""))], tmp_path / "bm25", 3)


@pytest.mark.parametrize("content", [{}, {"segments_1": b""}, {"segments_1": b"no segments at all"}])
def test_folder_without_a_lucene_index_is_refused(tmp_path: Path, content: dict[str, bytes]) -> None:
    for name, data in content.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(IndexDirectoryError) as caught:
        open_reader(tmp_path)
    assert "\n" not in str(caught.value)


def test_text_is_cleaned_of_what_java_cannot_hold() -> None:
    assert clean_text("a\0b\ud800c 😀") == "a b?c 😀"
