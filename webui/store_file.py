"""A file of SQLite that a server keeps for its users: private, shared by threads and processes, of limited size."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from common.errors import CitescoutError, SourceError, os_errors, reason_of

_COLUMNS = "SELECT made.name, part.name FROM sqlite_master AS made JOIN pragma_table_info(made.name) AS part"


class FullError(CitescoutError):
    """Nothing more can be stored."""


class StoreFile:
    """One such file."""

    def __init__(self, path: Path, tables: str, holds: str, max_bytes: int, otherwise: str = "") -> None:
        """Open the file, or make it and its folder, for its owner alone.

        Args:
            path: Of the file.
            tables: Statements that make what is not there yet.
            holds: What is stored, for messages.
            max_bytes: Of the file; pages that were freed do not count.
            otherwise: What to do where it cannot be written or read.

        Raises:
            SourceError: it cannot be written, or has tables of another version.
        """
        self._path, self._tables, self._holds, self._max_bytes = path, tables, holds, max_bytes
        self._advice = [otherwise] if otherwise else []
        try:
            self._make()
        except (OSError, sqlite3.Error) as error:
            reason = "; ".join([reason_of(error), *self._advice])
            raise SourceError(f"cannot store {holds} in {path.parent}: {reason}") from None

    def _make(self) -> None:
        """Make of file, folder and tables what is not there."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._path.touch(mode=0o600)
        with self._opened() as connection:
            connection.execute("PRAGMA journal_mode=WAL")
            there, ours = _columns(connection), _columns_of(self._tables)
            # Rows are written whole: of a table that both have, no column may be missing, and none too many.
            if any(table in dict(there) and table in dict(ours) for table, _ in ours ^ there):
                ways = ", or ".join(["move it away", *self._advice])
                raise SourceError(f"{self._path} is of another version of citescout: {ways}")
            connection.executescript(self._tables)

    @contextmanager
    def connection(self) -> Iterator[sqlite3.Connection]:
        """A connection that commits what is done with it, or undoes it where that fails.

        Raises:
            FullError: the disk is full, or the system refuses it otherwise.
        """
        with os_errors(FullError, f"store {self._holds}"):
            if not self._path.exists() or not self._path.stat().st_size:  # whoever runs the server may have deleted it
                self._make()
            with self._opened() as connection:
                yield connection

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        address = f"{self._path.absolute().as_uri()}?mode=rw"  # never made here, where others could read it
        with closing(sqlite3.connect(address, timeout=10, uri=True)) as connection, connection:
            yield connection

    def check_room(self, connection: sqlite3.Connection, more: int, advice: str) -> None:
        """See that so many bytes more fit.

        Raises:
            FullError: they do not; says so, and the advice.
        """
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        if (pages - free) * size + more > self._max_bytes:
            raise FullError(advice)


def _columns_of(tables: str) -> set[tuple[str, str]]:
    """Table and column of what these statements make in an empty file."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(tables)
        return _columns(connection)


def _columns(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    return set(connection.execute(_COLUMNS))
