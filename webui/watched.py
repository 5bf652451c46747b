"""Watched questions of sessions: which papers their lists had, and which have come since; without any text."""

import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain

from common.errors import QueryError
from webui.session_file import Kept

MAX_WATCHED = 20  # questions of a session
_Papers = Collection[tuple[str, ...]]  # ids of each: that of the list, and those of other records of the paper


@dataclass(frozen=True, slots=True)
class Watched:
    """One watched question."""

    number: int
    index: str  # that it was asked of
    served: str  # which state of its index its list is of
    new: int  # papers that have not been shown


class WatchedQuestions(Kept):
    """Those of the sessions of one file."""

    TABLES = """
        CREATE TABLE IF NOT EXISTS watched (
            session BLOB NOT NULL,
            number INTEGER NOT NULL,   -- of the question
            served TEXT NOT NULL,      -- which state of its index its list is of
            PRIMARY KEY (session, number)
        ) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS watched_papers (
            session BLOB NOT NULL,
            number INTEGER NOT NULL,
            id TEXT NOT NULL,          -- of a paper that is or was in the list
            news INTEGER NOT NULL,     -- 0: shown before; 1: new, and not shown yet; 2: the latest that was new
            PRIMARY KEY (session, number, id)
        ) WITHOUT ROWID;
    """

    def all(self, session: str) -> dict[int, Watched]:
        """By the numbers of the questions."""
        query = (
            "SELECT number, corpus, served, (SELECT count(*) FROM watched_papers AS papers "
            "WHERE papers.session = watched.session AND papers.number = watched.number AND news = 1) "
            "FROM watched JOIN questions USING (session, number) WHERE session = ? ORDER BY number"
        )
        return {row[0]: Watched(*row) for row in self._file.rows(session, query)}

    def watch(self, session: str, number: int, served: str, papers: _Papers) -> None:
        """Watch a question whose list has these papers; one that is watched already stays as it is.

        Raises:
            QueryError: the session watches as many as it may.
        """
        with self._file.changed(session) as (connection, key):
            known = connection.execute("SELECT number FROM watched WHERE session = ?", (key,)).fetchall()
            if (number,) in known:
                return
            if len(known) >= MAX_WATCHED:
                raise QueryError(f"a session watches {MAX_WATCHED} questions: stop watching one first")
            connection.execute("INSERT INTO watched VALUES (?, ?, ?)", (key, number, served))
            _add(connection, key, number, chain.from_iterable(papers), 0)

    def forget(self, session: str, number: int) -> None:
        """Watch a question no more."""
        with self._file.changed(session) as (connection, key):
            for table in ("watched", "watched_papers"):
                connection.execute(f"DELETE FROM {table} WHERE session = ? AND number = ?", (key, number))  # noqa: S608

    def record(self, session: str, number: int, served: str, papers: _Papers) -> None:
        """Write down the list of a watched question; papers that were never in it, under no id, are new."""
        with self._file.changed(session) as (connection, key):
            changed = connection.execute(
                "UPDATE watched SET served = ? WHERE session = ? AND number = ?", (served, key, number)
            )
            if not changed.rowcount:  # it was forgotten meanwhile
                return
            rows = connection.execute(
                "SELECT id FROM watched_papers WHERE session = ? AND number = ?", (key, number)
            ).fetchall()
            known = {id_ for (id_,) in rows}
            new = [ids for ids in papers if known.isdisjoint(ids)]
            _add(connection, key, number, (ids[0] for ids in new), 1)
            _add(connection, key, number, chain.from_iterable(papers), 0)

    def show(self, session: str, number: int) -> frozenset[str]:
        """The papers of a question that are new, which are so no more, or else those that were new last."""
        some = "watched_papers WHERE session = ? AND number = ? AND news > 0"
        with self._file.changed(session) as (connection, key):
            rows = connection.execute(f"SELECT id, news FROM {some}", (key, number)).fetchall()  # noqa: S608
            new = frozenset(id_ for id_, news in rows if news == 1)
            if new:
                shown = "SET news = CASE news WHEN 1 THEN 2 ELSE 0 END WHERE session = ? AND number = ?"
                connection.execute(f"UPDATE watched_papers {shown}", (key, number))
        return new or frozenset(id_ for id_, _ in rows)


def _add(connection: sqlite3.Connection, key: bytes, number: int, papers: Iterable[str], news: int) -> None:
    rows = [(key, number, id_, news) for id_ in papers]
    connection.executemany("INSERT OR IGNORE INTO watched_papers VALUES (?, ?, ?, ?)", rows)
