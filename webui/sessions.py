"""Sessions: questions, picked papers and manuscripts of one visitor, under an address that cannot be guessed."""

import hashlib
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import orjson

from common.errors import QueryError
from indexer.paper import Paper
from indexer.paper_json import paper_json, paper_of_json
from webui.kept_manuscripts import TABLES as MANUSCRIPT_TABLES
from webui.kept_manuscripts import KeptManuscripts
from webui.permalinks import MAX_QUESTION
from webui.store_file import StoreFile
from webui.watched import TABLES as WATCHED_TABLES
from webui.watched import WatchedQuestions

FILE = "sessions.sqlite"
MAX_BYTES = 1024**3  # of the file
MAX_QUESTIONS = 200  # of a session; the oldest that are not watched give way
MAX_PICKS = 1_000  # of a session
MAX_NOTE = 2_000  # characters
DAYS = 90  # without a use until a session is deleted
_ADVICE = "no more can be kept here: empty your history, or ask whoever runs this server"
_TABLES = """
CREATE TABLE IF NOT EXISTS questions (
    session BLOB NOT NULL,   -- SHA-256 of the session's name: whoever reads the file cannot open its sessions
    number INTEGER NOT NULL, -- from 1, in the order of asking; never given twice
    corpus TEXT NOT NULL,    -- name of the index that was asked; "" for the only one
    fields BLOB NOT NULL,    -- JSON: the fields of the page's form
    asked TEXT NOT NULL,     -- ISO 8601, UTC
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS picks (
    session BLOB NOT NULL,
    corpus TEXT NOT NULL,
    id TEXT NOT NULL,        -- of the paper in that index
    paper BLOB NOT NULL,     -- JSON: as it was when it was picked, for when the index changes
    note TEXT NOT NULL DEFAULT '',
    cited INTEGER NOT NULL DEFAULT 0,
    picked TEXT NOT NULL,
    PRIMARY KEY (session, corpus, id)
);
CREATE TABLE IF NOT EXISTS counters (session BLOB PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS uses (
    session BLOB PRIMARY KEY,
    day TEXT NOT NULL        -- of its last use: ISO 8601, UTC
) WITHOUT ROWID;
"""
_OF_SESSIONS = (
    "SELECT tables.name FROM sqlite_master AS tables JOIN pragma_table_info(tables.name) AS columns "
    "WHERE tables.type = 'table' AND columns.name = 'session' ORDER BY tables.name = 'uses'"
)


_OTHERWISE = "; name another folder with --sessions or CITESCOUT_DATA, or keep none with --no-sessions"


@dataclass(frozen=True, slots=True)
class Question:
    """One question of a session."""

    number: int
    index: str  # "" for the only one
    fields: dict[str, str]  # of the page's form
    asked: datetime


@dataclass(frozen=True, slots=True)
class Pick:
    """One paper of a basket."""

    index: str  # that it is of; "" for the only one
    paper: Paper
    note: str
    cited: bool  # it was marked as cited


class Sessions:
    """The sessions of one folder; safe to share between threads and processes.

    A session is there once something is stored for its name; any other name is an empty session. One that was not used
    for `days` days is deleted at the first use of any session after that.
    """

    def __init__(
        self,
        directory: Path,
        max_bytes: int = MAX_BYTES,
        days: int = DAYS,
        today: Callable[[], date] = lambda: datetime.now(UTC).date(),
    ) -> None:
        """Open the folder, or make it; `today` is the date in UTC.

        Raises:
            SourceError: it cannot be written.
        """
        tables = _TABLES + MANUSCRIPT_TABLES + WATCHED_TABLES
        self._file = StoreFile(directory / FILE, tables, "sessions", max_bytes, _OTHERWISE)
        self.days, self._today = days, today
        self._pruned: date | None = None  # when sessions that are too old were last deleted
        self.manuscripts = KeptManuscripts(self._file, self._used)
        self.watched = WatchedQuestions(self._used)

    def ask(self, session: str, index: str, fields: dict[str, str]) -> int:
        """The number of a question; the latest one's where it is the same.

        Raises:
            QueryError: it is larger than one may be.
            FullError: the file has no room for it.
        """
        text = orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)
        if len(text) > MAX_QUESTION:
            raise QueryError(f"the question takes more than the {MAX_QUESTION // 1024} kB that can be stored")
        with self._used(session) as (connection, key):
            connection.execute("BEGIN IMMEDIATE")
            latest = connection.execute(
                "SELECT number, corpus, fields FROM questions WHERE session = ? ORDER BY number DESC LIMIT 1", (key,)
            ).fetchone()
            if latest and (latest[1], latest[2]) == (index, text):
                return int(latest[0])
            self._file.check_room(connection, len(text), _ADVICE)
            self._use(connection, key)
            (number,) = connection.execute(
                "INSERT INTO counters VALUES (?, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last", (key,)
            ).fetchone()
            connection.execute("INSERT INTO questions VALUES (?, ?, ?, ?, ?)", (key, number, index, text, _now()))
            connection.execute(
                "DELETE FROM questions WHERE session = ?1 AND number <= ?2 "
                "AND number NOT IN (SELECT number FROM watched WHERE session = ?1)",
                (key, number - MAX_QUESTIONS),
            )
        return int(number)

    def question(self, session: str, number: int) -> Question | None:
        """The question of that number; None where there is none, or none any more."""
        found = self._questions(session, "number = ?", number)
        return found[0] if found else None

    def questions(self, session: str) -> list[Question]:
        """The latest questions, the last first."""
        return self._questions(session)

    def forget_questions(self, session: str) -> None:
        """Delete the questions of a session, watched ones too, not what was picked."""
        with self._used(session) as (connection, key):
            for table in ("questions", "watched", "watched_papers"):
                connection.execute(f"DELETE FROM {table} WHERE session = ?", (key,))  # noqa: S608

    def delete(self, session: str) -> None:
        """Delete all of a session."""
        with self._used(session) as (connection, key):
            for table in _tables(connection):
                connection.execute(f"DELETE FROM {table} WHERE session = ?", (key,))  # noqa: S608

    def picks(self, session: str) -> list[Pick]:
        """The basket, in the order of picking."""
        with self._used(session) as (connection, key):
            rows = connection.execute(
                "SELECT corpus, paper, note, cited FROM picks WHERE session = ? ORDER BY picked, rowid", (key,)
            ).fetchall()
        return [Pick(index, paper_of_json(text), note, bool(cited)) for index, text, note, cited in rows]

    def picked(self, session: str, index: str | None = None) -> list[str]:
        """Ids of the papers of the basket, of one index or of all."""
        with self._used(session) as (connection, key):
            rows = connection.execute(
                "SELECT id FROM picks WHERE session = ? AND corpus = coalesce(?, corpus)", (key, index)
            ).fetchall()
        return [row[0] for row in rows]

    def pick(self, session: str, index: str, papers: Iterable[Paper], cited: bool = False) -> None:
        """Put papers into the basket; those that are in it keep their notes.

        Raises:
            QueryError: the basket has no room for them.
            FullError: the file has no room for them.
        """
        texts = {paper.id: paper_json(replace(paper, citations=())) for paper in papers}
        with self._used(session) as (connection, key):
            connection.execute("BEGIN IMMEDIATE")
            self._file.check_room(connection, sum(map(len, texts.values())), _ADVICE)
            self._use(connection, key)
            connection.executemany(
                "INSERT INTO picks (session, corpus, id, paper, cited, picked) VALUES (?, ?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET cited = max(cited, excluded.cited)",
                [(key, index, id_, text, int(cited), _now()) for id_, text in texts.items()],
            )
            (count,) = connection.execute("SELECT count(*) FROM picks WHERE session = ?", (key,)).fetchone()
            if count > MAX_PICKS:
                raise QueryError(f"a basket holds {MAX_PICKS:,} papers: remove some first")

    def remove(self, session: str, index: str, ids: Iterable[str]) -> None:
        """Take papers out of the basket, their notes with them."""
        with self._used(session) as (connection, key):
            connection.executemany(
                "DELETE FROM picks WHERE session = ? AND corpus = ? AND id = ?", [(key, index, id_) for id_ in ids]
            )

    def note(self, session: str, index: str, paper_id: str, text: str) -> None:
        """Keep a note on a paper of the basket; nothing happens where it is not in it.

        Raises:
            QueryError: the note is too long.
            FullError: the file has no room for it.
        """
        if len(text) > MAX_NOTE:
            raise QueryError(f"a note may have {MAX_NOTE:,} characters, not {len(text):,}")
        with self._used(session) as (connection, key):
            self._file.check_room(connection, len(text), _ADVICE)
            connection.execute(
                "UPDATE picks SET note = ? WHERE session = ? AND corpus = ? AND id = ?", (text, key, index, paper_id)
            )

    def _questions(self, session: str, condition: str = "TRUE", *values: object) -> list[Question]:
        with self._used(session) as (connection, key):
            rows = connection.execute(
                f"SELECT number, corpus, fields, asked FROM questions WHERE session = ? AND {condition} "  # noqa: S608
                "ORDER BY number DESC",
                (key, *values),
            ).fetchall()
        return [
            Question(number, index, orjson.loads(fields), datetime.fromisoformat(asked))
            for number, index, fields, asked in rows
        ]

    @contextmanager
    def _used(self, session: str, keeps: bool = False) -> Iterator[tuple[sqlite3.Connection, bytes]]:
        """A connection, and the key of a session, which counts as used today if there is or will be anything of it."""
        today, key = self._today(), _key(session)
        with self._file.connection() as connection:
            connection.execute("PRAGMA secure_delete=ON")
            if self._pruned != today:
                self._prune(connection, today)
            last = connection.execute("SELECT day FROM uses WHERE session = ?", (key,)).fetchone()
            # Not whenever it is read, which would make readers wait.
            if (last and last[0] < today.isoformat()) or (keeps and not last):
                self._use(connection, key)
                connection.commit()
            yield connection, key

    def _use(self, connection: sqlite3.Connection, key: bytes) -> None:
        connection.execute("INSERT OR REPLACE INTO uses VALUES (?, ?)", (key, self._today().isoformat()))

    def _prune(self, connection: sqlite3.Connection, today: date) -> None:
        """Delete the sessions that were not used for so long, which is tried once a day.

        One whose days of use were not kept counts as used today.
        """
        oldest = (today - timedelta(days=self.days)).isoformat()
        for table in _tables(connection):
            add = f"INSERT OR IGNORE INTO uses SELECT DISTINCT session, ? FROM {table}"  # noqa: S608
            connection.execute(add, (today.isoformat(),))
            delete = f"DELETE FROM {table} WHERE session IN (SELECT session FROM uses WHERE day < ?)"  # noqa: S608
            connection.execute(delete, (oldest,))
        connection.commit()
        self._pruned = today


def _tables(connection: sqlite3.Connection) -> list[str]:
    """All that have rows of sessions, `uses` the last."""
    return [name for (name,) in connection.execute(_OF_SESSIONS)]


def _key(session: str) -> bytes:
    return hashlib.sha256(session.encode()).digest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
