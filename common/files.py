"""Files that are either the old or the new version, never half of one."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from common.errors import SourceError, os_errors

if TYPE_CHECKING:
    from filelock import BaseFileLock


def sync(path: Path) -> None:
    """Force a file or folder to disk (`fsync`), so that a later rename cannot outrun its contents."""
    windows = sys.platform == "win32"  # opens no folder, and forces only what may be written
    if windows and path.is_dir():
        return
    descriptor = os.open(path, os.O_RDWR if windows else os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_tree(folder: Path) -> None:
    """`sync` every file below `folder`, then every folder, then `folder` itself."""
    for root, _, names in os.walk(folder, topdown=False):
        for name in names:
            sync(Path(root, name))
        sync(Path(root))


def write_atomically(path: Path, content: str | bytes) -> None:
    """Replace `path` by `content` in one step: a reader, or a crash, sees the old file or the new one."""
    with replaced(path) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


def write_output(path: Path, content: str | bytes) -> None:
    """`write_atomically` a file that the user has named.

    Raises:
        SourceError: it cannot be written.
    """
    with os_errors(SourceError, f"write {path}"):
        write_atomically(path, content)


def behind_links(path: Path) -> Path:
    """The file that a path leads to; still a link where links lead to each other, where `Path.resolve` fails."""
    return Path(os.path.realpath(path))


@contextmanager
def replaced(path: Path) -> Iterator[BinaryIO]:
    """The same for what is written piece by piece; an error leaves the old file, and that of a full disk names it.

    It is open to whom the old file was; a new one to whom the user's mask (umask) says. A link stays one.
    """
    named, path = path, behind_links(path)
    temporary = path.with_name(f".{path.name[:40]}.{secrets.token_hex(4)}")  # no longer than a name may be
    try:
        with temporary.open("xb") as file:
            take_access(temporary, path)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename is None:
            error.filename = str(named)
        raise
    sync(path.parent)


def take_access(new: Path, old: Path) -> None:
    """Give a new file the mode and, as far as the system lets us, group and owner of the one that it replaces, if any.

    Co-authors share files through a group, which a new file would not have.
    """
    try:
        known = old.stat()
    except FileNotFoundError:
        return
    if sys.platform != "win32":
        for owner, group in ((-1, known.st_gid), (known.st_uid, -1)):
            with suppress(OSError):
                os.chown(new, owner, group)
    with suppress(OSError):  # of file systems without modes
        new.chmod(stat.S_IMODE(known.st_mode))


@contextmanager
def folder_made(folder: Path) -> Iterator[Path]:
    """A folder to fill, which appears as `folder` in one step when all in it is on disk; an error leaves none."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}.") as place:
        filled = Path(place) / "filled"
        filled.mkdir()
        yield filled
        sync_tree(filled)
        filled.rename(folder)
    sync(folder.parent)


def lock_at_once(path: Path, busy: Exception, patience: float = 0) -> BaseFileLock:
    """The lock on this file, held by this process; `busy` is raised where another holds it for `patience` seconds."""
    from filelock import FileLock, Timeout

    lock = FileLock(path)
    try:
        lock.acquire(timeout=patience)
    except Timeout:
        raise busy from None
    return lock


@contextmanager
def alone_with(path: Path, busy: Exception, patience: float = 0) -> Iterator[None]:
    """Hold the lock on this file, as `lock_at_once` does, and leave no file behind."""
    lock = lock_at_once(path, busy, patience)
    try:
        yield
    finally:
        # While it is held: what goes later may be the file of the next holder. Windows removes it on the release.
        with suppress(OSError):
            path.unlink()
        lock.release()


@contextmanager
def place_within(folder: Path, name: str, busy: Exception) -> Iterator[Path]:
    """An empty folder of this name in `folder` for one process, gone at the end; what a killed one left there goes.

    `busy` is raised where another process has it.
    """
    place = folder / name
    with alone_with(folder / f"{name}.lock", busy):
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        try:
            yield place
        finally:
            shutil.rmtree(place, ignore_errors=True)  # before another process may make its own


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
