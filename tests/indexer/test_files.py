"""Files are the old or the new version, never half of one."""

import hashlib
import os
import sqlite3
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path

import numpy as np
import pytest
from command_line import files_of_at_most
from filelock import BaseFileLock

from common.errors import FetchError, IndexDirectoryError, IndexLockedError
from common.files import place_within, sha256, sync_tree, write_atomically
from fetch.corpus.answers import Answers
from fetch.partial import PartialFile
from indexer.directory import next_generation, serve, writing
from indexer.layout import CURRENT


def test_content_is_written_as_bytes_or_utf8(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", "Spärck\n")
    assert (tmp_path / "file").read_bytes() == "Spärck\n".encode()
    write_atomically(tmp_path / "file", b"\xff\0")
    assert (tmp_path / "file").read_bytes() == b"\xff\0"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_a_link_stays_one_and_what_it_names_is_written(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("old")
    (tmp_path / "link").symlink_to("elsewhere/file")
    write_atomically(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "elsewhere" / "file").read_text() == "new"


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_old_content_stays_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    write_atomically(tmp_path / "file", "old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(*((os, "fsync", full) if failing == "fsync" else (Path, "replace", full)))
    with pytest.raises(OSError, match="No space") as error:
        write_atomically(tmp_path / "file", "new")
    assert error.value.filename == str(tmp_path / "file")
    assert (tmp_path / "file").read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["file"]


def test_checksum_is_that_of_hashlib(tmp_path: Path) -> None:
    data = os.urandom(3 * 2**20 + 17)
    (tmp_path / "file").write_bytes(data)
    assert sha256(tmp_path / "file") == hashlib.sha256(data).hexdigest()


def test_every_file_and_folder_is_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "file").write_text("x")
    synced: list[Path] = []
    monkeypatch.setattr("common.files.sync", synced.append)
    sync_tree(tmp_path)
    assert synced == [tmp_path / "a" / "b" / "file", tmp_path / "a" / "b", tmp_path / "a", tmp_path]


def record_disk(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, Path]]:
    """From here on, every `fsync` of a file or folder and every rename, in their order."""
    events: list[tuple[str, Path]] = []
    fsync, replace = os.fsync, Path.replace

    def noted_fsync(descriptor: int) -> None:
        events.append(("fsync", Path(f"/proc/self/fd/{descriptor}").readlink()))
        fsync(descriptor)

    def noted_replace(path: Path, target: Path) -> Path:
        events.append(("rename", target))
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(Path, "replace", noted_replace)
    return events


needs_proc = pytest.mark.skipif(
    not Path("/proc/self/fd").is_dir(), reason="the path of a descriptor is read from /proc"
)


@needs_proc
def test_a_replaced_file_is_on_disk_before_its_rename_and_its_folder_after_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = record_disk(monkeypatch)
    write_atomically(tmp_path / "file", "new")
    (first, temporary), *rest = events
    assert first == "fsync"
    assert temporary.name.startswith(".file.")
    assert rest == [("rename", tmp_path / "file"), ("fsync", tmp_path)]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_what_cannot_be_written_is_said_with_the_file_or_the_likely_reason(tmp_path: Path) -> None:
    with (
        pytest.raises(IndexDirectoryError, match=r"cannot write the index in .*; is the disk full\?$"),
        writing(tmp_path / "index"),
        files_of_at_most(1000),
    ):
        np.zeros(1000).tofile(tmp_path / "codes")
    with (
        pytest.raises(IndexDirectoryError, match=rf"/index: No such file or directory \({tmp_path}/index/new\)$"),
        writing(tmp_path / "index"),
    ):
        os.link(tmp_path / "old", tmp_path / "index" / "new")
    with (
        pytest.raises(IndexDirectoryError, match=r"is full; make room, there or for temporary files, or set TMPDIR"),
        writing(tmp_path / "index"),
        closing(sqlite3.connect(tmp_path / "offered.sqlite")) as connection,
    ):
        connection.execute("PRAGMA max_page_count = 1")
        connection.execute("CREATE TABLE papers (title TEXT)")


@needs_proc
def test_a_generation_and_its_name_are_on_disk_before_it_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "index"
    with writing(directory), next_generation(directory) as folder:
        (folder / "graph").mkdir()
        (folder / "graph" / "cites.npy").write_bytes(b"x")
        events = record_disk(monkeypatch)
        serve(folder, "0" * 64)
        monkeypatch.undo()
    served = events.index(("rename", directory / CURRENT))
    # The index directory holds the name of the generation's folder: without it, CURRENT could name what is not there.
    for path in (folder / "graph" / "cites.npy", folder / "graph", folder, directory):
        assert ("fsync", path) in events[:served], path
    assert ("fsync", directory) in events[served:]


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_a_generation_is_open_to_whom_the_one_before_it_was(tmp_path: Path) -> None:
    """Such as a server of another user than the nightly update, whose mask (umask) keeps out all others."""
    directory = tmp_path / "index"
    for mask in (0o027, 0o077, 0o022):
        before = os.umask(mask)
        try:
            with writing(directory), next_generation(directory) as folder:
                (folder / "graph").mkdir()
                for name in ("manifest.json", "graph/cites.npy"):
                    (folder / name).write_bytes(b"x")
                serve(folder, "0" * 64)
        finally:
            os.umask(before)
        modes = {path.name: path.stat().st_mode & 0o777 for path in (folder, *folder.rglob("*"))}
        assert modes == {folder.name: 0o750, "graph": 0o750, "manifest.json": 0o640, "cites.npy": 0o640}


def test_the_longest_names_of_files_can_be_written(tmp_path: Path) -> None:
    write_atomically(tmp_path / f"{'a' * 251}.csv", "x")
    assert [len(path.name) for path in tmp_path.iterdir()] == [255]


ALONE: dict[str, Callable[[Path], AbstractContextManager[object]]] = {
    "an index": lambda folder: writing(folder / "index"),
    "a download": lambda folder: PartialFile.claimed(folder / "works.jsonl", restart=True),
    "answers": lambda folder: Answers.kept_in(folder / "index" / "fetched", 1),
    "a place": lambda folder: place_within(folder, "place", BlockingIOError()),
}


@pytest.mark.parametrize("alone", ALONE.values(), ids=ALONE)
def test_who_gets_a_lock_the_moment_it_is_free_has_it_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, alone: Callable[[Path], AbstractContextManager[object]]
) -> None:
    free = BaseFileLock.release
    with ExitStack() as second:

        def next_enters(lock: BaseFileLock) -> None:
            free(lock)
            monkeypatch.undo()
            second.enter_context(alone(tmp_path))

        with alone(tmp_path):
            monkeypatch.setattr(BaseFileLock, "release", next_enters)
        with pytest.raises((IndexLockedError, FetchError, BlockingIOError)), alone(tmp_path):
            pass
    assert [path for path in tmp_path.rglob("*") if path.name.lower().endswith("lock")] == []
