"""What Milvus does not report of its words: how many papers hold each, how often it occurs, and how it is written.

One SQLite file beside the catalog, made from the same texts. Sums are kept exactly, so that inverse document
frequencies are those by which Milvus scores.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import orjson

from common.sequences import batches
from indexer.engines.english import term, words
from indexer.read_only import ReadOnlyDatabase

_BATCH = 20_000  # papers whose words are summed up in memory
_TABLES = """
CREATE TABLE terms (term TEXT PRIMARY KEY, word TEXT NOT NULL, papers INTEGER NOT NULL, occurrences INTEGER NOT NULL)
WITHOUT ROWID;
CREATE TABLE totals (papers INTEGER NOT NULL, occurrences INTEGER NOT NULL);
"""
_ADD = """
INSERT INTO terms VALUES (?, ?, ?, ?) ON CONFLICT (term) DO UPDATE
SET papers = papers + excluded.papers, occurrences = occurrences + excluded.occurrences
"""


class TermFacts(NamedTuple):
    """One term."""

    word: str  # as it stands in a text: what Milvus is asked with
    papers: int
    occurrences: int


def write_terms(texts: Iterable[str], path: Path) -> None:
    """Write the table of `texts`, which are as the engine holds them."""
    connection = sqlite3.connect(path)
    try:
        connection.executescript(f"{_TABLES} BEGIN;")
        papers = total = 0
        for batch in batches(texts, _BATCH):
            written: dict[str, str] = {}  # term → the first of its words
            holders: Counter[str] = Counter()
            occurrences: Counter[str] = Counter()
            for text in batch:
                found = [(term(word), word) for word in words(text)]
                written.update((name, word) for name, word in reversed(found) if name not in holders)
                holders.update({name for name, _ in found})
                occurrences.update(name for name, _ in found)
            papers += len(batch)
            total += occurrences.total()
            rows = ((name, written[name], holders[name], occurrences[name]) for name in sorted(holders))
            connection.executemany(_ADD, rows)
        connection.execute("INSERT INTO totals VALUES (?, ?)", (papers, total))
        connection.commit()
    finally:
        connection.close()


class TermTable(ReadOnlyDatabase):
    """Look-ups in a finished table, from any number of threads."""

    def __init__(self, path: Path) -> None:
        """Open the table.

        Raises:
            IndexDirectoryError: the file is missing or damaged.
        """
        super().__init__(path)
        ((self.papers, self.occurrences),) = self._query("SELECT papers, occurrences FROM totals")

    def look_up(self, wanted: Iterable[str]) -> dict[str, TermFacts]:
        """What is known of each term; one of no paper is left out."""
        rows = self._query(
            "SELECT term, word, papers, occurrences FROM terms WHERE term IN (SELECT value FROM json_each(?))",
            orjson.dumps(list(wanted)).decode(),
        )
        return {row[0]: TermFacts(*row[1:]) for row in rows}

    def terms_like(self, pattern: str) -> list[str]:
        """The terms that a pattern of SQLite's GLOB fits, in order; all are compared."""
        return [term for (term,) in self._query("SELECT term FROM terms WHERE term GLOB ?", pattern)]
