"""A temporary database for formats that spread a paper over several files: memory stays the same at any size."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager

from common.errors import SourceError

# Nothing is needed after a crash. 16 MiB of it stay in memory: with four times as much, joins were no faster.
_SETTINGS = "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;"


class Join:
    """Values and links by paper id, written first and looked up afterwards."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database

    def add(self, kind: str, paper: str, value: str) -> None:
        """Store one value of a paper."""
        self._database.execute("INSERT INTO entry VALUES (?, ?, ?)", (kind, _storable(paper), _storable(value)))

    def finish(self) -> None:
        """Make what was stored quick to look up."""
        self._database.execute("CREATE INDEX by_paper ON entry (paper, kind)")
        self._database.execute("COMMIT")

    def values(self, kind: str, paper: str) -> list[str]:
        """All values of one kind for a paper, in the order in which they were stored."""
        rows = self._database.execute(
            "SELECT value FROM entry WHERE paper = ? AND kind = ? ORDER BY rowid", (_storable(paper), kind)
        )
        return [value for (value,) in rows]

    def value(self, kind: str, paper: str) -> str:
        """The first value of one kind for a paper; "" where there is none."""
        return next(iter(self.values(kind, paper)), "")


def _storable(text: str) -> str:
    """The text without halves of surrogate pairs, which SQLite cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "ignore").decode("utf-8")


@contextmanager
def scratch_database(tables: str) -> Iterator[sqlite3.Connection]:
    """A database with these tables, to be filled: in memory until the cache is full, then in a file, gone at the end.

    Raises:
        SourceError: The disk is full or cannot be written.
    """
    try:
        with closing(sqlite3.connect("", isolation_level=None, check_same_thread=False)) as database:
            database.executescript(f"{_SETTINGS} {tables} BEGIN;")
            yield database
    except sqlite3.Error as error:
        raise SourceError(
            f"what was read cannot be kept aside: {error}; make room, or set TMPDIR to a folder with more"
        ) from error


@contextmanager
def temporary_join() -> Iterator[Join]:
    """An empty Join, which is gone at the end; it raises what `scratch_database` does."""
    with scratch_database("CREATE TABLE entry (kind TEXT, paper TEXT, value TEXT);") as database:
        yield Join(database)
