"""Readers keep what they opened, writers delete only what nobody reads, and there is one writer at a time."""

import errno
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from filelock import FileLock
from living import paper_of

from common.errors import IndexDirectoryError, IndexLockedError
from indexer import generations
from indexer.builds import build_index
from indexer.changes import add_papers, compact_index, remove_papers
from indexer.directory import Served, read_current
from indexer.generations import open_generation, served_manifest
from indexer.layout import CURRENT, LAYOUT, LOCK
from indexer.leases import delete_unless_leased, lease

ROOT = Path(__file__).parents[2]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    build_index([paper_of(id_, 0) for id_ in ("p01", "p02", "p03")], tmp_path / "index", None)
    return tmp_path / "index"


def generation_names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir() if path.name not in {CURRENT, LOCK})


def test_a_reader_keeps_its_snapshot_in_new_threads_while_writers_swap_twice(directory: Path) -> None:
    reader = open_generation(directory)
    add_papers([paper_of("p04", 0)], directory)
    remove_papers(["p01", "p02"], directory)
    with ThreadPoolExecutor(4) as pool:  # whose threads open SQLite for themselves
        for found in pool.map(reader.catalog.ids, [[0, 1, 2]] * 20):
            assert found == ["p01", "p02", "p03"]
    assert generation_names(directory) == ["gen-000001", "gen-000003"]
    reader.close()
    compact_index(directory)
    assert generation_names(directory) == ["gen-000004"]


def test_a_reader_never_mixes_its_index_with_one_that_takes_its_place(directory: Path, tmp_path: Path) -> None:
    other, aside = tmp_path / "other", tmp_path / "aside"
    build_index([paper_of(id_, 0) for id_ in ("q01", "q02", "q03")], other, None)
    reader = open_generation(directory)
    for place, moved_to in ((directory, aside), (other, directory)):
        place.rename(moved_to)
        assert reader.catalog.ids([0]) == ["p01"]
        with ThreadPoolExecutor(1) as another_thread:
            assert another_thread.submit(reader.catalog.ids, [0]).result() == ["p01"]
    reader.close()


def test_a_reader_that_comes_between_swap_and_deletion_takes_the_next(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stale = read_current(directory)
    add_papers([paper_of("p04", 0)], directory)
    answers: list[Served | None] = [stale, stale]

    def late(asked: Path) -> Served | None:
        return answers.pop(0) if len(answers) > 1 else read_current(asked)

    monkeypatch.setattr(generations, "read_current", late)
    reader = open_generation(directory)
    assert reader.catalog.size == 4
    reader.close()


def test_no_lease_on_what_is_deleted_while_it_is_opened(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = directory / "gen-000001"

    def delete_first(*_: object, **__: object) -> bool:
        (folder / LAYOUT.manifest).unlink()
        return True

    monkeypatch.setattr("indexer.leases._lock", delete_first)
    assert lease(folder) is None


def test_two_readers_share_and_the_last_one_lets_go(directory: Path) -> None:
    folder = directory / "gen-000001"
    one, other = lease(folder), lease(folder)
    assert one is not None
    assert other is not None
    one.close()
    delete_unless_leased(folder)
    assert (folder / LAYOUT.catalog).exists()
    other.close()
    delete_unless_leased(folder)
    assert not folder.exists()


READER = """
import sys, time
from pathlib import Path
from indexer.generations import open_generation
opened = open_generation(Path(sys.argv[1]))
print("reading", flush=True)
time.sleep(60)
"""


def test_a_killed_reader_holds_nothing(directory: Path) -> None:
    reader = subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", READER, str(directory)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert reader.stdout is not None
    assert reader.stdout.readline() == "reading\n"
    add_papers([paper_of("p04", 0)], directory)
    assert generation_names(directory) == ["gen-000001", "gen-000002"]
    os.kill(reader.pid, signal.SIGKILL)
    reader.wait()
    remove_papers(["p04"], directory)
    assert generation_names(directory) == ["gen-000003"]


def test_a_second_writer_is_reported_to_wait(directory: Path) -> None:
    before = served_manifest(directory)
    with FileLock(directory / LOCK):
        for change in (
            lambda: add_papers([paper_of("p04", 0)], directory),
            lambda: remove_papers(["p01"], directory),
            lambda: compact_index(directory),
            lambda: build_index([paper_of("p04", 0)], directory, None),
        ):
            with pytest.raises(IndexLockedError, match=r"another process is writing .* wait"):
                change()
    assert served_manifest(directory) == before


def test_a_writer_that_is_refused_leaves_the_folder_of_a_first_build(tmp_path: Path) -> None:
    directory = tmp_path / "index"
    directory.mkdir()
    with FileLock(directory / LOCK):
        with pytest.raises(IndexLockedError):
            build_index([paper_of("p01", 0)], directory, None)
        assert (directory / LOCK).exists()


def test_where_the_file_system_has_no_locks_an_index_is_read_and_not_changed(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without(*_: object) -> None:
        raise OSError(errno.ENOTSUP, "Operation not supported")

    monkeypatch.setattr("fcntl.flock", without)
    reader = open_generation(directory)
    assert reader.catalog.ids([0, 1, 2]) == ["p01", "p02", "p03"]
    before = served_manifest(directory)
    for change in (
        lambda: add_papers([paper_of("p04", 0)], directory),
        lambda: remove_papers(["p01"], directory),
        lambda: build_index([paper_of("p04", 0)], directory, None),
    ):
        with pytest.raises(IndexDirectoryError, match=r"cannot write the index in .* Operation not supported"):
            change()
    assert served_manifest(directory) == before
    assert generation_names(directory) == ["gen-000001"]
    reader.close()


def test_a_manifest_that_cannot_be_opened_is_reported(directory: Path) -> None:
    path = directory / "gen-000001" / LAYOUT.manifest
    path.unlink()
    path.symlink_to(path.name)  # leads to itself
    with pytest.raises(IndexDirectoryError, match=r"cannot read .*manifest\.json: "):
        lease(directory / "gen-000001")
