"""The catalog's table of authors: from the key of a name to the papers whose authors have it, without a scan.

A catalog that was written without it stays as it is until a compaction; `Catalog.authors` then reads every row.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

import orjson

from indexer.identity.authors import key_of

# Sorted in one go, as the table of keys is.
_CREATE = """
    CREATE TABLE authors (key TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (key, number)) WITHOUT ROWID;
    INSERT OR IGNORE INTO authors SELECT key, number FROM unsorted_authors ORDER BY key, number;
    DROP TABLE unsorted_authors;
"""
_EXISTS = "SELECT 1 FROM main.sqlite_master WHERE type = 'table' AND name = 'authors'"


def write_authors(connection: sqlite3.Connection) -> None:
    """Create the table for all papers of this catalog."""
    connection.execute("CREATE TEMP TABLE unsorted_authors (key TEXT, number INTEGER)")
    connection.execute("BEGIN")
    connection.executemany("INSERT INTO unsorted_authors VALUES (?, ?)", _keys(connection))
    connection.execute("COMMIT")
    connection.executescript(_CREATE)


def has_authors(connection: sqlite3.Connection) -> bool:
    """Whether the catalog has the table."""
    return connection.execute(_EXISTS).fetchone() is not None


def add_authors(connection: sqlite3.Connection, condition: str) -> None:
    """Add the authors of the papers that meet a condition in SQL, where there is the table; the caller commits."""
    if has_authors(connection):
        connection.executemany("INSERT OR IGNORE INTO authors VALUES (?, ?)", _keys(connection, condition))


def drop_authors(connection: sqlite3.Connection, condition: str) -> None:
    """Drop those of the papers that meet a condition in SQL, before the papers go; the caller commits."""
    if has_authors(connection):
        connection.executemany("DELETE FROM authors WHERE key = ? AND number = ?", _keys(connection, condition))


def _keys(connection: sqlite3.Connection, condition: str = "TRUE") -> Iterator[tuple[str, int]]:
    rows = connection.execute(f"SELECT number, authors FROM papers WHERE authors != '[]' AND ({condition})")  # noqa: S608
    for docid, authors in rows:
        for key in set(map(key_of, orjson.loads(authors))):
            if key:
                yield key, docid
