"""A finished file of SQLite, read by any number of threads, each by a connection of its own."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

from common.errors import IndexDirectoryError

# Such a file never changes once its generation is complete, so SQLite may skip every lock.
_READ_ONLY = "mode=ro&immutable=1"
_SERIALIZED = 3  # of DB-API's `threadsafety`: a build of SQLite whose connections may be shared; Apple's may not


class _Opened:
    """A connection, closed when nothing refers to this any more.

    It refers to itself, and would stay open until garbage is looked for, which a server does rarely (`collect_less`).
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection

    def __del__(self) -> None:
        self.connection.close()


class ReadOnlyDatabase:
    """Look-ups in such a file; every thread gets those of the file that was there first, wherever it is by now.

    Raises:
        IndexDirectoryError: by every look-up; the file is missing or damaged.
    """

    def __init__(self, path: Path) -> None:
        """Of the file at `path`, which the first look-up opens."""
        self._path = path
        self._opened: os.stat_result | None = None
        self._shared: _Opened | None = None  # by threads that begin once the file is not at its path any more
        self._local = threading.local()

    def close(self) -> None:
        """Close this thread's connection; another's, by which it may be reading, is closed when it or this is gone."""
        self._shared = None
        vars(self._local).pop("opened", None)

    def is_there(self) -> bool:
        """Whether the file that was opened is still at its path: a copy of it, restored there, is another one."""
        try:
            return self._opened is None or os.path.samestat(self._opened, self._path.stat())
        except OSError:
            return False

    def _query(self, statement: str, *values: str | int) -> list[tuple]:  # type: ignore[type-arg]
        return list(self._stream(statement, *values))

    def _stream(self, statement: str, *values: str | int) -> Iterator[tuple]:  # type: ignore[type-arg]
        try:
            yield from self._connection().execute(statement, values)
        except sqlite3.DatabaseError as error:
            raise IndexDirectoryError(f"{self._path} is damaged ({error}): build the index again") from None

    def _connection(self) -> sqlite3.Connection:
        opened: _Opened | None = getattr(self._local, "opened", None)
        if opened is None:
            opened = self._local.opened = self._of_this_thread()
        return opened.connection

    def _of_this_thread(self) -> _Opened:
        address = f"{self._path.absolute().as_uri()}?{_READ_ONLY}"
        try:
            opened, found = _connected(address), self._path.stat()
            if self._opened is None:
                # Threads that run a statement of the cache together would give it each other's values.
                shared = _connected(address, cached_statements=0) if sqlite3.threadsafety == _SERIALIZED else None
                self._shared, self._opened = shared, found
            if not os.path.samestat(self._opened, found):  # its rows would answer for those of the first one
                raise OSError("another file has taken its place")
            return opened
        except (OSError, sqlite3.Error) as error:
            if shared := self._shared:
                return shared
            raise IndexDirectoryError(
                f"cannot open {self._path} ({error}): see that it is still there, that you may read it, and that "
                "its path is shorter than 512 bytes"
            ) from None


def _connected(address: str, cached_statements: int = 128) -> _Opened:
    # Another thread may be the last that has it, and close it.
    return _Opened(sqlite3.connect(address, uri=True, check_same_thread=False, cached_statements=cached_statements))
