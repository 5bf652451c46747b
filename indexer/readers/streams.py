"""Bytes of a file → UTF-8 text, whatever its compression and encoding, within bounds.

Compression and encoding are told by content. Nothing is read into memory as a whole.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import sys
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from common.errors import SourceError
from indexer.readers.head import HEAD_BYTES, Head

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

MAX_RECORD_BYTES = 64 << 20  # of one line or one record; longer ones are skipped and reported
MAX_EXPANSION = 200  # decompressed bytes a compressed byte …
FREE_EXPANSION_BYTES = 128 << 20  # … once this much has come out
_CHUNK = 1 << 18

GZIP, BZIP2, ZSTD, ZIP = b"\x1f\x8b", b"BZh", b"\x28\xb5\x2f\xfd", b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
_DAMAGED = (EOFError, OSError, zlib.error, zipfile.BadZipFile, zstd.ZstdError, NotImplementedError, RuntimeError)


@dataclass(frozen=True, slots=True)
class TextFile:
    """An opened file."""

    name: str  # as messages show it
    head: Head
    body: BinaryIO  # UTF-8 without byte order mark, decompressed

    def lines(self) -> Iterator[tuple[int, bytes | None]]:
        """Number, from 1, and bytes of every line; None for a line longer than MAX_RECORD_BYTES."""
        number = 0
        while line := self.body.readline(MAX_RECORD_BYTES + 1):
            number += 1
            if len(line) <= MAX_RECORD_BYTES:
                yield number, line
                continue
            while line and not line.endswith(b"\n"):
                line = self.body.readline(_CHUNK)
            yield number, None


def is_zip(start: bytes) -> bool:
    """Whether a file that begins like this is a zip archive."""
    return start.startswith((ZIP, _EMPTY_ZIP))


def bomb_message(name: str) -> str:
    """What the user reads when a file expands beyond bounds."""
    return (
        f"{name}: more than {MAX_EXPANSION} times its size when decompressed, which no collection of papers is; "
        "decompress it yourself if you trust it"
    )


def open_text(name: str, raw: io.BufferedReader) -> tuple[TextFile, Utf8]:
    """Decompress and decode `raw`; the second part counts what could not be decoded.

    Raises:
        SourceError: The file is damaged or expands beyond bounds; also later, while its body is read.
    """
    utf8 = Utf8(io.BufferedReader(_Guarded(name, raw), _CHUNK))
    body = io.BufferedReader(utf8, HEAD_BYTES)
    return TextFile(name, Head(name, body.peek(HEAD_BYTES)), body), utf8


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


class _Guarded(io.RawIOBase):
    """The decompressed bytes of a file; damage and bombs become one clear error."""

    def __init__(self, name: str, raw: io.BufferedReader) -> None:
        super().__init__()
        self._name = name
        self._counted = _Counted(raw)
        self._given = 0
        start = self._try_peek(raw)
        buffered = io.BufferedReader(self._counted, _CHUNK)
        self._plain: _Readable = buffered
        self._compressed = True
        if start.startswith(GZIP):
            self._plain = gzip.GzipFile(fileobj=buffered)
        elif start.startswith(BZIP2):
            self._plain = bz2.BZ2File(buffered)
        elif start.startswith(ZSTD):
            self._plain = zstd.ZstdFile(buffered)
        else:
            self._compressed = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        try:
            data = self._plain.read(len(buffer))
        except _DAMAGED as error:
            raise self._damage(error) from error
        self._given += len(data)
        if self._compressed and self._given > FREE_EXPANSION_BYTES + MAX_EXPANSION * self._counted.taken:
            raise SourceError(bomb_message(self._name))
        buffer[: len(data)] = data
        return len(data)

    def _try_peek(self, raw: io.BufferedReader) -> bytes:
        try:
            return raw.peek(4)[:4]
        except _DAMAGED as error:
            raise self._damage(error) from error

    def _damage(self, error: Exception) -> SourceError:
        reason = str(error) or type(error).__name__
        return SourceError(f"{self._name}: truncated or damaged ({reason}); get the file again")


class _Counted(io.RawIOBase):
    """Counts the bytes that a decompressor takes."""

    def __init__(self, raw: BinaryIO) -> None:
        super().__init__()
        self._raw = raw
        self.taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._raw.read(len(buffer))
        self.taken += len(data)
        buffer[: len(data)] = data
        return len(data)


class Utf8(io.RawIOBase):
    """Text of any Unicode encoding as UTF-8; what is no valid text becomes U+FFFD and is counted."""

    def __init__(self, raw: io.BufferedReader) -> None:
        super().__init__()
        self.replaced = 0
        self._raw = raw
        encoding, mark = _encoding_of(raw.peek(1024))
        raw.read(mark)
        self._decoder = None if encoding == "utf-8" else codecs.getincrementaldecoder(encoding)("replace")
        self._undecoded = b""  # beginning of a character that a chunk cut
        self._ready = b""
        self._done = False

    def readable(self) -> bool:
        """It is."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Fill the whole buffer unless the file ends."""
        filled = 0
        while filled < len(buffer):
            if not self._ready and not self._refill():
                break
            part = self._ready[: len(buffer) - filled]
            buffer[filled : filled + len(part)] = part
            self._ready = self._ready[len(part) :]
            filled += len(part)
        return filled

    def _refill(self) -> bool:
        while not self._ready and not self._done:
            data = self._raw.read(_CHUNK)
            self._done = not data
            self._ready = self._decode(data) if self._decoder is None else self._recode(data)
        return bool(self._ready)

    def _decode(self, data: bytes) -> bytes:
        data = self._undecoded + data
        try:
            _, used = codecs.utf_8_decode(data, "strict", self._done)
        except UnicodeDecodeError:
            text, used = codecs.utf_8_decode(data, "replace", self._done)
            self._undecoded = data[used:]
            self.replaced += text.count("\ufffd") - data[:used].count(b"\xef\xbf\xbd")
            return text.encode()
        self._undecoded = data[used:]
        return data if used == len(data) else data[:used]

    def _recode(self, data: bytes) -> bytes:
        if self._decoder is None:
            return data
        text = self._decoder.decode(data, self._done)
        self.replaced += text.count("\ufffd")
        return text.encode("utf-8", "replace")


def _encoding_of(start: bytes) -> tuple[str, int]:
    """Name of the encoding and length of the byte order mark."""
    marks = (
        ("utf-8", codecs.BOM_UTF8),
        ("utf-32-le", codecs.BOM_UTF32_LE),
        ("utf-32-be", codecs.BOM_UTF32_BE),
        ("utf-16-le", codecs.BOM_UTF16_LE),
        ("utf-16-be", codecs.BOM_UTF16_BE),
    )
    for encoding, mark in marks:
        if start.startswith(mark):
            return encoding, len(mark)
    if len(start) >= 16 and start[1::2].count(0) > 0.4 * len(start[1::2]):
        return "utf-16-le", 0
    if len(start) >= 16 and start[0::2].count(0) > 0.4 * len(start[0::2]):
        return "utf-16-be", 0
    return "utf-8", 0
