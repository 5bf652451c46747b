"""API keys: random secrets, of which the server has the SHA-256 only.

A fast hash is enough because a key is 256 random bits, not a password that could be guessed.
"""

import errno
import hashlib
import logging
import re
import secrets
import threading
from pathlib import Path

from common.errors import SourceError

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


def keys_in(text: str, path: Path) -> tuple[dict[str, str], str]:
    """The names of a file's keys by their digests, and what is wrong with the first line that is none, or ""."""
    keys, wrong = {}, ""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        if match := _LINE.fullmatch(line.strip()):
            keys[match[2]] = match[1]
        else:
            wrong = wrong or f'{path}, line {number}: not a key; a line is "NAME SHA-256"'
    return keys, wrong


class ApiKeys:
    """The keys of a file of lines "NAME SHA-256"; a changed file is read again, so that a key can be withdrawn.

    Where no line or no file is left, no key is valid. A file that cannot be read changes nothing; one with a malformed
    line adds no key.
    """

    def __init__(self, path: Path) -> None:
        """Read the file.

        Raises:
            SourceError: it cannot be read, a line is malformed, or there is no key in it.
        """
        self._path = path
        self._lock = threading.Lock()
        self._state, self._failed = self._stamp(), ""  # why the file could not be read last time
        self._names, wrong = self._read()  # by digest
        if wrong or not self._names:
            raise SourceError(wrong or f"{path} holds no key: make one with citescout key")

    def name_of(self, key: str) -> str | None:
        """Whose key it is; None where it is unknown. How long that takes says something of digests, not of keys."""
        self._follow()
        return None if len(key) > _LONGEST_KEY else self._names.get(_digest(key))

    def _follow(self) -> None:
        with self._lock:
            state = self._stamp()
            if state == self._state:
                return
            try:
                found, wrong = self._read() if state != errno.ENOENT else ({}, "")
            except SourceError as error:
                if str(error) != self._failed:  # it is read again for every request, but logged once
                    _log.error("%s: the keys read before stay valid", error)
                self._failed = str(error)
                return
            self._state, self._failed = state, ""
            if wrong:
                _log.error("%s: the keys read before stay valid, unless their lines are gone", wrong)
                # Where no line is a key, it is no file of keys, such as one that is being written.
                found = {digest: name for digest, name in self._names.items() if not found or digest in found}
            elif not found:
                _log.error("%s %s: no key is valid", self._path, "is gone" if state == errno.ENOENT else "holds no key")
            self._names = found

    def _stamp(self) -> tuple[int, int, int] | int | None:
        """What changes with the file; the number of the error where it cannot be looked at."""
        try:
            status = self._path.stat()
        except OSError as error:
            return error.errno
        return status.st_mtime_ns, status.st_size, status.st_ino

    def _read(self) -> tuple[dict[str, str], str]:
        try:
            text = self._path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = getattr(error, "strerror", None) or "it is not text"
            raise SourceError(f"cannot read the key file {self._path}: {reason}") from None
        return keys_in(text, self._path)


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
