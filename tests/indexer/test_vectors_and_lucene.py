"""The two indexes of a generation that other libraries write."""

import os
import shutil
import sys
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from command_line import files_of_at_most

from common.cpu import usable_cores
from common.errors import IndexDirectoryError
from encoders.text import Text
from indexer.lucene import Bm25Writer, clean_text, documents_kept, labels, open_reader
from indexer.vectors import (
    KINDS,
    code_size,
    dequantise,
    fitted,
    open_index,
    quantise,
    ranges_of,
    read_codes,
    write_codes,
)


@pytest.fixture
def vectors() -> np.ndarray:
    rows = np.random.default_rng(1).normal(size=(50, 16)).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def write_vectors(vectors: np.ndarray, path: Path, kind: str = "sq8") -> None:
    coding = fitted(kind, vectors)
    write_codes([quantise(vectors[:20], coding), quantise(vectors[20:], coding)], path, coding)


def test_vectors_come_back_within_eight_bits_of_each_range(tmp_path: Path, vectors: np.ndarray) -> None:
    vectors[:, 3] = 40  # in all papers alike
    vectors[:, 4] *= 100
    write_vectors(vectors, tmp_path / "dense" / "vectors.faiss")
    index = open_index(tmp_path / "dense" / "vectors.faiss")
    assert (index.ntotal, index.d) == vectors.shape
    step = (vectors.max(axis=0) - vectors.min(axis=0)) / 255
    assert (np.abs(index.reconstruct_n(0, 50) - vectors) <= step / 2 * 1.001 + 1e-6).all()
    coding = fitted("sq8", vectors)
    np.testing.assert_array_equal(read_codes(tmp_path / "dense" / "vectors.faiss"), quantise(vectors, coding))
    np.testing.assert_array_equal(ranges_of(index), coding.ranges)


def test_what_is_outside_of_the_range_becomes_its_end(vectors: np.ndarray) -> None:
    coding = fitted("sq8", vectors)
    np.testing.assert_array_equal(quantise(vectors * 1e6, coding), np.where(vectors > 0, 255, 0))


def test_a_code_depends_on_its_own_vector_and_the_ranges_alone(vectors: np.ndarray) -> None:
    coding = fitted("sq8", vectors)
    together = quantise(vectors, coding)
    for row in range(50):
        np.testing.assert_array_equal(quantise(vectors[row : row + 1], coding)[0], together[row])


def test_ranges_are_those_of_an_even_sample_in_the_order_given(
    vectors: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.vectors._SAMPLE", 3)
    order = np.arange(50)[::-1]
    sample = vectors[[49, 25, 0]]
    ranges = fitted("sq8", vectors, order).ranges
    assert ranges is not None
    np.testing.assert_array_equal(ranges[0], sample.min(axis=0))
    np.testing.assert_array_equal(ranges[1], sample.max(axis=0) - sample.min(axis=0))


@pytest.mark.parametrize(("kind", "error"), [("fp16", 2**-11), ("fp32", 0.0)])
def test_floats_come_back_as_they_were_in_blocks_too(
    tmp_path: Path, vectors: np.ndarray, kind: str, error: float
) -> None:
    write_vectors(vectors, tmp_path / "vectors.faiss", kind)
    np.testing.assert_allclose(open_index(tmp_path / "vectors.faiss").reconstruct_n(0, 50), vectors, rtol=error)
    codes = read_codes(tmp_path / "vectors.faiss")
    assert codes.shape == (50, code_size(16, kind))
    np.testing.assert_array_equal(codes.view(KINDS[kind].kept), vectors.astype(KINDS[kind].kept))
    np.testing.assert_allclose(dequantise(codes, fitted(kind, vectors)), vectors, rtol=error)


@pytest.mark.parametrize("papers", [1, 2])
def test_the_smallest_index_of_vectors(tmp_path: Path, vectors: np.ndarray, papers: int) -> None:
    write_vectors(vectors[:papers], tmp_path / "vectors.faiss")
    index = open_index(tmp_path / "vectors.faiss")
    np.testing.assert_allclose(index.reconstruct_n(0, papers), vectors[:papers], atol=0.02)


@pytest.mark.parametrize("keep", [None, 0, 3, 40, -1])
def test_damaged_vectors_are_refused(tmp_path: Path, vectors: np.ndarray, keep: int | None) -> None:
    path = tmp_path / "vectors.faiss"
    write_vectors(vectors, path)
    data = path.read_bytes()
    path.unlink()
    if keep is not None:
        path.write_bytes(data[:keep])
    with pytest.raises(IndexDirectoryError) as caught:
        open_index(path)
    assert "\n" not in str(caught.value)


def write(texts: list[Text], folder: Path) -> None:
    with Bm25Writer(folder) as writer:
        for label, text in enumerate(texts):
            writer.add(label, text)


@pytest.mark.parametrize("count", [0, 1, 999, 1000, 25_500])  # one batch, and more than may wait
def test_every_text_has_one_lucene_document(tmp_path: Path, count: int) -> None:
    write([Text(f"word{n} title", "") for n in range(count)], tmp_path / "bm25")
    found = labels(tmp_path / "bm25")
    assert found.dtype == np.int32
    assert sorted(found.tolist()) == [*range(count)]


def test_labels_are_in_the_order_of_the_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("indexer.lucene._PAGE", 700)
    write([Text(f"word{n} title", "") for n in range(2500)], tmp_path / "bm25")
    reader = open_reader(tmp_path / "bm25")
    stored = reader.storedFields()
    assert labels(tmp_path / "bm25").tolist() == [int(stored.document(n).get("id")) for n in range(2500)]


@pytest.mark.long
def test_documents_that_an_addition_left_in_place_are_known(tmp_path: Path) -> None:
    write([Text(f"word{n} title", "") for n in range(2500)], tmp_path / "0")
    kept = []
    for step in range(12):
        before, after = tmp_path / str(step), tmp_path / str(step + 1)
        shutil.copytree(before, after, copy_function=os.link)
        with Bm25Writer(after, append=True) as writer:
            writer.add(2500 + step, Text("one more", ""))
        kept.append(documents_kept(before, after))
        labels_before, labels_after = labels(before), labels(after)
        np.testing.assert_array_equal(labels_before[: kept[-1]], labels_after[: kept[-1]])
        np.testing.assert_array_equal(labels(after, first=kept[-1]), labels_after[kept[-1] :])
    assert kept[:3] == [2500, 2501, 2502]
    assert any(later < earlier for earlier, later in pairwise(kept))  # Lucene has merged segments on the way


def test_lucene_writes_what_is_more_than_its_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [Text(" ".join(f"word{n}x{place}" for place in range(60)), "") for n in range(4000)]
    segments = {}
    for megabytes in (1, 512):
        monkeypatch.setattr("indexer.lucene._BUFFER_MB", megabytes)
        folder = tmp_path / str(megabytes)
        write(texts, folder)
        segments[megabytes] = len(list(folder.glob("*.si")))
        assert sorted(labels(folder).tolist()) == [*range(4000)]
    assert segments[512] <= min(usable_cores(), 4) < segments[1]  # a thread each for four batches


def test_papers_without_words_keep_their_documents(tmp_path: Path) -> None:
    write([Text("", ""), Text("the of", ""), Text("\0", "\ud800"), Text("citation graphs", "")], tmp_path / "bm25")
    assert sorted(labels(tmp_path / "bm25").tolist()) == [0, 1, 2, 3]


def test_a_paper_that_lucene_did_not_take_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    feed = Bm25Writer._feed
    monkeypatch.setattr(Bm25Writer, "_feed", lambda self, batch, indexer: feed(self, batch[1:], indexer))
    with pytest.raises(IndexDirectoryError, match="2 of 3"):
        write([Text("a", ""), Text("b", ""), Text("c", "")], tmp_path / "bm25")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
@pytest.mark.parametrize("appended", [False, True])
def test_texts_that_lucene_could_not_bring_to_disk_are_noticed(tmp_path: Path, appended: bool) -> None:
    """An addition on a disk that was full for a moment was served without its texts."""
    if appended:
        write([Text("first", "")], tmp_path / "bm25")
    texts = [Text(" ".join(f"word{n}x{place}" for place in range(60)), "") for n in range(200)]
    full = pytest.raises(IndexDirectoryError, match=r"0 of 200 .* is the disk or memory full")
    with full, files_of_at_most(10_000), Bm25Writer(tmp_path / "bm25", append=appended) as writer:
        for label, text in enumerate(texts, start=int(appended)):
            writer.add(label, text)


def test_a_folder_that_lucene_cannot_write_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "bm25").write_bytes(b"a file")
    with pytest.raises(OSError, match="bm25"):
        write([Text("a", "")], tmp_path / "bm25")
    (tmp_path / "folder" / "write.lock").mkdir(parents=True)
    with pytest.raises(IndexDirectoryError, match="cannot write") as caught:
        write([Text("a", "")] * 30_000, tmp_path / "folder")
    assert "\n" not in str(caught.value)


def test_what_interrupts_the_texts_is_what_the_caller_sees(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), Bm25Writer(tmp_path / "bm25") as writer:
        for label in range(20_000):
            writer.add(label, Text("word", ""))
        raise KeyboardInterrupt
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("bm25")]


@pytest.mark.parametrize("content", [{}, {"segments_1": b""}, {"segments_1": b"no segments at all"}])
def test_folder_without_a_lucene_index_is_refused(tmp_path: Path, content: dict[str, bytes]) -> None:
    for name, data in content.items():
        (tmp_path / name).write_bytes(data)
    with pytest.raises(IndexDirectoryError) as caught:
        open_reader(tmp_path)
    assert "\n" not in str(caught.value)


def test_text_is_cleaned_of_what_java_cannot_hold() -> None:
    assert clean_text("a\0b\ud800c 😀") == "a b?c 😀"
