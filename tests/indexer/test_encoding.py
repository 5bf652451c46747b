"""What was encoded once is not encoded again: not after a kill, not for a build of much the same papers."""

import io
import re
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from living import HashEncoder, assert_holds, assert_same_vectors, paper_of, stop_after

import indexer.encoding
from encoders.text import Text
from encoders.transformer import TextEncoder
from indexer.builds import build_index
from indexer.changes import add_papers, remove_papers
from indexer.encoding import KnownVectors, PartialVectors, vectors_of
from indexer.generations import open_generation
from indexer.layout import PARTIAL
from indexer.vector_choice import VectorOptions

CHUNK = 8
TEXTS = [Text(f"title {number}", "abstract") for number in range(3 * CHUNK + 5)]


@pytest.fixture(autouse=True)
def small_chunks(hash_encoder: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexer.encoding, "CHUNK", CHUNK)


def encoded(directory: Path, texts: list[Text], encoder: HashEncoder | None = None, kind: str = "sq8") -> np.ndarray:
    encoder = encoder or HashEncoder()
    partial, known = PartialVectors(directory, encoder, kind), KnownVectors(encoder.dimension, kind)
    return vectors_of(iter(texts), len(texts), encoder, known, partial)


def expected_of(texts: list[Text]) -> np.ndarray:
    return HashEncoder().encode(texts).astype(np.float16)


def test_vectors_are_those_of_the_encoder_in_order(tmp_path: Path) -> None:
    expected = expected_of(TEXTS)
    np.testing.assert_array_equal(encoded(tmp_path, TEXTS), expected)
    np.testing.assert_array_equal(encoded(tmp_path, TEXTS[::-1]), expected[::-1])
    np.testing.assert_array_equal(encoded(tmp_path, TEXTS[3:4] * 20 + TEXTS), expected_of(TEXTS[3:4] * 20 + TEXTS))
    assert encoded(tmp_path, []).shape == (0, HashEncoder.dimension)


def test_an_interrupted_build_is_taken_up_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    papers = {id_: paper_of(id_, 0) for id_ in map("p{:03}".format, range(40))}
    distinct = len({paper.text for paper in papers.values()})
    with monkeypatch.context() as patch:
        stop_after(3, patch)
        with pytest.raises(KeyboardInterrupt):
            build_index(papers.values(), tmp_path / "index", "hash")
    assert len(list((tmp_path / "index" / PARTIAL).iterdir())) == 3
    monkeypatch.setattr(HashEncoder, "encoded", 0)
    build_index(papers.values(), tmp_path / "index", "hash")
    assert HashEncoder.encoded <= distinct - 2 * CHUNK
    assert_holds(tmp_path / "index", papers)
    assert not (tmp_path / "index" / PARTIAL).exists()


def test_an_interrupted_addition_is_taken_up_where_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = {id_: paper_of(id_, 0) for id_ in ("other", "p000")}
    build_index(first.values(), tmp_path / "index", "hash")
    more = {id_: paper_of(id_, 0) for id_ in map("p{:03}".format, range(40))}
    with monkeypatch.context() as patch:
        stop_after(2, patch)
        with pytest.raises(KeyboardInterrupt):
            add_papers(more.values(), tmp_path / "index")
    assert_holds(tmp_path / "index", first)
    monkeypatch.setattr(HashEncoder, "encoded", 0)
    remove_papers(["other"], tmp_path / "index")  # which encodes nothing, and so leaves what was encoded
    add_papers(more.values(), tmp_path / "index")
    assert HashEncoder.encoded == 39 - 2 * CHUNK
    assert_holds(tmp_path / "index", more)
    assert not (tmp_path / "index" / PARTIAL).exists()


def test_a_build_takes_over_the_vectors_that_are_served(tmp_path: Path) -> None:
    papers = {id_: paper_of(id_, 0) for id_ in map("p{:03}".format, range(20))}
    build_index(papers.values(), tmp_path / "index", "hash")
    HashEncoder.encoded = 0
    papers["new"] = paper_of("new", 0)
    del papers["p003"]
    build_index(papers.values(), tmp_path / "index", "hash")
    assert HashEncoder.encoded == 1
    assert_holds(tmp_path / "index", papers)


@pytest.mark.parametrize(
    ("damage", "place"), [*product(("flip", "cut"), (0, 40, 70, 90, -1)), ("empty", 0), ("longer", 0)]
)
def test_a_damaged_chunk_is_left_out(tmp_path: Path, damage: str, place: int) -> None:
    expected = encoded(tmp_path, TEXTS)
    chunk = sorted((tmp_path / PARTIAL).iterdir())[1]
    data = bytearray(chunk.read_bytes())
    if damage == "flip":
        data[place] ^= 1
    chunk.write_bytes({"flip": data, "cut": data[:place], "empty": b"", "longer": data + b"\0"}[damage])
    HashEncoder.encoded = 0
    np.testing.assert_array_equal(encoded(tmp_path, TEXTS), expected)
    assert HashEncoder.encoded in ({0, CHUNK} if (damage, place) == ("cut", 0) else {CHUNK})


def test_chunks_of_another_encoder_are_left_out(tmp_path: Path) -> None:
    encoded(tmp_path, TEXTS)
    other = HashEncoder()
    other.digest = "another"
    HashEncoder.encoded = 0
    encoded(tmp_path, TEXTS, other)
    assert HashEncoder.encoded == len(TEXTS)


def test_chunks_of_other_bits_are_left_out(tmp_path: Path) -> None:
    encoded(tmp_path, TEXTS)
    HashEncoder.encoded = 0
    for kind, dtype in (("fp16", np.float16), ("fp32", np.float32), ("fp16", np.float16)):
        found = encoded(tmp_path, TEXTS, kind=kind)
        assert found.dtype == dtype
        np.testing.assert_array_equal(found, HashEncoder().encode(TEXTS).astype(dtype))
    assert HashEncoder.encoded == (1 + 3) * len(TEXTS)  # what was made for 8 bits did for 16


@pytest.mark.parametrize(("before", "after"), [("fp32", "sq8"), ("fp32", "fp16"), ("fp16", "sq8"), ("sq8", "fp32")])
def test_other_codes_are_made_of_vectors_with_as_many_bits(tmp_path: Path, before: str, after: str) -> None:
    papers = {id_: paper_of(id_, 0) for id_ in map("p{:03}".format, range(20))}
    build_index(papers.values(), tmp_path / "index", "hash", vectors=VectorOptions(before))
    HashEncoder.encoded = 0
    build_index(papers.values(), tmp_path / "index", "hash", vectors=VectorOptions(after))
    assert HashEncoder.encoded == (20 if after == "fp32" else 0)
    build_index(papers.values(), tmp_path / "fresh", "hash", vectors=VectorOptions(after))
    assert_holds(tmp_path / "index", papers)
    with open_generation(tmp_path / "index") as ours, open_generation(tmp_path / "fresh") as fresh:
        assert_same_vectors(ours, fresh)


def test_recall_is_measured_at_each_build_and_again_after_growth(tmp_path: Path) -> None:
    papers = {id_: paper_of(id_, 0) for id_ in map("p{:03}".format, range(40))}
    options = VectorOptions("sq8")
    first = build_index(papers.values(), tmp_path / "index", "hash", vectors=options).recall
    assert first is not None
    assert (first.papers, first.of, first.queries, set(first.at)) == (40, 40, 40, {"10"})
    assert 0.8 < first.at["10"] <= 1
    assert build_index(papers.values(), tmp_path / "index", "hash", vectors=options).recall == first
    assert add_papers([paper_of("more", 0)], tmp_path / "index").manifest.recall == first
    grown = add_papers([paper_of(id_, 0) for id_ in "abcd"], tmp_path / "index").manifest.recall
    assert grown is not None
    assert grown.of == 45
    structured = build_index(papers.values(), tmp_path / "index", "hash", vectors=VectorOptions("fp32", "hnsw")).recall
    assert structured is not None
    assert structured.at == {"10": 1.0}
    assert build_index(papers.values(), tmp_path / "index", "hash", vectors=VectorOptions("fp16")).recall is None


def test_texts_that_join_to_the_same_string_are_reported_apart() -> None:
    texts = [Text("ab", "c"), Text("a", "bc"), Text("", "abc"), Text("\ud800", "")]
    assert len({indexer.encoding.text_key(text) for text in texts}) == 4


@pytest.mark.parametrize(("texts", "bars"), [(CHUNK, {"encoding"}), (CHUNK + 1, {"encoding", "papers"})])
def test_a_bar_for_all_papers_is_shown_only_where_it_moves_before_the_end(
    tmp_path: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch, texts: int, bars: set[str]
) -> None:
    monkeypatch.undo()  # the encoder itself
    monkeypatch.setattr(indexer.encoding, "CHUNK", CHUNK)
    terminal = io.StringIO()
    terminal.isatty = lambda: True  # type: ignore[method-assign]
    monkeypatch.setattr(sys, "stderr", terminal)
    encoder = TextEncoder.load(str(tiny_bert))
    partial, known = PartialVectors(tmp_path, encoder, "sq8"), KnownVectors(encoder.dimension, "sq8")
    vectors_of(TEXTS[:texts], texts, encoder, known, partial)
    shown = re.findall(r"(\w+): +\d+%.*?\| *\d+/(\d+)", terminal.getvalue())
    assert {name for name, _ in shown} == bars
    assert ("papers", str(texts)) in shown or "papers" not in bars
    terminal.truncate(0)
    encoder.encode(TEXTS)
    assert terminal.getvalue() == ""
