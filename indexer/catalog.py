"""The catalog: everything that is known of every paper, in one SQLite file.

Numbers 0…n-1 are given in the order of the ids, so that breaking ties by number is breaking them by id.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from common.errors import IndexDirectoryError
from encoders.text import Text
from indexer.identity.key_table import write_keys
from indexer.paper import Paper

_COLUMNS = "id, title, abstract, year, authors, venue, doi, arxiv, url, citations"
_SCHEMA = f"""
    CREATE TABLE papers (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL, abstract TEXT NOT NULL, year INTEGER,
        authors TEXT NOT NULL, venue TEXT NOT NULL, doi TEXT NOT NULL, arxiv TEXT NOT NULL, url TEXT NOT NULL,
        citations TEXT NOT NULL
    );
    INSERT INTO papers SELECT row_number() OVER (ORDER BY id) - 1, {_COLUMNS} FROM incoming.papers;
    CREATE UNIQUE INDEX papers_by_id ON papers (id);
"""  # noqa: S608 - built from constants
_BATCH = 5000
# A catalog never changes once its generation is complete, so SQLite may skip every lock.
_READ_ONLY = "mode=ro&immutable=1"

Row = tuple[str, str, str, int | None, str, str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class CatalogCounts:
    """What became of the papers that were offered."""

    papers: int  # in the catalog
    replaced: int  # came again with an id seen before: the last one stays


def build_catalog(papers: Iterable[Paper], path: Path) -> CatalogCounts:
    """Write all papers into a new catalog at `path`; of several with one id the last stays. Memory stays bounded."""
    incoming = path.with_name(path.name + ".incoming")
    incoming.unlink(missing_ok=True)
    offered = 0
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")  # the builder syncs the finished file
        connection.execute("ATTACH ? AS incoming", (str(incoming),))
        connection.execute("PRAGMA incoming.journal_mode = OFF")
        connection.execute(f"CREATE TABLE incoming.papers ({_COLUMNS.replace('id,', 'id TEXT PRIMARY KEY,', 1)})")
        source = iter(papers)
        while chunk := list(islice(source, _BATCH)):
            connection.execute("BEGIN")
            connection.executemany(
                "INSERT OR REPLACE INTO incoming.papers VALUES (?,?,?,?,?,?,?,?,?,?)", map(_to_row, chunk)
            )
            connection.execute("COMMIT")
            offered += len(chunk)
        connection.executescript(_SCHEMA)
        write_keys(connection)
        kept = int(connection.execute("SELECT count(*) FROM papers").fetchone()[0])
    finally:
        connection.close()
        incoming.unlink(missing_ok=True)
    return CatalogCounts(papers=kept, replaced=offered - kept)


class Catalog:
    """Look-ups in a finished catalog, from any number of threads."""

    def __init__(self, path: Path) -> None:
        """Open the catalog.

        Raises:
            IndexDirectoryError: the file is missing or is no catalog.
        """
        self._path = path
        self._local = threading.local()
        self.size = int(self._query("SELECT count(*) FROM papers")[0][0])

    def papers(self, numbers: Sequence[int] | NDArray[np.integer]) -> list[Paper]:
        """The papers of these numbers, in their order. A number outside the catalog is a KeyError."""
        wanted = [int(number) for number in numbers]
        rows = self._query(
            f"SELECT number, {_COLUMNS} FROM papers WHERE number IN (SELECT value FROM json_each(?))",  # noqa: S608
            orjson.dumps(wanted).decode(),
        )
        found = {row[0]: _to_paper(row[1:]) for row in rows}
        return [found[number] for number in wanted]

    def texts(self, numbers: Sequence[int] | NDArray[np.integer]) -> list[Text]:
        """Title and abstract of these numbers, in their order."""
        wanted = [int(number) for number in numbers]
        rows = self._query(
            "SELECT number, title, abstract FROM papers WHERE number IN (SELECT value FROM json_each(?))",
            orjson.dumps(wanted).decode(),
        )
        found = {row[0]: Text(row[1], row[2]) for row in rows}
        return [found[number] for number in wanted]

    def ids(self, numbers: Sequence[int] | NDArray[np.integer]) -> list[str]:
        """The ids of these numbers, in their order."""
        wanted = [int(number) for number in numbers]
        rows = self._query(
            "SELECT number, id FROM papers WHERE number IN (SELECT value FROM json_each(?))",
            orjson.dumps(wanted).decode(),
        )
        found = dict(rows)
        return [found[number] for number in wanted]

    def numbers(self, ids: Iterable[str]) -> dict[str, int]:
        """The number of each id that is in the catalog; the others are left out."""
        rows = self._query(
            "SELECT id, number FROM papers WHERE id IN (SELECT value FROM json_each(?))",
            # SQLite's JSON would end a string at NUL and so find another paper.
            orjson.dumps([id_.encode("utf-8", "replace").decode() for id_ in ids if "\0" not in id_]).decode(),
        )
        return dict(rows)

    @property
    def has_keys(self) -> bool:
        """Is there a table of keys? Catalogs of the first version have none."""
        return bool(self._query("SELECT 1 FROM sqlite_master WHERE name = 'keys'"))

    def bearers(self, keys: Iterable[str]) -> list[tuple[str, int]]:
        """(key, number) of every paper in the catalog that bears one of these keys (`str` of an identity `Key`)."""
        return self._query(
            # The join leaves out keys of papers that are gone.
            "SELECT key, number FROM keys JOIN papers USING (number) "
            "WHERE key IN (SELECT value FROM json_each(?)) ORDER BY key, number",
            orjson.dumps(list(keys)).decode(),
        )

    def all_keys(self) -> Iterator[tuple[str, int]]:
        """(key, number) of every key of every paper, sorted, streaming."""
        yield from self._stream("SELECT key, number FROM keys JOIN papers USING (number) ORDER BY key, number")

    def all_texts(self) -> Iterator[tuple[int, Text]]:
        """(number, text) of every paper, in the order of the numbers, streaming."""
        for number, title, abstract in self._stream("SELECT number, title, abstract FROM papers ORDER BY number"):
            yield number, Text(title, abstract)

    def all_papers(self) -> Iterator[Paper]:
        """Every paper, in the order of the numbers, streaming."""
        for row in self._stream(f"SELECT {_COLUMNS} FROM papers ORDER BY number"):  # noqa: S608
            yield _to_paper(row)

    def years(self) -> NDArray[np.int16]:
        """Year of every paper by number; 0 where it is not known."""
        rows = self._stream("SELECT coalesce(year, 0) FROM papers ORDER BY number")
        return np.fromiter((row[0] for row in rows), np.int16, self.size)

    def edges(self) -> NDArray[np.int32]:
        """Citations within the corpus as (citing number, cited number), shape (n, 2), unordered, no duplicates."""
        pairs = self._stream(
            "SELECT citing.number, cited.number FROM papers AS citing, json_each(citing.citations) AS reference "
            "JOIN papers AS cited ON cited.id = reference.value WHERE cited.number != citing.number"
        )
        chunks = [np.zeros((0, 2), np.int32)]
        while rows := list(islice(pairs, 100_000)):
            chunks.append(np.asarray(rows, np.int32))
        return np.unique(np.concatenate(chunks), axis=0)

    def close(self) -> None:
        """Close this thread's connection."""
        if connection := getattr(self._local, "connection", None):
            connection.close()
            del self._local.connection

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            try:
                connection = sqlite3.connect(f"{self._path.absolute().as_uri()}?{_READ_ONLY}", uri=True)
            except sqlite3.DatabaseError as error:
                raise IndexDirectoryError(f"cannot open {self._path} ({error}): build the index again") from None
            self._local.connection = connection
        return connection

    def _query(self, statement: str, *values: str) -> list[tuple]:  # type: ignore[type-arg]
        return list(self._stream(statement, *values))

    def _stream(self, statement: str, *values: str) -> Iterator[tuple]:  # type: ignore[type-arg]
        try:
            yield from self._connection().execute(statement, values)
        except sqlite3.DatabaseError as error:
            raise IndexDirectoryError(f"{self._path} is damaged ({error}): build the index again") from None


def _to_row(paper: Paper) -> Row:
    return (
        paper.id,
        paper.title,
        paper.abstract,
        paper.year,
        orjson.dumps(paper.authors).decode(),
        paper.venue,
        paper.doi,
        paper.arxiv,
        paper.url,
        orjson.dumps(paper.citations).decode(),
    )


def _to_paper(row: Row) -> Paper:
    id_, title, abstract, year, authors, venue, doi, arxiv, url, citations = row
    return Paper(
        id_, title, abstract, year, tuple(orjson.loads(authors)), venue, doi, arxiv, url, tuple(orjson.loads(citations))
    )
