"""A temporary database for formats that spread a paper over several files: memory stays the same at any size."""

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from common.errors import SourceError

_CACHE_KIB = 16_384  # what of a database stays in memory; with four times as much, joins were no faster


class Join:
    """Values and links by paper id, written first and looked up afterwards."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        begin_scratch(database, "CREATE TABLE entry (kind TEXT, paper TEXT, value TEXT);")

    def add(self, kind: str, paper: str, value: str) -> None:
        """Store one value of a paper."""
        self._database.execute("INSERT INTO entry VALUES (?, ?, ?)", (kind, storable(paper), storable(value)))

    def finish(self) -> None:
        """Make what was stored quick to look up."""
        self._database.execute("CREATE INDEX by_paper ON entry (paper, kind)")
        self._database.execute("COMMIT")

    def values(self, kind: str, paper: str) -> list[str]:
        """All values of one kind for a paper, in the order in which they were stored."""
        rows = self._database.execute(
            "SELECT value FROM entry WHERE paper = ? AND kind = ? ORDER BY rowid", (storable(paper), kind)
        )
        return [value for (value,) in rows]

    def value(self, kind: str, paper: str) -> str:
        """The first value of one kind for a paper; "" where there is none."""
        return next(iter(self.values(kind, paper)), "")


def storable(text: str) -> str:
    """The text without halves of surrogate pairs, which SQLite cannot hold."""
    return text if text.isascii() else text.encode("utf-8", "ignore").decode("utf-8")


def begin_scratch(database: sqlite3.Connection, tables: str) -> None:
    """Begin to fill a database that is not needed after a crash, with little of it kept in memory."""
    database.executescript(
        f"PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -{_CACHE_KIB}; {tables} BEGIN;"
    )


@contextmanager
def temporary_join() -> Iterator[Join]:
    """An empty Join, whose file is gone at the end.

    Raises:
        SourceError: The disk is full or cannot be written.
    """
    with tempfile.TemporaryDirectory(prefix="citescout-") as folder:
        path = Path(folder, "join.sqlite")
        try:
            with closing(sqlite3.connect(path, isolation_level=None)) as database:
                yield Join(database)
        except sqlite3.Error as error:
            raise SourceError(f"{path}: {error}; make room there, or set TMPDIR to a folder with more") from error
