"""The catalog's tables of keys and of authors: from a key, or the key of a name, to the papers that have it."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

import orjson

from indexer.identity.authors import key_of
from indexer.identity.keys import id_key, keys_of
from indexer.paper import Paper


class LookupTable(NamedTuple):
    """One table of (key, number of the paper), found without a scan."""

    name: str
    rows: Callable[[sqlite3.Connection, str], Iterator[tuple[str, int]]]  # of the papers that meet a condition in SQL

    def write(self, connection: sqlite3.Connection) -> None:
        """Create the table for all papers of this catalog."""
        connection.execute("CREATE TEMP TABLE unsorted (key TEXT, number INTEGER)")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO unsorted VALUES (?, ?)", self.rows(connection, "TRUE"))
        connection.execute("COMMIT")
        # Sorted in one go: a B-tree that grows in random order would be read and written all over.
        connection.executescript(f"""
            CREATE TABLE {self.name} (key TEXT NOT NULL, number INTEGER NOT NULL, PRIMARY KEY (key, number))
                WITHOUT ROWID;
            INSERT OR IGNORE INTO {self.name} SELECT key, number FROM unsorted ORDER BY key, number;
            DROP TABLE unsorted;
        """)  # noqa: S608

    def add(self, connection: sqlite3.Connection, condition: str) -> None:
        """Add the rows of the papers that meet a condition in SQL; the caller commits."""
        connection.executemany(f"INSERT OR IGNORE INTO {self.name} VALUES (?, ?)", self.rows(connection, condition))  # noqa: S608

    def drop(self, connection: sqlite3.Connection, condition: str) -> None:
        """Drop those of the papers that meet a condition in SQL, before the papers go; the caller commits."""
        rows = self.rows(connection, condition)
        connection.executemany(f"DELETE FROM {self.name} WHERE key = ? AND number = ?", rows)  # noqa: S608


def _keys(connection: sqlite3.Connection, condition: str) -> Iterator[tuple[str, int]]:
    columns = "number, id, title, year, venue, doi, arxiv, url, other_ids"
    rows = connection.execute(f"SELECT {columns} FROM papers WHERE {condition}")  # noqa: S608
    for docid, id_, title, year, venue, doi, arxiv, url, other_ids in rows:
        paper = Paper(id_, title, "", year, (), venue, doi, arxiv, url)  # what keys are made of
        others = orjson.loads(other_ids)
        for key in (*keys_of(paper), *map(id_key, others), *(key for one in others for key in keys_of(Paper(one, "")))):
            yield str(key), docid


def _authors(connection: sqlite3.Connection, condition: str) -> Iterator[tuple[str, int]]:
    rows = connection.execute(f"SELECT number, authors FROM papers WHERE authors != '[]' AND ({condition})")  # noqa: S608
    for docid, authors in rows:
        for key in set(map(key_of, orjson.loads(authors))):
            if key:
                yield key, docid


TABLES = (LookupTable("keys", _keys), LookupTable("authors", _authors))


def papers_at(connection: sqlite3.Connection, docids: Iterable[int]) -> str:
    """A condition in SQL that the papers of these docids meet; once a connection."""
    connection.execute("CREATE TEMP TABLE chosen (number INTEGER PRIMARY KEY)")
    connection.executemany("INSERT INTO chosen VALUES (?)", ((docid,) for docid in docids))
    return "number IN (SELECT number FROM chosen)"
