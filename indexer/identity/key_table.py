"""The catalog's table of keys: from a key to the papers that bear it, without a scan."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator
from itertools import groupby, islice
from operator import itemgetter
from typing import TYPE_CHECKING

import orjson

from indexer.identity.keys import keys_of
from indexer.paper import Paper

if TYPE_CHECKING:
    from indexer.catalog import Catalog

# A key of more papers than this is no key: a column of a journal, or the DOI of a whole issue.
MOST_PAPERS_OF_A_KEY = 50

_BATCH = 1000
_SELECT = "SELECT number, id, title, year, venue, doi, arxiv, url, authors FROM papers"
# Sorted in one go: a B-tree that grows in random order would be read and written all over.
_CREATE = """
    CREATE TABLE keys (key TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (key, number)) WITHOUT ROWID;
    INSERT OR IGNORE INTO keys SELECT key, number FROM unsorted_keys ORDER BY key, number;
    DROP TABLE unsorted_keys;
"""


def write_keys(connection: sqlite3.Connection, papers: Iterable[tuple[int, Paper]] | None = None) -> None:
    """Create the table `keys` for the papers of this catalog, or for (number, paper) pairs from elsewhere."""
    if papers is None:
        papers = _papers_without_text(connection)
    connection.execute("CREATE TEMP TABLE unsorted_keys (key TEXT, number INTEGER)")
    connection.execute("BEGIN")
    connection.executemany(
        "INSERT INTO unsorted_keys VALUES (?, ?)",
        ((str(key), number) for number, paper in papers for key in keys_of(paper)),
    )
    connection.execute("COMMIT")
    connection.executescript(_CREATE)


def add_keys(connection: sqlite3.Connection, papers: Iterable[tuple[int, Paper]]) -> None:
    """Add the keys of further (number, paper) pairs to the table; the caller commits."""
    connection.executemany(
        "INSERT OR IGNORE INTO keys VALUES (?, ?)",
        ((str(key), number) for number, paper in papers for key in keys_of(paper)),
    )


class KeyLookup:
    """The papers that bear a key; safe to share between threads.

    For a catalog without the table, the first look-up reads all its papers once and keeps the keys in a temporary
    file.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._lock = threading.Lock()
        self._scanned: sqlite3.Connection | None = None
        self.needs_scan = not catalog.has_keys

    def bearers(self, keys: Iterable[str]) -> dict[str, list[int]]:
        """The numbers of the papers that bear each of `keys`, ascending; keys of none or too many are left out."""
        wanted = [key for key in keys if key.isprintable()]
        pairs = self._scan(wanted) if self.needs_scan else self._catalog.bearers(wanted)
        found = {key: [number for _, number in group] for key, group in groupby(pairs, itemgetter(0))}
        return {key: numbers for key, numbers in found.items() if len(numbers) <= MOST_PAPERS_OF_A_KEY}

    def _scan(self, keys: list[str]) -> list[tuple[str, int]]:
        with self._lock:
            if self._scanned is None:
                connection = sqlite3.connect("", isolation_level=None, check_same_thread=False)
                write_keys(connection, _papers_of(self._catalog))
                self._scanned = connection
            return self._scanned.execute(
                "SELECT key, number FROM keys WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key, number",
                (orjson.dumps(keys).decode(),),
            ).fetchall()


def _papers_of(catalog: Catalog) -> Iterator[tuple[int, Paper]]:
    numbers = (number for number, _ in catalog.all_texts())
    while batch := list(islice(numbers, _BATCH)):
        yield from zip(batch, catalog.papers(batch), strict=True)


def _papers_without_text(connection: sqlite3.Connection) -> Iterator[tuple[int, Paper]]:
    for number, id_, title, year, venue, doi, arxiv, url, authors in connection.execute(_SELECT):
        yield number, Paper(id_, title, "", year, tuple(orjson.loads(authors)), venue, doi, arxiv, url)
