"""The catalog's table of keys: from a key to the papers that bear it, without a scan."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING

from indexer.identity.keys import keys_of
from indexer.paper import Paper

if TYPE_CHECKING:
    from indexer.catalog import Catalog

# A key of more papers than this is no key: a column of a journal, or the DOI of a whole issue.
MOST_PAPERS_OF_A_KEY = 50

_SELECT = "SELECT number, id, title, year, venue, doi, arxiv, url FROM papers"
# Sorted in one go: a B-tree that grows in random order would be read and written all over.
_CREATE = """
    CREATE TABLE keys (key TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (key, number)) WITHOUT ROWID;
    INSERT OR IGNORE INTO keys SELECT key, number FROM unsorted_keys ORDER BY key, number;
    DROP TABLE unsorted_keys;
"""


def write_keys(connection: sqlite3.Connection) -> None:
    """Create the table of keys for all papers of this catalog."""
    connection.execute("CREATE TEMP TABLE unsorted_keys (key TEXT, number INTEGER)")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO unsorted_keys VALUES (?, ?)", _keys(connection))
    connection.execute("COMMIT")
    connection.executescript(_CREATE)


def add_keys(connection: sqlite3.Connection, condition: str) -> None:
    """Add the keys of the papers that meet a condition in SQL; the caller commits."""
    connection.executemany("INSERT OR IGNORE INTO keys VALUES (?, ?)", _keys(connection, condition))


def drop_keys(connection: sqlite3.Connection, condition: str) -> None:
    """Drop the keys of the papers that meet a condition in SQL, before the papers go; the caller commits."""
    connection.executemany("DELETE FROM keys WHERE key = ? AND number = ?", _keys(connection, condition))


class KeyLookup:
    """The papers that bear a key; safe to share between threads."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def bearers(self, keys: Iterable[str]) -> dict[str, list[int]]:
        """The docids of the papers that bear each of `keys`, ascending; keys of none or too many are left out."""
        pairs = self._catalog.bearers([key for key in keys if key.isprintable()])
        found = {key: [docid for _, docid in group] for key, group in groupby(pairs, itemgetter(0))}
        return {key: docids for key, docids in found.items() if len(docids) <= MOST_PAPERS_OF_A_KEY}


def _keys(connection: sqlite3.Connection, condition: str = "TRUE") -> Iterator[tuple[str, int]]:
    rows = connection.execute(f"{_SELECT} WHERE {condition}")
    for docid, id_, title, year, venue, doi, arxiv, url in rows:
        paper = Paper(id_, title, "", year, (), venue, doi, arxiv, url)  # what keys are made of
        for key in keys_of(paper):
            yield str(key), docid
