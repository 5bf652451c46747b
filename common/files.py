"""Files that are either the old or the new version, never half of one."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from common.errors import SourceError, os_errors

if TYPE_CHECKING:
    from filelock import BaseFileLock

_CHUNK = 1 << 20


def sync(path: Path) -> None:
    """Force a file or folder to disk (`fsync`), so that a later rename cannot outrun its contents."""
    descriptor = os.open(path, os.O_RDONLY)
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


def write_atomically(path: Path, content: str | bytes, mode: int = 0o644) -> None:
    """Replace `path` by `content` in one step: a reader, or a crash, sees the old file or the new one."""
    with replaced(path, mode) as file:
        file.write(content.encode("utf-8") if isinstance(content, str) else content)


def write_output(path: Path, content: str | bytes) -> None:
    """`write_atomically` a file that the user has named.

    Raises:
        SourceError: it cannot be written.
    """
    with os_errors(SourceError, f"write {path}"):
        write_atomically(path, content)


@contextmanager
def replaced(path: Path, mode: int = 0o644) -> Iterator[BinaryIO]:
    """The same for what is written piece by piece; an error leaves the old file."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    sync(path.parent)


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


def lock_at_once(path: Path, busy: Exception) -> BaseFileLock:
    """The lock on this file, held by this process; `busy` is raised where another process holds it."""
    from filelock import FileLock, Timeout

    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise busy from None
    return lock


def sha256(path: Path) -> str:
    """Hexadecimal SHA-256 of a file's bytes, read in pieces."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
