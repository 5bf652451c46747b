"""The manuscripts of sessions: as they were read, with their files of BibTeX, until somebody deletes them."""

import hashlib
import zlib
from dataclasses import dataclass
from datetime import datetime

import orjson

from common.errors import QueryError
from common.recent import RecentlyUsed
from manuscripts.manuscript import Manuscript
from manuscripts.manuscript_json import as_json, manuscript_of
from webui.session_file import Kept, SessionFile

MAX_MANUSCRIPTS = 20  # of a session
MAX_MANUSCRIPT = 4 << 20  # bytes of one, compressed; a thesis of 200 pages takes 0.5 million
MAX_RECORD = 16 << 20  # bytes of one as JSON
MAX_SENTENCES = 30_000  # of one; a thesis of 200 pages has 10,000
MAX_NAME = 100  # characters
_IN_MEMORY = 4  # manuscripts that were read from the file last
_ADVICE = "no more can be kept here: delete a manuscript, or ask whoever runs this server"


@dataclass(frozen=True, slots=True)
class KeptManuscript:
    """One manuscript of a session."""

    number: int
    name: str
    kept: datetime
    digest: bytes  # equal for equal manuscripts


class KeptManuscripts(Kept):
    """Those of the sessions of one file."""

    TABLES = """
        CREATE TABLE IF NOT EXISTS manuscripts (
            session BLOB NOT NULL,
            number INTEGER NOT NULL,
            name TEXT NOT NULL,      -- of the file or folder
            digest BLOB NOT NULL,    -- SHA-256 of the text
            text BLOB NOT NULL,      -- JSON, compressed: the manuscript
            kept TEXT NOT NULL,      -- ISO 8601, UTC
            PRIMARY KEY (session, number)
        );
    """

    def __init__(self, file: SessionFile) -> None:
        super().__init__(file)
        self._read: RecentlyUsed[bytes, Manuscript] = RecentlyUsed(_IN_MEMORY)

    def keep(self, session: str, name: str, manuscript: Manuscript) -> int:
        """The number of a manuscript; of one that the session has already, the number that it had, and the new name.

        Raises:
            QueryError: it is larger than one may be, or the session has as many as it may have.
            FullError: the file has no room for it.
        """
        record = as_json(manuscript)
        if len(record) > MAX_RECORD or sum(1 for _ in manuscript.sentences()) > MAX_SENTENCES:
            raise QueryError(f"the manuscript is longer than the {MAX_SENTENCES:,} sentences that can be kept")
        text, digest = zlib.compress(record, 6), hashlib.sha256(record).digest()
        if len(text) > MAX_MANUSCRIPT:
            raise QueryError(f"the manuscript takes more than the {MAX_MANUSCRIPT >> 20} MB that can be kept")
        with self._file.changed(session, keeps=True) as (connection, key):
            same = connection.execute(
                "UPDATE manuscripts SET name = ? WHERE session = ? AND digest = ? RETURNING number",
                (name[:MAX_NAME], key, digest),
            ).fetchone()
            if same:
                return int(same[0])
            (count,) = connection.execute("SELECT count(*) FROM manuscripts WHERE session = ?", (key,)).fetchone()
            if count >= MAX_MANUSCRIPTS:
                raise QueryError(f"a session keeps {MAX_MANUSCRIPTS} manuscripts: delete one first (see History)")
            return self._file.add(connection, key, "manuscripts", _ADVICE, name[:MAX_NAME], digest, text)

    def listed(self, session: str) -> list[KeptManuscript]:
        """Those of a session, the last first."""
        query = "SELECT number, name, kept, digest FROM manuscripts WHERE session = ? ORDER BY number DESC"
        rows = self._file.rows(session, query)
        return [KeptManuscript(row[0], row[1], datetime.fromisoformat(row[2]), row[3]) for row in rows]

    def find(self, session: str, number: int) -> tuple[KeptManuscript, Manuscript] | None:
        """The manuscript of that number; None where there is none, or none any more."""
        entry = next((one for one in self.listed(session) if one.number == number), None)
        if entry is None:
            return None
        manuscript = self._read.get(entry.digest)
        if manuscript is None:
            rows = self._file.rows(session, "SELECT text FROM manuscripts WHERE session = ? AND number = ?", number)
            if not rows:  # it was deleted this moment
                return None
            manuscript = manuscript_of(orjson.loads(zlib.decompress(rows[0][0])))
            self._read.put(entry.digest, manuscript)
        return entry, manuscript

    def delete(self, session: str, number: int) -> None:
        """Delete a manuscript; nothing happens where there is none."""
        with self._file.changed(session) as (connection, key):
            connection.execute("DELETE FROM manuscripts WHERE session = ? AND number = ?", (key, number))
