"""Drafts that are asked again whenever an index has changed, and what of their lists was shown before.

They are in one file of SQLite in the index directory, which its owner alone can read: drafts are unpublished. Names of
authors are never stored.
"""

import os
import sqlite3
import uuid
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import orjson
from pydantic import TypeAdapter

from citescout.manuscript_citations import Resolve, surroundings_of
from citescout.queries import read_asked
from citescout.settings import Settings
from common.errors import CitescoutError, SourceError, os_errors
from common.text import composed, one_line
from indexer.generations import served_manifest
from indexer.identity.keys import text_naming
from indexer.layout import WATCHES
from manuscripts import Manuscript
from retrieval.query import Query

_TABLES = """
CREATE TABLE IF NOT EXISTS feed (id TEXT NOT NULL);  -- a UUID that identifies this index
CREATE TABLE IF NOT EXISTS watches (
    name TEXT PRIMARY KEY,
    path TEXT NOT NULL,      -- of the draft, which is read again where it is still there; "" for standard input
    query BLOB NOT NULL,     -- JSON: as it was read last
    settings BLOB NOT NULL,  -- JSON
    asked TEXT NOT NULL      -- ISO 8601, UTC
);
CREATE TABLE IF NOT EXISTS shown (
    name TEXT NOT NULL,
    id TEXT NOT NULL,        -- of a paper in the index
    entered TEXT,            -- when it was reported as new; NULL where it was in the list from the beginning
    PRIMARY KEY (name, id)
) WITHOUT ROWID;
"""
_SETTINGS = TypeAdapter(Settings)
_PATIENCE = 10.0  # seconds for another process that writes


@dataclass(frozen=True, slots=True)
class Watch:
    """One draft."""

    name: str  # unique in its index
    path: str  # absolute; "" where it came from standard input
    query: Query  # as it was read last, without authors
    settings: Settings
    asked: str  # ISO 8601, UTC


@dataclass(frozen=True, slots=True)
class Entered:
    """A paper that entered the list of a watch."""

    watch: str
    paper: str  # id
    when: str  # ISO 8601, UTC


class Watches:
    """The watches of one index."""

    def __init__(self, directory: Path) -> None:
        """Of an index directory, which may be read-only until one is added.

        Raises:
            IndexDirectoryError: there is no index.
        """
        served_manifest(directory)
        self._path = directory / WATCHES

    def make(self) -> None:
        """Make the file unless it is there, and see that it can be written.

        Raises:
            SourceError: it cannot be read or written.
        """
        if not self._path.exists():
            with os_errors(SourceError, f"write {self._path}"):
                self._path.touch(mode=0o600)
        with self._connection() as connection:
            connection.execute("INSERT INTO feed SELECT ? WHERE NOT EXISTS (SELECT * FROM feed)", (str(uuid.uuid4()),))

    @property
    def feed_id(self) -> uuid.UUID:
        """Of the feed of all watches.

        Raises:
            SourceError: the file cannot be read or written.
        """
        self.make()
        with self._connection() as connection:
            return uuid.UUID(connection.execute("SELECT id FROM feed").fetchone()[0])

    def all(self) -> list[Watch]:
        """By name."""
        with self._connection() as connection:
            rows = connection.execute("SELECT name, path, query, settings, asked FROM watches ORDER BY name").fetchall()
        return [
            Watch(name, path, Query(**orjson.loads(query)), _SETTINGS.validate_json(settings), asked)
            for name, path, query, settings, asked in rows
        ]

    def add(self, watch: Watch, shown: Iterable[str]) -> None:
        """Keep a watch, whose list has these papers, by id, from the beginning.

        Raises:
            SourceError: the name is taken, or the file cannot be written.
        """
        self.make()
        with self._connection() as connection:
            # In a Turkish locale Python before 3.13 does not recognise an INSERT, and begins no transaction for it.
            connection.execute("BEGIN")
            try:
                connection.execute("INSERT INTO watches VALUES (?, ?, ?, ?, ?)", _row(watch))
            except sqlite3.IntegrityError:
                raise SourceError(f"{watch.name!r} is watched already: choose another --name, or remove it") from None
            _remember(connection, watch.name, shown, None)

    def remove(self, names: Iterable[str]) -> None:
        """Forget watches and what was shown of them, all or none.

        Raises:
            SourceError: there is none of that name.
        """
        with self._connection() as connection:
            connection.execute("PRAGMA secure_delete = ON")
            known = {one_line(composed(name)): name for (name,) in connection.execute("SELECT name FROM watches")}
            for name in names:
                stored = known.get(one_line(composed(name)), name)
                if not connection.execute("DELETE FROM watches WHERE name = ?", (stored,)).rowcount:
                    raise SourceError(f"nothing is watched under the name {name!r}: `citescout watch list` shows all")
                connection.execute("DELETE FROM shown WHERE name = ?", (stored,))

    def shown(self, name: str) -> frozenset[str]:
        """Ids of all papers that ever were in the list of a watch."""
        with self._connection() as connection:
            return frozenset(row[0] for row in connection.execute("SELECT id FROM shown WHERE name = ?", (name,)))

    def record(self, watches: Iterable[Watch], entered: Iterable[Entered], known: Iterable[tuple[str, str]]) -> None:
        """Write down that these watches were asked, and that these papers were reported as new.

        `known` has names of watches, and ids of papers in their lists: all of them count as shown. Of what was
        forgotten meanwhile, nothing is written.
        """
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            watched = {row[0] for row in connection.execute("SELECT name FROM watches")}
            for watch in watches:
                name, _, query, _, asked = _row(watch)
                connection.execute("UPDATE watches SET query = ?, asked = ? WHERE name = ?", (query, asked, name))
            rows = [*((one.watch, one.paper, one.when) for one in entered), *((*one, None) for one in known)]
            for name, paper, when in rows:
                if name in watched:
                    _remember(connection, name, [paper], when)

    def latest(self, count: int) -> list[Entered]:
        """What was reported as new, the newest first."""
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT name, id, entered FROM shown WHERE entered IS NOT NULL ORDER BY entered DESC, name, id LIMIT ?",
                (count,),
            ).fetchall()
        return [Entered(*row) for row in rows]

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        place = self._path if self._path.exists() else ":memory:"  # nothing is watched: nothing is there to be written
        if place == self._path and not os.access(place, os.R_OK):
            raise SourceError(
                f"{place} has the drafts of another user, who alone can read it: watch yours in a copy of the index"
            )
        try:
            with closing(sqlite3.connect(place, timeout=_PATIENCE)) as connection, connection:
                connection.executescript(_TABLES)
                yield connection
        except sqlite3.Error as error:
            damaged = not isinstance(error, sqlite3.OperationalError)  # as opposed to read-only, locked, a full disk
            advice = ": where it is damaged, delete it" if damaged else ""
            raise SourceError(f"cannot use {self._path} ({error}){advice}") from None


def read_draft(source: str, resolve: Resolve) -> Query:
    """The one query of a draft, without authors; what it cites as ids of the index, or as it names itself.

    Raises:
        SourceError: it cannot be read, or holds several queries.
        QueryError: a line of it is no query.
    """
    asked = read_asked(source)
    if isinstance(asked, Manuscript):
        surroundings, matches = surroundings_of(resolve, asked)
        query = surroundings.query(Path(source).name if source != "-" else "")
        missing = (text_naming(match.reference) for match in matches if not match.paper)
        return replace(query, already_cited=(*query.already_cited, *filter(None, missing)))
    if len(asked) > 1:
        raise SourceError(f"{source} holds {len(asked):,} queries: a watch is of one draft")
    return replace(asked[0], authors=())


def reread(watch: Watch, resolve: Resolve) -> tuple[Watch, str]:
    """The watch as its draft is now, and why it could not be read again, "" where it could or came from nowhere."""
    if not watch.path:
        return replace(watch, asked=now()), ""
    if not os.access(watch.path, os.F_OK):
        return replace(watch, asked=now()), f"there is no {watch.path} any more"
    try:
        return replace(watch, query=read_draft(watch.path, resolve), asked=now()), ""
    except CitescoutError as error:
        return replace(watch, asked=now()), str(error)


def now() -> str:
    """ISO 8601, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _row(watch: Watch) -> tuple[str, str, bytes, bytes, str]:
    fields = {name: value for name, value in asdict(watch.query).items() if value and name != "authors"}
    return watch.name, watch.path, orjson.dumps(fields), _SETTINGS.dump_json(watch.settings), watch.asked


def _remember(connection: sqlite3.Connection, name: str, papers: Iterable[str], entered: str | None) -> None:
    connection.executemany("INSERT OR IGNORE INTO shown VALUES (?, ?, ?)", [(name, paper, entered) for paper in papers])
