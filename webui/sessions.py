"""Sessions: questions, checks, papers and manuscripts of one visitor, under an address that cannot be guessed."""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import orjson

from common.errors import QueryError
from webui.kept_baskets import TABLES as BASKET_TABLES
from webui.kept_baskets import KeptBaskets, forget_removals
from webui.kept_checks import TABLES as CHECK_TABLES
from webui.kept_checks import KeptChecks
from webui.kept_manuscripts import TABLES as MANUSCRIPT_TABLES
from webui.kept_manuscripts import KeptManuscripts
from webui.kept_names import TABLES as NAME_TABLES
from webui.kept_names import KeptNames
from webui.permalinks import MAX_QUESTION
from webui.store_file import StoreFile, next_number
from webui.watched import TABLES as WATCHED_TABLES
from webui.watched import WatchedQuestions

FILE = "sessions.sqlite"
MAX_BYTES = 1024**3  # of the file
MAX_QUESTIONS = 200  # of a session; the oldest that are not watched give way
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
        tables = _TABLES + BASKET_TABLES + CHECK_TABLES + MANUSCRIPT_TABLES + NAME_TABLES + WATCHED_TABLES
        self._file = StoreFile(directory / FILE, tables, "sessions", max_bytes, _OTHERWISE)
        self.days, self._today = days, today
        self._pruned: date | None = None  # when sessions that are too old were last deleted
        self.baskets = KeptBaskets(self._file, self._used)
        self.checks = KeptChecks(self._file, self._used)
        self.manuscripts = KeptManuscripts(self._file, self._used)
        self.names = KeptNames(self._file, self._used)
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
            number = next_number(connection, "counters", key)
            connection.execute("INSERT INTO questions VALUES (?, ?, ?, ?, ?)", (key, number, index, text, _now()))
            connection.execute(
                "DELETE FROM questions WHERE session = ?1 AND number <= ?2 "
                "AND number NOT IN (SELECT number FROM watched WHERE session = ?1)",
                (key, number - MAX_QUESTIONS),
            )
        return number

    def question(self, session: str, number: int) -> Question | None:
        """The question of that number; None where there is none, or none any more."""
        found = self._questions(session, "number = ?", number)
        return found[0] if found else None

    def questions(self, session: str) -> list[Question]:
        """The latest questions, the last first."""
        return self._questions(session)

    def forget_questions(self, session: str) -> None:
        """Delete the questions of a session, watched ones too, and its checks, not what was picked."""
        with self._used(session) as (connection, key):
            for table in ("questions", "watched", "watched_papers", "checks"):
                connection.execute(f"DELETE FROM {table} WHERE session = ?", (key,))  # noqa: S608

    def delete(self, session: str) -> None:
        """Delete all of a session."""
        with self._used(session) as (connection, key):
            for table in _tables(connection):
                connection.execute(f"DELETE FROM {table} WHERE session = ?", (key,))  # noqa: S608

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
        forget_removals(connection, (today - timedelta(days=1)).isoformat())
        connection.commit()
        self._pruned = today


def _tables(connection: sqlite3.Connection) -> list[str]:
    """All that have rows of sessions, `uses` the last."""
    return [name for (name,) in connection.execute(_OF_SESSIONS)]


def _key(session: str) -> bytes:
    return hashlib.sha256(session.encode()).digest()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
