"""Sessions: questions, checks, papers and manuscripts of one visitor, under an address that cannot be guessed."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path

import orjson

from common.errors import QueryError
from webui.kept_baskets import KeptBaskets
from webui.kept_checks import KeptChecks
from webui.kept_manuscripts import KeptManuscripts
from webui.kept_names import KeptNames
from webui.permalinks import MAX_QUESTION
from webui.session_file import SessionFile
from webui.watched import WatchedQuestions

MAX_BYTES = 1024**3  # of the file
MAX_QUESTIONS = 200  # of a session; the oldest that are not watched give way
DAYS = 90  # without a use until a session is deleted
_ADVICE = "no more can be kept here: empty your history, or ask whoever runs this server"
_TABLE = """
CREATE TABLE IF NOT EXISTS questions (
    session BLOB NOT NULL,
    number INTEGER NOT NULL, -- from 1, in the order of asking
    corpus TEXT NOT NULL,    -- name of the index that was asked; "" for the only one
    fields BLOB NOT NULL,    -- JSON: the fields of the page's form
    asked TEXT NOT NULL,     -- ISO 8601, UTC
    PRIMARY KEY (session, number)
) WITHOUT ROWID;
"""


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
        parts = (KeptBaskets, KeptChecks, KeptManuscripts, KeptNames, WatchedQuestions)
        tables = _TABLE + "".join(part.TABLES for part in parts)
        self._file = SessionFile(directory, tables, max_bytes, days, today)
        self.days, self.delete = days, self._file.delete
        self.baskets = KeptBaskets(self._file)
        self.checks = KeptChecks(self._file)
        self.manuscripts = KeptManuscripts(self._file)
        self.names = KeptNames(self._file)
        self.watched = WatchedQuestions(self._file)

    def ask(self, session: str, index: str, fields: dict[str, str]) -> int:
        """The number of a question; the latest one's where it is the same.

        Raises:
            QueryError: it is larger than one may be.
            FullError: the file has no room for it.
        """
        text = orjson.dumps(fields, option=orjson.OPT_SORT_KEYS)
        if len(text) > MAX_QUESTION:
            raise QueryError(f"the question takes more than the {MAX_QUESTION // 1024} kB that can be stored")
        with self._file.changed(session, keeps=True) as (connection, key):
            number = self._file.add(connection, key, "questions", _ADVICE, index, text)
            connection.execute(
                "DELETE FROM questions WHERE session = ?1 AND number <= ?2 "
                "AND number NOT IN (SELECT number FROM watched WHERE session = ?1)",
                (key, number - MAX_QUESTIONS),
            )
        return number

    def question(self, session: str, number: int) -> Question | None:
        """The question of that number; None where there is none, or none any more."""
        return next(iter(self._questions(session, "number = ?", number)), None)

    def questions(self, session: str) -> list[Question]:
        """The latest questions, the last first."""
        return self._questions(session)

    def _questions(self, session: str, condition: str = "TRUE", *values: object) -> list[Question]:
        query = "SELECT number, corpus, fields, asked FROM questions WHERE session = ?"
        rows = self._file.rows(session, f"{query} AND {condition} ORDER BY number DESC", *values)
        return [
            Question(number, index, orjson.loads(fields), datetime.fromisoformat(asked))
            for number, index, fields, asked in rows
        ]

    def forget_questions(self, session: str) -> None:
        """Delete the questions of a session, watched ones too, and its checks, not what was picked."""
        with self._file.changed(session) as (connection, key):
            for table in ("questions", "watched", "watched_papers", "checks"):
                connection.execute(f"DELETE FROM {table} WHERE session = ?", (key,))  # noqa: S608
