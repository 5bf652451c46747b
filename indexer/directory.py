"""The writer's side of an index directory: the one lock, the next generation, the swap.

A generation is complete and on disk before `CURRENT` names it, and `CURRENT` changes by one atomic rename: readers
see the old index or the new one, and a writer that dies leaves the old one served.
"""

import os
import re
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from common.errors import IndexDirectoryError, IndexLockedError, os_errors, reason_of
from common.files import lock_at_once, sync, sync_tree, take_access, write_atomically
from common.text import encodable
from indexer.layout import BESIDE, CURRENT, LAYOUT, LOCK, PASSING, generation_name, generation_number
from indexer.leases import delete_unless_leased

_LONGEST = 469  # bytes of an index's path: SQLite opens no file, a catalog's journal for one, of more than 512
_CURRENT_LINE = re.compile(r"(gen-[0-9]+) ([0-9a-f]{64})\n")


@dataclass(frozen=True, slots=True)
class Served:
    """What `CURRENT` says."""

    name: str  # of the generation's folder
    manifest: str  # SHA-256 of its manifest


def read_current(directory: Path) -> Served | None:
    """The generation that is served; None where there is none yet.

    Raises:
        IndexDirectoryError: `CURRENT` is damaged.
    """
    path = directory / CURRENT
    with os_errors(IndexDirectoryError, f"read {path}"):
        try:
            content = path.read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            return None  # of this alone: where it cannot be read, no generation may be deleted
    if found := _CURRENT_LINE.fullmatch(content):
        return Served(found[1], found[2])
    raise IndexDirectoryError(f"{path} is damaged ({content[:40]!r}): build the index again")


@contextmanager
def writing(directory: Path) -> Iterator[None]:
    """Hold the directory's one write lock; creates the directory if there is none.

    Raises:
        IndexLockedError: another process holds it.
        IndexDirectoryError: the folder has other content, or a path that is too long or no UTF-8; it cannot be created,
            or something in it cannot be written.
    """
    path = str(directory.absolute())
    if path != encodable(path):  # Java would write into another folder
        raise IndexDirectoryError(f"{encodable(path)} holds bytes that are not UTF-8: choose another name")
    if len(os.fsencode(path)) > _LONGEST:
        raise IndexDirectoryError(f"{directory} is too long a path, of more than {_LONGEST} bytes: give a shorter one")
    with os_errors(IndexDirectoryError, f"create the index directory {directory}"):
        refuse_other_content(directory)
        made = not directory.exists()
        directory.mkdir(parents=True, exist_ok=True)
    busy = IndexLockedError(f"another process is writing to {directory}: wait for it to end")
    with os_errors(IndexDirectoryError, f"write the index in {directory}"):
        lock = lock_at_once(directory / LOCK, busy)
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        reason, file = reason_of(error), getattr(error, "filename2", None) or getattr(error, "filename", None)
        if getattr(error, "errno", 0) is None:  # of numpy, which says "1200 requested and 800 written"
            reason = f"{reason}; is the disk full?"
        if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_FULL:  # it may be that of temporary files
            reason = f"{reason}; make room, there or for temporary files, or set TMPDIR to a folder with more"
        where = f" ({file})" if file else ""
        raise IndexDirectoryError(f"cannot write the index in {directory}: {reason}{where}") from error
    finally:
        with suppress(OSError):
            if {entry.name for entry in directory.iterdir()} <= {LOCK}:
                (directory / LOCK).unlink()  # while it is held: later it may be that of the next writer
        lock.release()
        if made:
            with suppress(OSError):
                directory.rmdir()  # a first build that failed leaves nothing behind


def serve(generation: Path, manifest: str) -> None:
    """Force the finished generation in a folder to disk and serve it; `manifest` is the SHA-256 of its manifest.

    It is open to whom the one before it was: its writer may be another user than who serves it.
    """
    before = generation.parent / generation_name(_served_number(generation.parent) or 0)
    for path in (generation, *generation.rglob("*")):
        take_access(path, before if path.is_dir() else before / LAYOUT.manifest)
    sync_tree(generation)
    sync(generation.parent)
    write_atomically(generation.parent / CURRENT, f"{generation.name} {manifest}\n")


@contextmanager
def next_generation(directory: Path) -> Iterator[Path]:
    """A fresh folder for the next generation, removed again unless it was served; needs the write lock.

    What writers before left is removed first; afterwards, the generations that are not read any more.
    """
    _remove_leftovers(directory)
    numbers = (generation_number(entry.name) or 0 for entry in directory.iterdir())
    folder = directory / generation_name(max([_served_number(directory) or 0, *numbers]) + 1)
    folder.mkdir()
    try:
        yield folder
    finally:
        # A swap that reported an error may have happened: the rename comes before the fsync of the folder.
        if _served_number(directory) not in {None, generation_number(folder.name)}:
            shutil.rmtree(folder, ignore_errors=True)
        _remove_leftovers(directory)


def _served_number(directory: Path) -> int | None:
    """0 where nothing is served yet; None where `CURRENT` cannot be read."""
    try:
        served = read_current(directory)
    except IndexDirectoryError:
        return None
    return (generation_number(served.name) or 0) if served else 0


def _remove_leftovers(directory: Path) -> None:
    """Delete what died before it was served, and generations before the served one that are not read.

    What cannot be deleted waits for the next writer.
    """
    served = _served_number(directory)
    with suppress(OSError):
        for entry in directory.iterdir():
            if entry.name.startswith(f".{CURRENT}."):
                entry.unlink(missing_ok=True)
            # With a damaged CURRENT any of them may be the good one: they stay until a build has succeeded.
            elif served is not None and generation_number(entry.name) not in {None, served}:
                delete_unless_leased(entry)


def within_index(path: Path) -> Path | None:
    """The index directory that a path is, or lies in; None without one."""
    places = (place for place in (path, *path.parents) if (place / CURRENT).is_file())
    return next((place for place in places if any(generation_number(one.name) for one in place.iterdir())), None)


def refuse_other_content(directory: Path) -> None:
    """Raise IndexDirectoryError where an index would be written among files of somebody else.

    What lies beside an index that is there already, such as .DS_Store or lost+found, keeps nobody from changing it.

    Raises:
        OSError: the folder cannot be read.
    """
    if directory.is_dir() and within_index(directory) != directory and (other := next(_other_content(directory), "")):
        raise IndexDirectoryError(f"{directory} is a folder with other content ({other}): give a new or empty one")


def looks_like_index(directory: Path) -> bool:
    """Whether the folder holds nothing that an index directory would not."""
    return next(_other_content(directory), None) is None


def _other_content(directory: Path) -> Iterator[str]:
    for name in (entry.name for entry in directory.iterdir()):
        if not (name in BESIDE or name.startswith(PASSING) or generation_number(name) is not None):
            yield name
