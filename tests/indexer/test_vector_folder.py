"""Folders of vectors: what is in them comes out again, nothing damaged does, and an index does not encode it."""

from __future__ import annotations

import multiprocessing
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import orjson
import pytest
from living import HashEncoder, assert_holds, paper_of

import common.cpu
from common.arrays import contained
from common.errors import ClusterError, IndexLockedError, VectorFolderError
from indexer.builds import build_index
from indexer.bulk.cluster import Division, divide, encoders_of, threads_of
from indexer.bulk.folder import PARTS, describe, filling, finish, known_rows, part_paths, read_parts
from indexer.bulk.parts import Part, read_part, row_digests, write_part
from indexer.bulk.portions import Portion, add_up, portions
from indexer.encoding import text_key
from indexer.generations import open_generation
from indexer.paper import Paper
from indexer.readers import ReadReport
from indexer.readers.apart import Share
from indexer.vector_choice import VectorOptions

pytestmark = pytest.mark.usefixtures("hash_encoder")

PAPERS = {id_: paper_of(id_, 0) for id_ in map("p{:03}".format, range(40))}


def part_of(papers: Sequence[Paper]) -> Part:
    texts = [paper.text for paper in papers]
    return Part([paper.id for paper in papers], [text_key(text) for text in texts], HashEncoder().encode(texts))


def filled(directory: Path, papers: Sequence[Paper], size: int = 7) -> Path:
    encoder = HashEncoder()
    with filling(directory, encoder, "first"):  # type: ignore[arg-type]
        for start in range(0, len(papers), size):
            write_part(directory / PARTS, part_of(papers[start : start + size]), encoder.digest)
    finish(directory)
    HashEncoder.encoded = 0
    return directory


def ids_in(directory: Path) -> list[str]:
    return sorted(id_ for part in read_parts(directory, HashEncoder()) for id_ in part.ids)  # type: ignore[arg-type]


def test_a_part_comes_out_as_it_went_in(tmp_path: Path) -> None:
    part = part_of(list(PAPERS.values()))
    name = write_part(tmp_path, part, "digest")
    assert write_part(tmp_path, part, "digest") == name  # a portion that is encoded twice leaves one file
    assert [path.name for path in tmp_path.iterdir()] == [name]
    found = read_part(tmp_path / name, "digest", HashEncoder.dimension)
    assert (found.ids, found.keys) == (part.ids, part.keys)
    np.testing.assert_array_equal(found.vectors, part.vectors)


@pytest.mark.parametrize("damage", ["flip", "cut", "longer", "empty", "gone"])
def test_no_damage_of_a_part_goes_unnoticed(tmp_path: Path, damage: str) -> None:
    path = tmp_path / write_part(tmp_path, part_of(list(PAPERS.values())[:3]), "digest")
    data = path.read_bytes()
    for place in range(0, len(data), 13):
        flipped = bytes([*data[:place], data[place] ^ 1, *data[place + 1 :]])
        path.write_bytes(
            {"flip": flipped, "cut": data[:place], "longer": data + b"\0", "empty": b"", "gone": b""}[damage]
        )
        if damage == "gone":
            path.unlink()
        with pytest.raises(VectorFolderError, match=r"is damaged|cannot read"):
            read_part(path, "digest", HashEncoder.dimension)


def test_damage_never_changes_the_rows_that_are_taken_for_known(tmp_path: Path) -> None:
    """Their vectors are not read then, so only what lies in the columns that are."""
    directory = filled(tmp_path / "vectors", list(PAPERS.values())[:3])
    expected = known_rows(directory).tobytes()
    path = part_paths(directory)[0]
    data = path.read_bytes()
    for place in range(0, len(data), 7):
        path.write_bytes(bytes([*data[:place], data[place] ^ 16, *data[place + 1 :]]))
        try:
            assert known_rows(directory).tobytes() == expected
        except VectorFolderError:
            continue


def test_an_index_takes_over_what_is_there_and_encodes_the_rest(tmp_path: Path) -> None:
    directory = filled(tmp_path / "vectors", list(PAPERS.values())[:30])
    for kind in ("sq8", "fp16", "fp32"):
        HashEncoder.encoded = 0
        build_index(PAPERS.values(), tmp_path / kind, "hash", vectors=VectorOptions(kind), vectors_from=directory)
        known = {paper.text for paper in list(PAPERS.values())[:30]}
        assert HashEncoder.encoded == sum(paper.text not in known for paper in PAPERS.values())
        assert_holds(tmp_path / kind, PAPERS)
        build_index(PAPERS.values(), tmp_path / "ordinary" / kind, "hash", vectors=VectorOptions(kind))
        with (
            open_generation(tmp_path / kind) as ours,
            open_generation(tmp_path / "ordinary" / kind) as ordinary,
        ):
            np.testing.assert_array_equal(ours.vectors(), ordinary.vectors())


def test_an_index_refuses_a_damaged_part(tmp_path: Path) -> None:
    directory = filled(tmp_path / "vectors", list(PAPERS.values()))
    path = part_paths(directory)[2]
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(VectorFolderError, match=rf"{path.name} is damaged .* delete it and run `citescout encode`"):
        build_index(PAPERS.values(), tmp_path / "index", "hash", vectors_from=directory)


def test_vectors_of_another_encoder_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = filled(tmp_path / "vectors", list(PAPERS.values()))
    monkeypatch.setattr(HashEncoder, "digest", "trained again")
    with pytest.raises(VectorFolderError, match="another model by that name"):
        build_index(PAPERS.values(), tmp_path / "index", "hash", vectors_from=directory)
    with pytest.raises(VectorFolderError, match="another model"), filling(directory, HashEncoder(), "run"):  # type: ignore[arg-type]
        pass
    # And a single part of them among others.
    monkeypatch.setattr(HashEncoder, "digest", "of a test")
    write_part(directory / PARTS, part_of(list(PAPERS.values())[:2]), "trained again")
    with pytest.raises(VectorFolderError, match="has vectors of another encoder"):
        build_index(PAPERS.values(), tmp_path / "index", "hash", vectors_from=directory)


@pytest.mark.parametrize("content", [None, b"", b"[]", b"{", b'{"format": 2}', b'{"format": "1"}'])
def test_a_folder_that_is_none_of_vectors(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "vectors.json").write_bytes(content)
    with pytest.raises(VectorFolderError, match=r"is not a folder of vectors|is damaged"):
        describe(tmp_path)


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    directory = filled(tmp_path / "vectors", list(PAPERS.values()))
    description = orjson.loads((directory / "vectors.json").read_bytes()) | {"format": 2}
    (directory / "vectors.json").write_bytes(orjson.dumps(description))
    with pytest.raises(VectorFolderError, match="is of format 2, this version reads 1"):
        describe(directory)


def test_other_folders_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(VectorFolderError, match="other content"), filling(tmp_path, HashEncoder(), "run"):  # type: ignore[arg-type]
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def _fill(directory: Path, queue: multiprocessing.Queue[str]) -> None:
    try:
        with filling(directory, HashEncoder(), "second"):  # type: ignore[arg-type]
            queue.put("filled")
    except IndexLockedError as error:
        queue.put(str(error))


def test_a_run_that_could_not_even_describe_its_folder_can_be_repeated(tmp_path: Path, monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("indexer.bulk.folder.write_atomically", full)
        with pytest.raises(VectorFolderError, match="No space left"):
            filled(tmp_path, list(PAPERS.values()))
    filled(tmp_path, list(PAPERS.values()))
    assert ids_in(tmp_path) == sorted(PAPERS)


def test_only_one_process_fills_a_folder(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    with filling(tmp_path / "vectors", HashEncoder(), "first"):  # type: ignore[arg-type]
        other = context.Process(target=_fill, args=(tmp_path / "vectors", queue))
        other.start()
        assert "another process is encoding" in queue.get(timeout=60)
        other.join()


def test_what_is_left_of_a_part_may_be_another_part(tmp_path: Path) -> None:
    for count in range(2, 12):  # the names of parts, by which they are in order, are hashes
        papers, directory = list(PAPERS.values())[:count], tmp_path / str(count)
        filled(directory, papers, size=count)
        for apart in (papers[:1], papers[1:]):
            write_part(directory / PARTS, part_of(apart), HashEncoder.digest)
        assert finish(directory).papers == count
        assert ids_in(directory) == [paper.id for paper in papers]


def test_a_row_that_came_twice_is_left_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    tmp_path = Path()
    papers = list(PAPERS.values())
    directory = filled(tmp_path / "127.0.0.1:6379", papers)
    for again in (papers[3:12], papers[:7][::-1], papers[:1] * 3):
        write_part(directory / PARTS, part_of(again), HashEncoder.digest)
    (directory / PARTS / ".half.parquet.tmp").write_bytes(b"of a killed writer")
    assert len(ids_in(directory)) == 40 + 9 + 7 + 3
    done = finish(directory)
    assert ids_in(directory) == sorted(PAPERS)
    assert (done.papers, done.parts, done.complete) == (40, len(part_paths(directory)), True)
    assert len(known_rows(directory)) == 40
    assert not list((directory / PARTS).glob(".*"))


def test_a_changed_text_is_another_row(tmp_path: Path) -> None:
    first, later = paper_of("p1", 0), paper_of("p1", 2)
    assert first.text != later.text
    directory = filled(tmp_path / "vectors", [first, later, first])
    assert ids_in(directory) == ["p1", "p1"]


def test_membership_is_that_of_sets() -> None:
    generator = np.random.default_rng(3)
    ids = [str(number) for number in generator.integers(0, 300, 400)]
    digests = row_digests(ids, [b"k" * 16] * len(ids))
    known = np.sort(row_digests(ids[:50], [b"k" * 16] * 50))
    assert contained(digests, known).tolist() == [id_ in set(ids[:50]) for id_ in ids]
    assert not contained(digests, known[:0]).any()
    assert not contained(row_digests(ids[:50], [b"l" * 16] * 50), known).any()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "papers.jsonl"
    rows = [{"id": p.id, "title": p.title, "abstract": p.abstract} for p in PAPERS.values()]
    path.write_bytes(b"not json\n" + b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return path


@pytest.mark.parametrize("size", [1, 7, 40, 41])
def test_portions_hold_what_is_not_known(source: Path, size: int) -> None:
    share, papers = Share((str(source),), "jsonl"), list(PAPERS.values())
    part = part_of(papers[::3])
    known = np.sort(row_digests(part.ids, part.keys))
    found = list(portions(share, known, size, strict=False))
    expected = [paper for paper in papers if paper not in papers[::3]]
    assert [id_ for portion in found for id_ in portion.ids] == [paper.id for paper in expected]
    assert [text for portion in found for text in portion.texts] == [paper.text for paper in expected]
    assert all(len(portion.ids) == size for portion in found[:-1])
    assert [bool(portion.report) for portion in found] == [False] * (len(found) - 1) + [True]
    reading = ReadReport()
    assert add_up((portion.report for portion in found[-1:]), reading) == len(papers[::3])
    assert (reading.read, reading.skipped, reading.problems[0].where) == (40, 1, "line 1")
    assert found == list(portions(share, known, size, strict=False))  # made again after a node was lost


def test_a_share_without_papers_still_reports(source: Path) -> None:
    part = part_of(list(PAPERS.values()))
    known = np.sort(row_digests(part.ids, part.keys))
    (only,) = portions(Share((str(source),), "jsonl"), known, 7, strict=False)
    assert only == Portion([], [], [], only.report)
    assert only.report


@pytest.mark.parametrize("cpus", [[1], [1, 1], [2], [4], [4, 4], [64, 64, 2], [8, 4], [1.5], [3, 3, 0], [96] * 5])
def test_every_node_that_encodes_has_room_to_read(cpus: list[float]) -> None:
    division = divide(cpus)
    held = [encoders_of(count, division.cpus_per_encoder) for count in cpus]
    assert division.encoders == sum(held) >= 1
    for count, encoders in zip(cpus, held, strict=True):
        assert count - encoders * division.cpus_per_encoder >= 0.5 or not encoders
        assert encoders * threads_of(count, division.cpus_per_encoder) <= max(count, encoders)
    assert all(held[row] for row, count in enumerate(cpus) if count >= max(cpus) / 2)


def test_large_nodes_are_divided_by_themselves() -> None:
    assert divide([64, 64, 2]) == Division(63, 2)
    assert divide([8, 4]) == Division(3, 3)
    with pytest.raises(ClusterError, match="no node with a processor"):
        divide([0, 0])


def test_a_folder_may_be_moved(tmp_path: Path) -> None:
    shutil.move(filled(tmp_path / "vectors", list(PAPERS.values())), tmp_path / "elsewhere")
    build_index(PAPERS.values(), tmp_path / "index", "hash", vectors_from=tmp_path / "elsewhere")
    assert HashEncoder.encoded == 0


@pytest.mark.parametrize(
    ("allowed", "threads"), [(None, 4), ("", 4), ("2", 2), ("9", 4), ("0", 4), ("4,2", 4), ("two", 4)]
)
def test_schedulers_may_allow_fewer_threads(monkeypatch: pytest.MonkeyPatch, allowed: str | None, threads: int) -> None:
    monkeypatch.setattr(common.cpu, "usable_cores", lambda: 4)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if allowed is not None:
        monkeypatch.setenv("OMP_NUM_THREADS", allowed)
    assert common.cpu.compute_threads() == threads
