"""The file of all sessions: what is read and written of one of them, and how long it stays."""

import hashlib
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from webui.store_file import StoreFile

FILE = "sessions.sqlite"
_TABLES = """
CREATE TABLE IF NOT EXISTS counters (
    session BLOB NOT NULL,   -- SHA-256 of the session's name: whoever reads the file cannot open its sessions
    numbered TEXT NOT NULL,  -- the table whose rows have the numbers
    last INTEGER NOT NULL,   -- that was given; none is given twice
    PRIMARY KEY (session, numbered)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS uses (
    session BLOB PRIMARY KEY,
    day TEXT NOT NULL        -- of its last use: ISO 8601, UTC
) WITHOUT ROWID;
"""
_OF_SESSIONS = (
    "SELECT tables.name FROM sqlite_master AS tables JOIN pragma_table_info(tables.name) AS columns "
    "WHERE tables.type = 'table' AND columns.name = 'session' ORDER BY tables.name = 'uses'"
)
_NEXT_NUMBER = "INSERT INTO counters VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET last = last + 1 RETURNING last"
_OTHERWISE = "name another folder with --sessions or CITESCOUT_DATA, or keep none with --no-sessions"


class SessionFile(StoreFile):
    """Whatever has a column `session` is of a session, by its key; safe to share between threads and processes."""

    def __init__(self, directory: Path, tables: str, max_bytes: int, days: int, today: Callable[[], date]) -> None:
        """Open the file of the folder with further `tables`; see `Sessions`."""
        self.days, self._today = days, today
        self._pruned: date | None = None  # when sessions that are too old were last deleted
        super().__init__(directory / FILE, _TABLES + tables, "sessions", max_bytes, _OTHERWISE)

    @contextmanager
    def used(self, session: str, keeps: bool = False) -> Iterator[tuple[sqlite3.Connection, bytes]]:
        """A connection, and the key of a session, which counts as used if there is or will be anything of it."""
        today, key = self._today(), hashlib.sha256(session.encode()).digest()
        with self.connection() as connection:
            connection.execute("PRAGMA secure_delete=ON")
            if self._pruned != today:
                self._prune(connection, today)
            last = connection.execute("SELECT day FROM uses WHERE session = ?", (key,)).fetchone()
            # Not whenever it is read, which would make readers wait.
            if (last and last[0] < today.isoformat()) or (keeps and not last):
                connection.execute("INSERT OR REPLACE INTO uses VALUES (?, ?)", (key, today.isoformat()))
                connection.commit()
            yield connection, key

    def rows(self, session: str, query: str, *values: object) -> list[Any]:
        """What a query finds, whose first value is the session."""
        with self.used(session) as (connection, key):
            return connection.execute(query, (key, *values)).fetchall()

    @contextmanager
    def changed(self, session: str, keeps: bool = False) -> Iterator[tuple[sqlite3.Connection, bytes]]:
        """The same, with a connection that alone may write; `keeps` where something will be kept of the session."""
        with self.used(session, keeps) as (connection, key):
            connection.execute("BEGIN IMMEDIATE")
            yield connection, key

    def add(self, connection: sqlite3.Connection, key: bytes, table: str, advice: str, *values: str | bytes) -> int:
        """Add a row: session, its next number in that table, these values and the time. Gives the number, from 1.

        It is the latest row's where that has the same values, of which a second is not added.

        Raises:
            FullError: there is no room for it; says so, and the advice.
        """
        query = f"SELECT * FROM {table} WHERE session = ? ORDER BY number DESC LIMIT 1"  # noqa: S608
        latest = connection.execute(query, (key,)).fetchone()
        if latest and latest[2:-1] == values:
            return int(latest[1])
        self.check_room(connection, sum(map(len, values)), advice)
        (number,) = connection.execute(_NEXT_NUMBER, (key, table)).fetchone()
        row = (key, number, *values, datetime.now(UTC).isoformat(timespec="seconds"))
        connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", row)  # noqa: S608
        return int(number)

    def delete(self, session: str) -> None:
        """Delete all of a session."""
        with self.changed(session) as (connection, key):
            for table in _tables(connection):
                connection.execute(f"DELETE FROM {table} WHERE session = ?", (key,))  # noqa: S608

    def _prune(self, connection: sqlite3.Connection, today: date) -> None:
        """Delete the sessions that were not used for so long, and what was taken out of baskets; tried once a day.

        Notes on what was taken out stay, except of baskets that were emptied. A session whose days of use were not kept
        counts as used today.
        """
        oldest = (today - timedelta(days=self.days)).isoformat()
        for table in _tables(connection):
            add = f"INSERT OR IGNORE INTO uses SELECT DISTINCT session, ? FROM {table}"  # noqa: S608
            connection.execute(add, (today.isoformat(),))
            delete = f"DELETE FROM {table} WHERE session IN (SELECT session FROM uses WHERE day < ?)"  # noqa: S608
            connection.execute(delete, (oldest,))
        yesterday = ((today - timedelta(days=1)).isoformat(),)
        connection.execute("DELETE FROM removed WHERE removed < ? AND NOT (lasts AND note != '')", yesterday)
        connection.execute("UPDATE removed SET paper = NULL WHERE removed < ?", yesterday)
        connection.commit()
        self._pruned = today


class Kept:
    """What is kept of sessions in tables of its own, `TABLES`, which are made with the file."""

    TABLES: str

    def __init__(self, file: SessionFile) -> None:
        """In the file of all sessions."""
        self._file = file


def _tables(connection: sqlite3.Connection) -> list[str]:
    """All that have rows of sessions, `uses` the last."""
    return [name for (name,) in connection.execute(_OF_SESSIONS)]
