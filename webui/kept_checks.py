"""The checks of sessions: finished papers with their reference lists, each under an address, as questions are."""

import zlib
from dataclasses import asdict, dataclass
from datetime import datetime

import orjson

from webui.session_file import Kept

MAX_CHECKS = 50  # of a session; the oldest give way
_ADVICE = "no more can be kept here: empty your history, or ask whoever runs this server"


@dataclass(frozen=True, slots=True)
class Checked:
    """A finished paper and its references."""

    index: str  # that is asked; "" for the only one
    fields: dict[str, str]  # of the form
    known: list[str]  # ids of the references that the index had
    unknown: list[str]  # the others, in words
    skipped: str = ""  # what of a bibliography was, and why


@dataclass(frozen=True, slots=True)
class KeptCheck:
    """One check of a session, for a list of them."""

    number: int
    title: str
    kept: datetime


class KeptChecks(Kept):
    """Those of the sessions of one file."""

    TABLES = """
        CREATE TABLE IF NOT EXISTS checks (
            session BLOB NOT NULL,
            number INTEGER NOT NULL,
            title TEXT NOT NULL,     -- by which the history calls it
            record BLOB NOT NULL,    -- JSON, compressed: what was checked
            kept TEXT NOT NULL,      -- ISO 8601, UTC
            PRIMARY KEY (session, number)
        );
    """

    def keep(self, session: str, title: str, checked: Checked) -> int:
        """The number of a check; the latest one's where it is the same.

        Raises:
            FullError: the file has no room for it.
        """
        record = zlib.compress(orjson.dumps(asdict(checked), option=orjson.OPT_SORT_KEYS), 6)
        with self._file.changed(session, keeps=True) as (connection, key):
            number = self._file.add(connection, key, "checks", _ADVICE, title, record)
            connection.execute("DELETE FROM checks WHERE session = ? AND number <= ?", (key, number - MAX_CHECKS))
        return number

    def find(self, session: str, number: int) -> Checked | None:
        """The check of that number; None where there is none, or none any more."""
        rows = self._file.rows(session, "SELECT record FROM checks WHERE session = ? AND number = ?", number)
        return next((Checked(**orjson.loads(zlib.decompress(record))) for (record,) in rows), None)

    def listed(self, session: str) -> list[KeptCheck]:
        """Those of a session, the last first."""
        query = "SELECT number, title, kept FROM checks WHERE session = ? ORDER BY number DESC"
        rows = self._file.rows(session, query)
        return [KeptCheck(number, title, datetime.fromisoformat(kept)) for number, title, kept in rows]
