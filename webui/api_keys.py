"""API keys: random secrets, of which the server has the SHA-256 only.

A fast hash is enough because a key is 256 random bits, not a password that could be guessed.
"""

import hashlib
import hmac
import logging
import re
import secrets
import threading
from pathlib import Path

from common.errors import SourceError, os_errors

_log = logging.getLogger(__name__)

_LINE = re.compile(r"([A-Za-z0-9._@-]{1,64})\s+([0-9a-f]{64})")
_LONGEST_KEY = 200  # characters; longer ones are not hashed


def new_key() -> str:
    """A fresh key."""
    return f"cs_{secrets.token_urlsafe(32)}"


def key_line(name: str, key: str) -> str:
    """The line of a key file for a key.

    Raises:
        SourceError: the name has other characters than letters, digits and . _ @ -
    """
    line = f"{name} {_digest(key)}"
    if not _LINE.fullmatch(line):
        raise SourceError(f"the name of a key has 1 to 64 letters, digits and . _ @ -, not {name!r}")
    return line


class ApiKeys:
    """The keys of a file of lines "NAME SHA-256"; a changed file is read again, so that a key can be withdrawn."""

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            SourceError: it cannot be read, a line is malformed, or there is no key in it.
        """
        self._path = path
        self._lock = threading.Lock()
        self._state = self._stamp()
        self._digests = self._read()

    def name_of(self, key: str) -> str | None:
        """Whose key it is; None where it is unknown. Takes the same time whichever key it is, and whether it is one."""
        self._follow()
        if len(key) > _LONGEST_KEY:
            return None
        digest = _digest(key)
        found = None
        for name, known in self._digests:
            if hmac.compare_digest(digest, known):
                found = name
        return found

    def _follow(self) -> None:
        with self._lock:
            try:
                state = self._stamp()
                if state != self._state:
                    self._state = state
                    self._digests = self._read()
            except SourceError as error:
                _log.error("%s: the keys read before stay valid", error)

    def _stamp(self) -> tuple[int, int, int]:
        with os_errors(SourceError, f"read the key file {self._path}"):
            status = self._path.stat()
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _read(self) -> tuple[tuple[str, str], ...]:
        try:
            lines = self._path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise SourceError(f"cannot read the key file {self._path}: {reason}") from None
        keys = []
        for number, line in enumerate(lines, start=1):
            if not line.strip() or line.startswith("#"):
                continue
            match = _LINE.fullmatch(line.strip())
            if not match:
                raise SourceError(f'{self._path}, line {number}: not a key; a line is "NAME SHA-256"')
            keys.append((match[1], match[2]))
        if not keys:
            raise SourceError(f"{self._path} holds no key: make one with citescout key")
        return tuple(keys)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
