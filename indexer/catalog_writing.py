"""Writing catalogs: a fresh one, and a copy with papers added, replaced or removed.

Every catalog is written in the folder of a generation that is not served yet. SQLite need not guard against a crash
there, and the whole folder is forced to disk before it is served.
"""

import logging
import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from common.words import counted, listed
from encoders.text import Text
from indexer.catalog import COLUMNS
from indexer.identity.agreement import unlike
from indexer.identity.lookup_tables import TABLES, papers_at
from indexer.paper import Paper
from indexer.receiving import Join, prepare, receive, warn_of_repeated
from indexer.renaming import rename_entries

_SCHEMA = """
    CREATE TABLE papers (
        number INTEGER PRIMARY KEY, id TEXT NOT NULL, title TEXT NOT NULL, abstract TEXT NOT NULL, year INTEGER,
        authors TEXT NOT NULL, venue TEXT NOT NULL, doi TEXT NOT NULL, arxiv TEXT NOT NULL, url TEXT NOT NULL,
        citations TEXT NOT NULL, original TEXT NOT NULL, retracted INTEGER NOT NULL, other_ids TEXT NOT NULL,
        imprint TEXT NOT NULL
    );
"""
_ID_INDEX = "CREATE UNIQUE INDEX papers_by_id ON papers (id)"
_NUMBER = f"INSERT INTO papers (number, {COLUMNS}) SELECT ?, {COLUMNS} FROM incoming.papers WHERE {{}} ORDER BY id"  # noqa: S608
_SAME_TEXT = "known.id = offered.id AND known.title = offered.title AND known.abstract = offered.abstract"
_SAME = " AND ".join(f"known.{column} IS offered.{column}" for column in COLUMNS.split(", "))
_OFFERED_COLUMNS = ", ".join(f"offered.{column}" for column in COLUMNS.split(", "))
_OFFERED = "id IN (SELECT id FROM incoming.papers)"
# What was merged into a paper stays so when a record of it comes again by itself.
_KEEP_OTHER_IDS = """
    UPDATE incoming.papers AS offered SET other_ids = known.other_ids FROM main.papers AS known
    WHERE known.id = offered.id AND offered.other_ids = '[]' AND known.other_ids != '[]'
"""
_ADD_OTHER_IDS = """
    UPDATE papers SET other_ids = (SELECT json_group_array(value) FROM (
        SELECT value FROM json_each(papers.other_ids) UNION SELECT value FROM json_each(?) ORDER BY value))
    WHERE number = ?
"""
_SHOWN = 5  # ids of a warning

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CatalogChange:
    """What became of the papers that were offered to a catalog that has papers already."""

    added: int  # with an id that was not there
    replaced: int  # with an id that was there, and another title or abstract: they get new docids
    updated: int  # with an id that was there, and only other fields changed: they keep their docids
    unchanged: int


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

    def number(self) -> NDArray[np.int32]:
        """Write the catalog: every paper gets its docid. Returns these in the order in which the papers came."""
        self.connection.executescript(_SCHEMA)
        _number(self.connection, 0)
        self.connection.execute(_ID_INDEX)
        for table in TABLES:
            table.write(self.connection)
        arrivals = self.connection.execute("SELECT rowid FROM incoming.papers ORDER BY id")
        by_docid = np.fromiter((row[0] for row in arrivals), np.int64)
        warn_of_repeated(self.connection, self.offered - len(by_docid))
        return np.argsort(by_docid).astype(np.int32)


@contextmanager
def catalog_build(papers: Iterable[Paper], path: Path, join: Join | None = None) -> Iterator[CatalogBuild]:
    """Receive all papers of a new catalog at `path`; what was received is deleted at the end. Memory stays bounded."""
    with _catalog_and_incoming(path) as connection:
        yield CatalogBuild(connection, _incoming(path), receive(connection, papers, join))


def build_catalog(papers: Iterable[Paper], path: Path, join: Join | None = None) -> int:
    """Write all papers into a new catalog at `path`; several with one id are joined, else the last stays.

    Returns how many it has.
    """
    with catalog_build(papers, path, join) as build:
        return len(build.number())


def add_to_catalog(
    papers: Iterable[Paper], path: Path, first_docid: int, joined: bool = False, renaming: bool = False
) -> CatalogChange:
    """Add papers to the catalog at `path`, numbered from `first_docid` in the order of their ids.

    A paper whose id is there replaces that one, unless it is an entry of a bibliography and clearly a different paper:
    then it gets an id of its own. What other parts of the index were made of is title and abstract: only where these
    differ does the paper get a new docid. Papers that are `joined` come with the ids of all their records. With
    `renaming`, an entry whose key changed since replaces the paper that it was.
    """
    with _catalog_and_incoming(path) as connection:
        offered = receive(connection, papers, databases=("main", "incoming"))
        warn_of_repeated(connection, offered - connection.execute("SELECT count(*) FROM incoming.papers").fetchone()[0])
        connection.execute("BEGIN")
        if renaming:
            rename_entries(connection, path)
        if not joined:
            connection.execute(_KEEP_OTHER_IDS)
        same = f"SELECT 1 FROM main.papers AS known WHERE {_SAME}"  # noqa: S608
        unchanged = connection.execute(f"DELETE FROM incoming.papers AS offered WHERE EXISTS ({same})").rowcount  # noqa: S608
        for table in TABLES:
            table.drop(connection, _OFFERED)
        before = connection.total_changes  # in a Turkish locale Python before 3.13 knows no rowcount of an INSERT
        connection.execute(
            f"INSERT OR REPLACE INTO papers (number, {COLUMNS}) SELECT known.number, {_OFFERED_COLUMNS} "  # noqa: S608
            f"FROM incoming.papers AS offered JOIN main.papers AS known ON {_SAME_TEXT}"
        )
        updated = connection.total_changes - before
        _warn_of_replaced(connection)
        _warn_of_lost_abstracts(connection)
        same_text = f"SELECT 1 FROM incoming.papers AS offered WHERE {_SAME_TEXT}"  # noqa: S608
        replaced = connection.execute(
            f"DELETE FROM papers AS known WHERE {_OFFERED} AND NOT EXISTS ({same_text})"  # noqa: S608
        ).rowcount
        numbered = _number(connection, first_docid, "id NOT IN (SELECT id FROM main.papers)")
        for table in TABLES:
            table.add(connection, _OFFERED)
        connection.execute("COMMIT")
    return CatalogChange(numbered - replaced, replaced, updated, unchanged)


def remove_from_catalog(docids: Iterable[int], path: Path) -> int:
    """Remove the papers of these docids from the catalog at `path`; returns how many were there."""
    with _writing(path) as connection:
        connection.execute("BEGIN")
        unwanted = papers_at(connection, docids)
        for table in TABLES:
            table.drop(connection, unwanted)
        removed = connection.execute(f"DELETE FROM papers WHERE {unwanted}").rowcount  # noqa: S608
        connection.execute("COMMIT")
    return removed


def add_other_ids(ids: Mapping[int, Collection[str]], path: Path) -> None:
    """Have papers of the catalog at `path`, by docid, answer to further ids."""
    if not ids:
        return
    with _writing(path) as connection:
        connection.execute("BEGIN")
        rows = ((orjson.dumps(sorted(more)).decode(), docid) for docid, more in sorted(ids.items()))
        connection.executemany(_ADD_OTHER_IDS, rows)
        changed = papers_at(connection, ids)
        for table in TABLES:
            table.add(connection, changed)
        connection.execute("COMMIT")


def _number(connection: sqlite3.Connection, first: int, condition: str = "TRUE") -> int:
    """Give the papers that came and meet a condition in SQL their docids, in the order of their ids; returns how many.

    `first` is above all docids that were given. The others get none here, so that SQLite adds one to the last: to count
    them in the query would copy all of them once more.
    """
    of_least = connection.execute(f"SELECT min(id) FROM incoming.papers WHERE {condition}").fetchone()  # noqa: S608
    before = connection.total_changes
    for compared, docid in (("=", first), (">", None)):
        connection.execute(_NUMBER.format(f"id {compared} ? AND ({condition})"), (docid, *of_least))
    return connection.total_changes - before


@contextmanager
def _writing(path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        yield connection


@contextmanager
def _catalog_and_incoming(path: Path) -> Iterator[sqlite3.Connection]:
    """The catalog, and an empty table for the papers that are offered; on disk, because they may be millions."""
    incoming = _incoming(path)
    incoming.unlink(missing_ok=True)
    try:
        with _writing(path) as connection:
            connection.execute("ATTACH ? AS incoming", (str(incoming),))
            connection.execute("PRAGMA incoming.journal_mode = OFF")
            prepare(connection)
            yield connection
    finally:
        incoming.unlink(missing_ok=True)


def _incoming(path: Path) -> Path:
    return path.with_name(path.name + ".incoming")


def _warn_of_replaced(connection: sqlite3.Connection) -> None:
    pairs = connection.execute(
        "SELECT id, known.title, offered.title FROM incoming.papers AS offered JOIN main.papers AS known USING (id) "
        "ORDER BY id"
    )
    # A few ids are enough to show which records were meant.
    different = (id_ for id_, *titles in pairs if unlike(*(Paper(id_, title) for title in titles)))
    if lost := list(islice(different, _SHOWN + 1)):
        own = "a paper that is another one needs an id of its own, in Zotero an item of its own"
        _log.warning("replaced by a record with quite another title: %s; %s", listed(lost, _SHOWN), own)


def _warn_of_lost_abstracts(connection: sqlite3.Connection) -> None:
    lost = connection.execute(
        "SELECT id FROM incoming.papers AS offered JOIN main.papers AS known USING (id) "
        "WHERE offered.abstract = '' AND known.abstract != '' ORDER BY id"
    ).fetchall()
    if lost:
        papers = counted(len(lost), "paper has", "papers have")
        shown = listed([id_ for (id_,) in lost], _SHOWN)
        _log.warning("%s no abstract any more (%s): `add --merge-duplicates` joins records instead", papers, shown)
