"""The baskets of sessions: papers that were picked, with notes, which outlast that a paper is taken out."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

import orjson

from common.errors import QueryError
from indexer.paper import Paper, paper_json, paper_of_json
from webui.session_file import Kept

MAX_PICKS = 1_000  # of a session
MAX_NOTE = 2_000  # characters
_ADVICE = "no more can be kept here: remove papers, or ask whoever runs this server"
_TO_REMOVED = (
    "INSERT OR REPLACE INTO removed "
    "SELECT session, corpus, id, paper, note, ?, cited, picked, ? FROM picks WHERE session = ? "
)
_PUT_IN = """
INSERT INTO picks (session, corpus, id, paper, cited, picked, note) VALUES (?1, ?2, ?3, ?4, ?5, ?6, coalesce(
    (SELECT note FROM removed WHERE session = ?1 AND corpus = ?2 AND id = ?3), ''))
ON CONFLICT DO UPDATE SET cited = max(cited, excluded.cited)
"""
_KEEP_LATEST = """
DELETE FROM removed WHERE rowid IN (SELECT entry FROM (
    SELECT rowid AS entry, row_number() OVER (PARTITION BY lasts AND note != '' ORDER BY rowid DESC) AS place
    FROM removed WHERE session = ?) WHERE place > ?)
"""
_OF_INDEXES = "FROM picks WHERE session = ? AND corpus IN (SELECT value FROM json_each(?))"
_UP_TO_DATE = "INSERT INTO picks (session, corpus, id, paper, note, cited, picked) VALUES (?, ?, ?, ?, ?, ?, ?)"
_NOTE = """
SELECT note FROM picks WHERE session = ?1 AND corpus = ?2 AND id = ?3
UNION ALL SELECT note FROM removed WHERE session = ?1 AND corpus = ?2 AND id = ?3 AND lasts
"""
_NOTE_ON_REMOVED = """
INSERT INTO removed (session, corpus, id, note, lasts, removed)
SELECT ?1, ?2, ?3, ?4, TRUE, ?5 WHERE EXISTS (SELECT 1 FROM uses WHERE session = ?1)
ON CONFLICT DO UPDATE SET note = excluded.note, lasts = TRUE
"""


_Row = tuple[str, bytes, str, int, str]  # id, paper, note, cited, picked


@dataclass(frozen=True, slots=True)
class Removal:
    """What was taken out of a basket at once, and not put back."""

    when: str  # by which it is put back
    papers: int
    paper: Paper  # the first of them
    place: int  # among the papers of the basket, from 0, where it stood


@dataclass(frozen=True, slots=True)
class Pick:
    """One paper of a basket."""

    index: str  # that it is of; "" for the only one
    paper: Paper
    note: str
    cited: bool  # it was marked as cited


class KeptBaskets(Kept):
    """Those of the sessions of one file."""

    TABLES = """
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
        CREATE TABLE IF NOT EXISTS removed (
            session BLOB NOT NULL,
            corpus TEXT NOT NULL,
            id TEXT NOT NULL,        -- of a paper that was taken out of the basket
            paper BLOB,              -- NULL where it cannot be put back any more
            note TEXT NOT NULL,      -- that it has again once it is in the basket
            lasts INTEGER NOT NULL,  -- whether the note outlasts the paper: not of a basket that was emptied
            cited INTEGER,
            picked TEXT,
            removed TEXT NOT NULL,   -- ISO 8601, UTC; equal for what was taken out at once
            PRIMARY KEY (session, corpus, id)
        );
    """

    def picks(self, session: str) -> list[Pick]:
        """The basket, in the order of picking."""
        query = "SELECT corpus, paper, note, cited FROM picks WHERE session = ? ORDER BY picked, rowid"
        rows = self._file.rows(session, query)
        return [Pick(index, paper_of_json(text), note, bool(cited)) for index, text, note, cited in rows]

    def picked(self, session: str, index: str | None = None) -> list[str]:
        """Ids of the papers of the basket, of one index or of all."""
        query = "SELECT id FROM picks WHERE session = ? AND corpus = coalesce(?, corpus)"
        return [id_ for (id_,) in self._file.rows(session, query, index)]

    def bring_up_to_date(
        self, session: str, index: str, now: Mapping[Paper, Paper], formerly: Collection[str] = ()
    ) -> None:
        """Keep papers of the basket as their index has them now, perhaps under ids that others had.

        Those that are one now are one there, with their notes. Papers stay as they were where their notes together are
        too long, or where another keeps the id that they have now: one that the index has no more. What was kept of
        the index as it was `formerly` called is kept under its name.

        Raises:
            FullError: the file has no room for it.
        """
        with self._file.changed(session) as (connection, key):
            for name in formerly:
                for table in ("removed", "citation_names"):
                    move = f"UPDATE OR IGNORE {table} SET corpus = ? WHERE session = ? AND corpus = ?"  # noqa: S608
                    connection.execute(move, (index, key, name))
            theirs = (key, orjson.dumps([index, *formerly]).decode())
            query = f"SELECT id, paper, note, cited, picked, corpus {_OF_INDEXES} ORDER BY picked, rowid"
            found = connection.execute(query, theirs).fetchall()  # as the basket is by now
            rows = [row[:-1] for row in found]
            fresh = []
            for id_, (paper, group) in _by_new_id({row: now.get(paper_of_json(row[1])) for row in rows}).items():
                _, texts, notes, cited, picked = zip(*group, strict=True)
                text = paper_json(replace(paper, citations=())) if paper else texts[0]
                fresh.append((id_, text, _together(notes), max(cited), picked[0]))
            if fresh == rows and all(row[-1] == index for row in found):
                return
            self._file.check_room(connection, sum(len(text) for _, text, *_ in fresh), _ADVICE)
            connection.execute(f"DELETE {_OF_INDEXES}", theirs)
            connection.executemany(_UP_TO_DATE, [(key, index, *row) for row in fresh])

    def removed_notes(self, session: str, index: str) -> dict[str, str]:
        """The notes on papers of an index that are in the basket no more, by their ids."""
        query = "SELECT id, note FROM removed WHERE session = ? AND corpus = ? AND lasts AND note != ''"
        return dict(self._file.rows(session, query, index))

    def pick(self, session: str, index: str, papers: Iterable[Paper], cited: bool = False) -> None:
        """Put papers into the basket; those that are in it keep their notes, those that were have them again.

        Raises:
            QueryError: the basket has no room for them.
            FullError: the file has no room for them.
        """
        texts = {paper.id: paper_json(replace(paper, citations=())) for paper in papers}
        with self._file.changed(session, keeps=True) as (connection, key):
            self._file.check_room(connection, sum(map(len, texts.values())), _ADVICE)
            times = map(_later, range(len(texts)))  # each paper has a place of its own, to which it may be put back
            rows = [(key, index, *item, int(cited), when) for item, when in zip(texts.items(), times, strict=True)]
            _put_in(connection, key, rows)

    def remove(self, session: str, index: str, ids: Iterable[str]) -> None:
        """Take papers out of the basket; their notes are kept for when they are put back, the latest 1,000."""
        with self._file.changed(session) as (connection, key):
            now = _later()
            for id_ in ids:
                row = (key, index, id_)
                connection.execute(f"{_TO_REMOVED} AND corpus = ? AND id = ?", (True, now, *row))
                connection.execute("DELETE FROM picks WHERE session = ? AND corpus = ? AND id = ?", row)
            connection.execute(_KEEP_LATEST, (key, MAX_PICKS))

    def empty(self, session: str) -> None:
        """Take all papers out of the basket; older notes, on papers that were taken out before, are deleted."""
        with self._file.changed(session) as (connection, key):
            connection.execute("DELETE FROM removed WHERE session = ? AND paper IS NULL", (key,))
            connection.execute("UPDATE removed SET lasts = FALSE WHERE session = ?", (key,))
            connection.execute(f"{_TO_REMOVED} ORDER BY picked, rowid", (False, _later(), key))
            connection.execute("DELETE FROM picks WHERE session = ?", (key,))
            connection.execute(_KEEP_LATEST, (key, MAX_PICKS))

    def removal(self, session: str) -> Removal | None:
        """What was taken out last, as far as it can be put back: for a day or two."""
        query = "SELECT removed, count(*), paper, min(picked) FROM removed WHERE session = ? AND paper NOT NULL"
        found = self._file.rows(session, f"{query} GROUP BY removed ORDER BY removed DESC LIMIT 1")
        if not found:
            return None
        when, papers, text, picked = found[0]
        ((place,),) = self._file.rows(session, "SELECT count(*) FROM picks WHERE session = ? AND picked <= ?", picked)
        return Removal(when, papers, paper_of_json(text), place)

    def put_back(self, session: str, when: str) -> None:
        """Put back where they stood the papers that were taken out at once, with their notes as they are now.

        Raises:
            QueryError: the basket has no room for them.
        """
        with self._file.changed(session) as (connection, key):
            rows = connection.execute(
                "SELECT session, corpus, id, paper, cited, picked FROM removed "
                "WHERE session = ? AND removed = ? AND paper NOT NULL ORDER BY rowid",
                (key, when),
            ).fetchall()
            _put_in(connection, key, rows)

    def note(self, session: str, index: str, paper_id: str, text: str, was: str | None = None) -> None:
        """Keep a note on a paper; one that was taken out of the basket meanwhile has it once it is put back.

        Where the note is not what it `was` to whoever changed it, what others wrote meanwhile stays above the text.

        Raises:
            QueryError: the note is too long, or the session was deleted.
            FullError: the file has no room for it.
        """
        if len(text) > MAX_NOTE:
            raise QueryError(f"a note may have {MAX_NOTE:,} characters, not {len(text):,}")
        with self._file.changed(session) as (connection, key):
            if was is not None:
                text = _with_others(connection.execute(_NOTE, (key, index, paper_id)).fetchone(), was, text)
            self._file.check_room(connection, len(text), _ADVICE)
            changed = connection.execute(
                "UPDATE picks SET note = ? WHERE session = ? AND corpus = ? AND id = ?", (text, key, index, paper_id)
            )
            if not changed.rowcount:
                before = connection.total_changes
                connection.execute(_NOTE_ON_REMOVED, (key, index, paper_id, text, _later()))
                if connection.total_changes == before:
                    raise QueryError("this session was deleted, and the note is not kept: copy it to another place")
                connection.execute(_KEEP_LATEST, (key, MAX_PICKS))


def _by_new_id(now: dict[_Row, Paper | None]) -> dict[str, tuple[Paper | None, list[_Row]]]:
    """The rows of a basket by the ids that they get, with the paper that they are now; None for one that stays."""
    while True:
        groups: dict[str, tuple[Paper | None, list[_Row]]] = {}
        for row, paper in now.items():
            groups.setdefault(paper.id if paper else row[0], (paper, []))[1].append(row)
        apart = [
            row
            for _, group in groups.values()
            if len(group) > 1 and (not all(map(now.get, group)) or len(_together(row[2] for row in group)) > MAX_NOTE)
            for row in group
            if now[row]
        ]
        if not apart:
            return groups
        now |= dict.fromkeys(apart)


def _together(notes: Iterable[str]) -> str:
    return "\n\n".join(filter(None, dict.fromkeys(notes)))


def _with_others(row: tuple[str] | None, was: str, text: str) -> str:
    """A note with what others wrote on it since it `was` that; the part of it that still is becomes the text.

    Raises:
        QueryError: both together are too long.
    """
    kept = row[0] if row else was
    if kept == was:
        return text
    around = "\n\n{}\n\n".format  # a blank line ends a part
    if around(text) in around(kept):
        both = kept
    elif was and around(was) in around(kept):
        both = around(kept).replace(around(was), around(text), 1).strip()
    else:
        both = f"{kept}\n\n{text}".strip()
    if len(both) > MAX_NOTE:
        raise QueryError(
            f"this note was changed elsewhere, too, and both together have over {MAX_NOTE:,} characters: shorten yours"
        )
    return both


def _put_in(
    connection: sqlite3.Connection, key: bytes, rows: Sequence[tuple[bytes, str, str, bytes, int, str]]
) -> None:
    connection.executemany(_PUT_IN, rows)
    places = (row[:3] for row in rows)
    connection.executemany("DELETE FROM removed WHERE session = ? AND corpus = ? AND id = ?", places)
    (count,) = connection.execute("SELECT count(*) FROM picks WHERE session = ?", (key,)).fetchone()
    if count > MAX_PICKS:
        raise QueryError(f"a basket holds {MAX_PICKS:,} papers: remove some first")


def _later(microseconds: int = 0) -> str:
    return (datetime.now(UTC) + timedelta(microseconds=microseconds)).isoformat(timespec="microseconds")
