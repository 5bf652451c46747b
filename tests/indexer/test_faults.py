"""One thing goes wrong, each in turn: a call that fails, a disk that is full, a byte that flips.

The index is then the old one or the new one, whole, and the next operation needs no repair.
"""

import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from command_line import files_of_at_most
from living import IDS, Model, assert_holds, paper_of, use_hash_encoder

from common.errors import CitescoutError, IndexDirectoryError
from encoders.transformer import TextEncoder
from indexer.builds import build_index
from indexer.changes import add_papers, compact_index, remove_papers
from indexer.generations import open_generation, served_manifest
from indexer.layout import CURRENT, LAYOUT, LOCK, PARTIAL, data_files
from indexer.vector_choice import VectorOptions

pytestmark = pytest.mark.usefixtures("hash_encoder")

BEFORE = {id_: paper_of(id_, 0) for id_ in IDS[:12]} | {"p03": paper_of("p03", 2)}
ADDED = {id_: paper_of(id_, 2) for id_ in ("p01", "p02", "p20", "p21")}
REMOVED = ("p00", "p05", "p11")

GRAPH = VectorOptions(search="hnsw")  # so that there is every file that there may be

Operation = Callable[[Path], object]
OPERATIONS: dict[str, tuple[Operation, Model]] = {
    "build": (lambda directory: build_index(ADDED.values(), directory, "hash", vectors=GRAPH), ADDED),
    "add": (lambda directory: add_papers(ADDED.values(), directory), BEFORE | ADDED),
    "remove": (lambda directory: remove_papers(REMOVED, directory), {i: BEFORE[i] for i in BEFORE if i not in REMOVED}),
    "compact": (compact_index, BEFORE),
}


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index with an addition and a replacement behind it."""
    directory = tmp_path_factory.mktemp("faults") / "original"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TextEncoder, "load", use_hash_encoder)
        build_index([paper_of(id_, 0) for id_ in IDS[:10]], directory, "hash", vectors=GRAPH)
        add_papers(BEFORE.values(), directory)
    return directory


class Fault:
    """The n-th call of the operating system that touches the index fails."""

    def __init__(self) -> None:
        self.directory = ""
        self.calls = 0
        self.failing = -1

    def call(self, path: object) -> None:
        if self.directory and isinstance(path, str | bytes | Path) and os.fsdecode(path).startswith(self.directory):
            self.calls += 1
            if self.calls == self.failing:
                raise OSError(errno.ENOSPC, "No space left on device", os.fsdecode(path))

    @contextmanager
    def at(self, directory: Path, failing: int = -1) -> Iterator[None]:
        self.directory, self.calls, self.failing = f"{directory}{os.sep}", 0, failing
        try:
            yield
        finally:
            self.directory = ""


FAULT = Fault()
# Python tells of these before they happen; an exception of the hook is theirs. A hook cannot be removed again.
EVENTS = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.chmod", "os.listdir", "os.scandir"}
sys.addaudithook(lambda event, arguments: FAULT.call(arguments[0]) if event in EVENTS and FAULT.directory else None)


def assert_old_or_new(directory: Path, after: Model) -> None:
    served_manifest(directory)
    try:
        assert_holds(directory, BEFORE)
    except AssertionError:
        assert_holds(directory, after)


def assert_recovers(directory: Path) -> None:
    """The next writer clears up whatever was left."""
    add_papers([paper_of("p23", 0)], directory)
    name, _ = served_manifest(directory)
    assert {path.name for path in directory.iterdir()} - {LOCK} == {CURRENT, name}


def run_with_fault(original: Path, directory: Path, operation: str, failing: int) -> int:
    """Returns how many calls there were."""
    change, after = OPERATIONS[operation]
    shutil.rmtree(directory, ignore_errors=True)
    shutil.copytree(original, directory)
    with FAULT.at(directory, failing):
        try:
            change(directory)
        except CitescoutError as error:
            assert "\n" not in str(error)
        calls = FAULT.calls
    assert_old_or_new(directory, after)
    return calls


@pytest.mark.long
@pytest.mark.parametrize("operation", OPERATIONS)
def test_some_calls_that_fail(original: Path, tmp_path: Path, operation: str) -> None:
    calls = run_with_fault(original, tmp_path / "index", operation, -1)
    assert calls > 50
    for failing in range(3, calls, calls // 7):
        run_with_fault(original, tmp_path / "index", operation, failing)
        assert_recovers(tmp_path / "index")


@pytest.mark.slow
@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_call_that_fails(original: Path, tmp_path: Path, operation: str) -> None:
    failing = 1
    while run_with_fault(original, tmp_path / "index", operation, failing) >= failing:
        assert_recovers(tmp_path / "index")
        failing += 1
    assert failing > 50


@pytest.mark.long
@pytest.mark.parametrize("operation", OPERATIONS)
def test_an_fsync_that_fails(original: Path, tmp_path: Path, operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    change, after = OPERATIONS[operation]
    directory = tmp_path / "index"
    fsync = os.fsync
    synced: list[int] = []

    def run(failing: int) -> None:
        def sync(descriptor: int) -> None:
            synced.append(descriptor)
            if len(synced) == failing:
                raise OSError(errno.EIO, "Input/output error")
            fsync(descriptor)

        shutil.rmtree(directory, ignore_errors=True)
        shutil.copytree(original, directory)
        synced.clear()
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", sync)
            change(directory)

    run(-1)
    last = len(synced)
    for failing in sorted({*range(1, last, 4), last - 2, last - 1, last}):
        with pytest.raises(IndexDirectoryError, match="Input/output"):
            run(failing)
        assert_old_or_new(directory, after)
        assert_recovers(directory)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_writes_that_end_in_the_middle_of_a_file(original: Path, tmp_path: Path, operation: str) -> None:
    change, after = OPERATIONS[operation]
    shutil.copytree(original, tmp_path / "whole")
    change(tmp_path / "whole")
    served = tmp_path / "whole" / served_manifest(tmp_path / "whole")[0]
    sizes = sorted({path.stat().st_size for path in served.rglob("*") if path.is_file()} - {0})
    for size in sizes:
        directory = tmp_path / "index"
        shutil.copytree(original, directory)
        try:
            with files_of_at_most(size - 1):
                change(directory)
        except CitescoutError as error:
            assert "\n" not in str(error)
        assert_old_or_new(directory, after)
        assert_recovers(directory)
        shutil.rmtree(directory)


@pytest.mark.parametrize("large", [False, True])
def test_a_flipped_byte_of_any_file_is_found(
    original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    if large:
        monkeypatch.setattr("indexer.manifest._CHECK_FULLY_BYTES", 0)
    directory = tmp_path / "index"
    shutil.copytree(original, directory)
    folder = directory / served_manifest(directory)[0]
    for file in [*data_files(folder), folder / LAYOUT.manifest, directory / CURRENT]:
        data = file.read_bytes()
        for place in {0, 1, len(data) // 3, len(data) // 2, len(data) - 2, len(data) - 1}:
            if not 0 <= place < len(data):
                continue
            for bit in (0x01, 0x20, 0x80):
                flipped = bytearray(data)
                flipped[place] ^= bit
                file.write_bytes(flipped)
                with pytest.raises(IndexDirectoryError):
                    open_generation(directory, full_check=True)
        file.write_bytes(data)
    assert_holds(directory, BEFORE)


def test_a_damaged_current_costs_no_generation_before_a_build_succeeds(original: Path, tmp_path: Path) -> None:
    directory = tmp_path / "index"
    shutil.copytree(original, directory)
    current = (directory / CURRENT).read_bytes()
    (directory / CURRENT).write_bytes(b"X" + current[1:])
    with pytest.raises(IndexDirectoryError, match="damaged"):
        add_papers(ADDED.values(), directory)
    with pytest.raises(IndexDirectoryError):
        build_index([], directory, None)
    (directory / CURRENT).write_bytes(current)
    assert_holds(directory, BEFORE)
    (directory / CURRENT).write_bytes(b"X" + current[1:])
    build_index(ADDED.values(), directory, "hash")
    assert_holds(directory, ADDED)
    assert_recovers(directory)
    assert not (directory / PARTIAL).exists()
