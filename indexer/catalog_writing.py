"""Writing catalogs: a fresh one, and a copy with papers added, replaced or removed.

Every catalog is written in the folder of a generation that is not served yet. SQLite need not guard against a crash
there, and the whole folder is forced to disk before it is served.
"""

import logging
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from common.sequences import batches
from encoders.text import Text
from indexer.catalog import COLUMNS, LATER_COLUMNS, Row, lacking_columns, paper_of_row
from indexer.identity.evidence import unlike
from indexer.identity.lookup_tables import TABLES
from indexer.paper import Paper

_SCHEMA = """
    CREATE TABLE papers (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL, abstract TEXT NOT NULL, year INTEGER,
        authors TEXT NOT NULL, venue TEXT NOT NULL, doi TEXT NOT NULL, arxiv TEXT NOT NULL, url TEXT NOT NULL,
        citations TEXT NOT NULL, original TEXT NOT NULL, retracted INTEGER NOT NULL
    );
"""
_ID_INDEX = "CREATE UNIQUE INDEX papers_by_id ON papers (id)"
_INCOMING = f"CREATE TABLE incoming.papers ({COLUMNS.replace('id,', 'id TEXT PRIMARY KEY,', 1)})"
_NUMBER_INCOMING = f"INSERT INTO papers SELECT ? + row_number() OVER (ORDER BY id) - 1, {COLUMNS} FROM incoming.papers"  # noqa: S608
_SAME_TEXT = "known.id = offered.id AND known.title = offered.title AND known.abstract = offered.abstract"
_SAME = " AND ".join(f"known.{column} IS offered.{column}" for column in COLUMNS.split(", "))
_OFFERED_COLUMNS = ", ".join(f"offered.{column}" for column in COLUMNS.split(", "))
# What replaces a row deletes it first; a few ids are enough to show which records were meant.
_REPEATED = """
    PRAGMA recursive_triggers = ON;
    CREATE TABLE incoming.repeated (id TEXT PRIMARY KEY, title TEXT);
    CREATE TRIGGER incoming.note_repeated AFTER DELETE ON papers WHEN (SELECT count(*) FROM repeated) < 5
        BEGIN INSERT OR IGNORE INTO repeated VALUES (old.id, old.title); END;
"""
_REWRITE = f"UPDATE incoming.papers SET ({COLUMNS}) = ({', '.join('?' * 12)}) WHERE id = ?"  # noqa: S608
_OFFERED = "id IN (SELECT id FROM incoming.papers)"
_UNWANTED = "number IN (SELECT number FROM unwanted)"
_BATCH = 5000
_SHOWN = 5  # ids of a warning

_log = logging.getLogger(__name__)

# Makes one record of two that have one id; None where they are different papers, of which the last stays.
Join = Callable[[Paper, Paper], Paper | None]


@dataclass(frozen=True, slots=True)
class CatalogCounts:
    """What became of the papers that were offered."""

    papers: int  # in the catalog
    replaced: int  # came again with an id seen before: the last one stays
    docids: NDArray[np.int32]  # in the order in which the papers came, shape (papers,)


@dataclass(frozen=True, slots=True)
class CatalogChange:
    """What became of the papers that were offered to a catalog that has papers already."""

    added: int  # with an id that was not there
    replaced: int  # with an id that was there, and another title or abstract: they get new docids
    updated: int  # with an id that was there, and only other fields changed: they keep their docids
    unchanged: int
    repeated: int  # came again with an id seen before among those offered: the last one counts


@dataclass(frozen=True, slots=True)
class CatalogBuild:
    """Papers that a new catalog has received and will give docids; they lie on disk, because they may be millions."""

    connection: sqlite3.Connection
    incoming: Path
    offered: int  # papers; of several with one id the last stays

    def texts(self) -> Iterator[Text]:
        """The texts of what was received, in the order in which it came; on any thread, beside `number`."""
        # Who fails in the middle leaves the rest to whatever thread clears it away.
        address = f"{self.incoming.absolute().as_uri()}?mode=ro"
        with closing(sqlite3.connect(address, uri=True, check_same_thread=False)) as connection:
            for title, abstract in connection.execute("SELECT title, abstract FROM papers ORDER BY rowid"):
                yield Text(title, abstract)

    def number(self) -> CatalogCounts:
        """Write the catalog: every paper gets its docid."""
        self.connection.executescript(_SCHEMA)
        self.connection.execute(_NUMBER_INCOMING, (0,))
        self.connection.execute(_ID_INDEX)
        for table in TABLES:
            table.write(self.connection)
        arrivals = self.connection.execute("SELECT rowid FROM incoming.papers ORDER BY id")
        by_docid = np.fromiter((row[0] for row in arrivals), np.int64)
        _warn_of_repeated(self.connection, self.offered - len(by_docid))
        return CatalogCounts(len(by_docid), self.offered - len(by_docid), np.argsort(by_docid).astype(np.int32))


@contextmanager
def catalog_build(papers: Iterable[Paper], path: Path, join: Join | None = None) -> Iterator[CatalogBuild]:
    """Receive all papers of a new catalog at `path`; what was received is deleted at the end. Memory stays bounded."""
    with _catalog_and_incoming(path) as connection:
        yield CatalogBuild(connection, _incoming(path), _receive(connection, papers, join))


def build_catalog(papers: Iterable[Paper], path: Path, join: Join | None = None) -> CatalogCounts:
    """Write all papers into a new catalog at `path`; several with one id are joined, else the last stays."""
    with catalog_build(papers, path, join) as build:
        return build.number()


def add_to_catalog(papers: Iterable[Paper], path: Path, first_docid: int) -> CatalogChange:
    """Add papers to the catalog at `path`, numbered from `first_docid` in the order of their ids.

    A paper whose id is there replaces that one. What other parts of the index were made of is title and abstract:
    only where these differ does the paper get a new docid.
    """
    with _catalog_and_incoming(path) as connection:
        for column in lacking_columns(connection.execute("PRAGMA table_info(papers)")):
            connection.execute(f"ALTER TABLE papers ADD COLUMN {column} NOT NULL DEFAULT {LATER_COLUMNS[column]}")
        offered = _receive(connection, papers)
        repeated = offered - connection.execute("SELECT count(*) FROM incoming.papers").fetchone()[0]
        _warn_of_repeated(connection, repeated)
        connection.execute("BEGIN")
        same = f"SELECT 1 FROM main.papers AS known WHERE {_SAME}"  # noqa: S608
        unchanged = connection.execute(f"DELETE FROM incoming.papers AS offered WHERE EXISTS ({same})").rowcount  # noqa: S608
        for table in TABLES:
            table.drop(connection, _OFFERED)
        updated = connection.execute(
            f"INSERT OR REPLACE INTO papers SELECT known.number, {_OFFERED_COLUMNS} FROM incoming.papers AS offered "  # noqa: S608
            f"JOIN main.papers AS known ON {_SAME_TEXT}"
        ).rowcount
        _warn_of_replaced(connection)
        same_text = f"SELECT 1 FROM incoming.papers AS offered WHERE {_SAME_TEXT}"  # noqa: S608
        replaced = connection.execute(
            f"DELETE FROM papers AS known WHERE {_OFFERED} AND NOT EXISTS ({same_text})"  # noqa: S608
        ).rowcount
        new = "WHERE id NOT IN (SELECT id FROM main.papers)"
        numbered = connection.execute(f"{_NUMBER_INCOMING} {new}", (first_docid,)).rowcount
        for table in TABLES:
            table.add(connection, _OFFERED)
        connection.execute("COMMIT")
    return CatalogChange(numbered - replaced, replaced, updated, unchanged, repeated)


def remove_from_catalog(docids: Iterable[int], path: Path) -> None:
    """Remove the papers of these docids from the catalog at `path`."""
    with _writing(path) as connection:
        connection.execute("CREATE TEMP TABLE unwanted (number INTEGER PRIMARY KEY)")
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO unwanted VALUES (?)", ((docid,) for docid in docids))
        for table in TABLES:
            table.drop(connection, _UNWANTED)
        connection.execute("DELETE FROM papers WHERE number IN (SELECT number FROM unwanted)")
        connection.execute("COMMIT")


@contextmanager
def _writing(path: Path) -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        yield connection
    finally:
        connection.close()


@contextmanager
def _catalog_and_incoming(path: Path) -> Iterator[sqlite3.Connection]:
    """The catalog, and an empty table for the papers that are offered; on disk, because they may be millions."""
    incoming = _incoming(path)
    incoming.unlink(missing_ok=True)
    try:
        with _writing(path) as connection:
            connection.execute("ATTACH ? AS incoming", (str(incoming),))
            connection.execute("PRAGMA incoming.journal_mode = OFF")
            connection.execute(_INCOMING)
            connection.executescript(_REPEATED)
            yield connection
    finally:
        incoming.unlink(missing_ok=True)


def _incoming(path: Path) -> Path:
    return path.with_name(path.name + ".incoming")


def _receive(connection: sqlite3.Connection, papers: Iterable[Paper], join: Join | None = None) -> int:
    """Take in what is offered; of several with one id the last stays. Returns how many came, joined ones as one."""
    offered = 0
    for some in batches(papers, _BATCH):
        chunk = _joined(connection, some, join) if join else some
        connection.execute("BEGIN")
        connection.executemany(
            "INSERT OR REPLACE INTO incoming.papers VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", map(_to_row, chunk)
        )
        connection.execute("COMMIT")
        offered += len(chunk)
    connection.execute("DROP TRIGGER incoming.note_repeated")
    return offered


def _joined(connection: sqlite3.Connection, papers: Iterable[Paper], join: Join) -> list[Paper]:
    """Those of the papers that `join` makes one with no earlier one of their id; the others are put into that one."""
    came = list(papers)
    ids = orjson.dumps([paper.id for paper in came]).decode()
    received = f"SELECT {COLUMNS} FROM incoming.papers WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608
    earlier = {row[0]: paper_of_row(row) for row in connection.execute(received, (ids,)).fetchall()}
    left: list[Paper] = []
    places: dict[str, int] = {}  # of an id, in `left`
    for paper in came:
        before = earlier.get(paper.id)
        whole = join(before, paper) if before else None
        earlier[paper.id] = whole or paper
        if whole and paper.id in places:
            left[places[paper.id]] = whole
        elif whole:  # an update, since what is replaced is noted as lost
            connection.execute(_REWRITE, (*_to_row(whole), paper.id))
        else:
            places[paper.id] = len(left)
            left.append(paper)
    return left


def _warn_of_repeated(connection: sqlite3.Connection, count: int) -> None:
    if not count:
        return
    ids = [row[0] for row in connection.execute("SELECT id FROM incoming.repeated ORDER BY rowid")]
    shown = ", ".join(ids) + (", …" if count > len(ids) else "")
    records = "1 record has" if count == 1 else f"{count:,} records have"
    _log.warning("%s an id that came before (%s): the last one counts", records, shown)
    pairs = connection.execute(
        "SELECT id, before.title, last.title FROM incoming.repeated AS before JOIN incoming.papers AS last USING (id) "
        "ORDER BY before.rowid"
    )
    if lost := list(_of_different_papers(pairs)):
        _log.warning("different papers have the id %s: the last is kept; give each an id of its own", " or ".join(lost))


def _warn_of_replaced(connection: sqlite3.Connection) -> None:
    pairs = connection.execute(
        "SELECT id, known.title, offered.title FROM incoming.papers AS offered JOIN main.papers AS known USING (id) "
        "ORDER BY id"
    )
    if lost := list(islice(_of_different_papers(pairs), _SHOWN + 1)):
        shown = ", ".join(lost[:_SHOWN]) + (", …" if len(lost) > _SHOWN else "")
        _log.warning("replaced by a record with quite another title: %s; give different papers different ids", shown)


def _of_different_papers(pairs: Iterable[tuple[str, str, str]]) -> Iterator[str]:
    """The ids under which two titles stand that are not those of one paper."""
    return (id_ for id_, *titles in pairs if unlike(*(Paper(id_, title) for title in titles)))


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
        paper.original.packed() if paper.original else "",
        int(paper.retracted),
    )
