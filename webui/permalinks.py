"""Questions that somebody asked to be kept, so that an address can be passed on. Nothing else is ever stored."""

import base64
import hashlib
import hmac
import re
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from common.errors import QueryError
from common.text import encodable
from webui.store_file import StoreFile

FILE = "queries.sqlite"
MAX_QUESTION = 256 * 1024  # bytes of one question as JSON
MAX_BYTES = 1024**3  # of the file; a question with an abstract takes some 2,000
_BYTES = 16  # 128 random bits: no address and no key can be found by trying
_KEY = re.compile(r"[A-Za-z0-9_-]{22}")
_ADVICE = "no further question can be stored here: delete one, or ask whoever runs this server"
_TABLE = """
CREATE TABLE IF NOT EXISTS queries (
    id TEXT PRIMARY KEY,
    deletion BLOB NOT NULL,  -- SHA-256 of the secret that deletes the question
    question BLOB NOT NULL,  -- JSON
    stored TEXT NOT NULL     -- day
)
"""


@dataclass(frozen=True, slots=True)
class Stored:
    """What the person who stores a question gets."""

    id: str  # of the address; whoever knows it may read the question
    deletion_key: str  # whoever knows it may delete the question


class Permalinks:
    """The stored questions of one folder; safe to share between threads and processes."""

    def __init__(self, directory: Path, max_bytes: int = MAX_BYTES) -> None:
        """Open the folder, or make it.

        Raises:
            SourceError: it cannot be written.
        """
        self._file = StoreFile(directory / FILE, _TABLE, "queries", max_bytes)

    def store(self, question: dict[str, Any], deletion_key: str = "") -> Stored:
        """Keep a question; with the same deletion key, of `new_key`, the same one is kept once.

        Raises:
            QueryError: it is larger than one may be.
            FullError: the store has no room for it.
        """
        text = orjson.dumps(question)
        if len(text) > MAX_QUESTION:
            raise QueryError(f"the question takes more than the {MAX_QUESTION // 1024} kB that can be stored")
        key = deletion_key if _KEY.fullmatch(deletion_key) else new_key()
        # As hard to find as the key, which it does not tell, and the same when the same is stored again.
        digest = hashlib.sha256(key.encode() + text).digest()[:_BYTES]
        stored = Stored(base64.urlsafe_b64encode(digest).decode().rstrip("="), key)
        with self._file.connection() as connection:
            if connection.execute("SELECT 1 FROM queries WHERE id = ?", (stored.id,)).fetchone():
                return stored
            self._file.check_room(connection, len(text), _ADVICE)
            row = (stored.id, _digest(stored.deletion_key), text, datetime.now(UTC).date().isoformat())
            connection.execute("INSERT OR IGNORE INTO queries VALUES (?, ?, ?, ?)", row)
        return stored

    def load(self, query_id: str) -> dict[str, Any] | None:
        """The question of that id; None where there is none, or none any more."""
        with self._file.connection() as connection:
            row = connection.execute("SELECT question FROM queries WHERE id = ?", (encodable(query_id),)).fetchone()
        return orjson.loads(row[0]) if row else None

    def delete(self, query_id: str, deletion_key: str) -> bool:
        """Delete a question; False where there is none of that id or the key is not its own."""
        with self._file.connection() as connection:
            row = connection.execute("SELECT deletion FROM queries WHERE id = ?", (encodable(query_id),)).fetchone()
            if not row or not hmac.compare_digest(row[0], _digest(deletion_key)):
                return False
            connection.execute("PRAGMA secure_delete=ON")
            connection.execute("DELETE FROM queries WHERE id = ?", (query_id,))
        return True


def new_key() -> str:
    """A deletion key that nobody has."""
    return secrets.token_urlsafe(_BYTES)


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "replace")).digest()
