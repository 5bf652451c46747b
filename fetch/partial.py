"""A file that grows page by page and appears under its name when it is complete.

Beside FILE lie, until then, FILE.partial (the works so far), FILE.state (how far that is) and FILE.lock.
"""

import gzip
import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

from common.errors import FetchError, os_errors
from common.files import alone_with, sync, take_access, write_atomically

_VERSION = 1  # of the state file


@dataclass(frozen=True, slots=True)
class State:
    """How far a download has come: everything before the next page."""

    fingerprint: str  # of the selection
    filters: str  # that its lists have in common
    seeds: int  # works at the beginning of the file that the selection is around
    step: int  # of the plan
    cursor: str  # of the step's next page
    size: int = 0  # bytes of the partial file that are complete


class PartialFile:
    """The works fetched so far, and the state that they were fetched in."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._partial = path.with_name(path.name + ".partial")
        self._state = path.with_name(path.name + ".state")
        self._is_gzip = path.suffix.lower() == ".gz"

    @classmethod
    @contextmanager
    def claimed(cls, path: Path, restart: bool) -> Iterator[Self]:
        """The one writer of `path`; `restart` forgets what is there.

        Raises:
            FetchError: `path` is there already, cannot be written, or another process is writing it.
        """
        if not path.parent.is_dir():
            raise FetchError(f"cannot write {path}: there is no folder {path.parent}")
        busy = FetchError(f"another process is writing {path}: wait for it to end")
        with os_errors(FetchError, f"write {path}"), alone_with(path.with_name(path.name + ".lock"), busy):
            file = cls(path)
            begun = file._partial.exists() and file._state.exists()
            if path.exists() and not begun and not restart:
                raise FetchError(f"{path} is there already; --restart starts over")
            if restart or not begun:
                file.discard()
            yield file

    def state(self) -> State | None:
        """How far an earlier run came; None if there is nothing to go on with.

        Raises:
            FetchError: The state is unreadable.
        """
        if not self._state.exists():
            return None
        try:
            fields = json.loads(self._state.read_bytes())
            if fields.pop("version") != _VERSION:
                raise ValueError
            return State(**fields)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise FetchError(f"{self._state} is damaged or of another version; --restart starts over") from None

    def works(self, state: State) -> Iterator[dict[str, Any]]:
        """The works that the state counts; what a killed run wrote after it is cut off.

        Raises:
            FetchError: There is less than the state says, or it is damaged.
        """
        if self._partial.stat().st_size < state.size:
            raise FetchError(f"{self._partial} has lost its end; --restart starts over")
        os.truncate(self._partial, state.size)
        try:
            with gzip.open(self._partial) if self._is_gzip else self._partial.open("rb") as file:
                yield from map(json.loads, file)
        except (ValueError, EOFError, gzip.BadGzipFile):
            raise FetchError(f"{self._partial} is damaged; --restart starts over") from None

    def append(self, works: Iterable[dict[str, Any]]) -> int:
        """Write works as JSON lines, force them to disk, and return the file's size in bytes.

        Each call makes one gzip member, so that every size returned is one that the file can be cut back to.
        """
        lines = "".join(json.dumps(work, ensure_ascii=False, separators=(",", ":")) + "\n" for work in works)
        data = lines.encode("utf-8", "replace")  # halves of surrogate pairs become ?
        with self._partial.open("ab") as file:
            take_access(self._partial, self._path)
            if data:
                file.write(gzip.compress(data, mtime=0) if self._is_gzip else data)
            file.flush()
            os.fsync(file.fileno())
            return file.tell()

    def save(self, state: State) -> None:
        """Remember how far the works on disk are complete."""
        write_atomically(self._state, json.dumps({"version": _VERSION, **asdict(state)}, indent=1) + "\n")

    def publish(self) -> None:
        """Give the complete file its name."""
        self._partial.replace(self._path)
        sync(self._path.parent)
        self._state.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove what earlier runs left, other than a complete file."""
        self._partial.unlink(missing_ok=True)
        self._state.unlink(missing_ok=True)
