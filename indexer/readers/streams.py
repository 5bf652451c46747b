"""Bytes of a file → UTF-8 text, whatever its compression and encoding, within bounds.

Compression and encoding are recognised by content. Nothing is read into memory as a whole.
"""

import bz2
import gzip
import io
import lzma
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import BinaryIO, Self

from common.errors import SourceError
from indexer.readers.head import HEAD_BYTES, Head
from indexer.readers.unicode import Pieces, Utf8
from indexer.readers.workbooks import rows_of, workbook_in

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

# Longer ones are skipped and reported; what a parser makes of one takes many times its size in memory.
MAX_RECORD_BYTES = 32 << 20  # of one line, or of one record in JSON or XML
MAX_BLOCK_BYTES = 4 << 20  # of one record that spans lines of text
MAX_EXPANSION = 200  # decompressed bytes a compressed byte …
FREE_EXPANSION_BYTES = 128 << 20  # … once this much has come out
_CHUNK = 1 << 18

DECOMPRESSED: Mapping[bytes, Callable[[BinaryIO], io.BufferedIOBase]] = MappingProxyType(
    {  # by the first bytes
        b"\x1f\x8b": lambda file: gzip.GzipFile(fileobj=file),
        b"BZh": bz2.BZ2File,
        b"\xfd7zX": lzma.LZMAFile,
        b"\x28\xb5\x2f\xfd": zstd.ZstdFile,
    }
)
_ZIP, _EMPTY_ZIP = b"PK\x03\x04", b"PK\x05\x06"
_DAMAGED = (
    *(EOFError, OSError, zlib.error, lzma.LZMAError, zipfile.BadZipFile, zstd.ZstdError),
    *(NotImplementedError, RuntimeError),
)


@dataclass(frozen=True, slots=True)
class TextFile:
    """An opened file."""

    name: str  # as messages show it
    head: Head
    body: BinaryIO  # UTF-8 without byte order mark, decompressed
    decoder: Utf8  # counts what could not be decoded
    before: int = 0  # lines before those of `body`, which is then a part of the file
    line: str = "line"  # what a line of it is called
    said: str = ""  # what to tell of it where it is read

    def lines(self) -> Iterator[tuple[int, bytes | None]]:
        """Number, from 1, and bytes of every line; None for a line longer than MAX_RECORD_BYTES."""
        number = self.before
        while line := self.body.readline(MAX_RECORD_BYTES + 1):
            number += 1
            if len(line) <= MAX_RECORD_BYTES:
                yield number, line
                continue
            self._pass_over(line)
            yield number, None

    def parts(self, size: int) -> Iterator[Self]:
        """The rest of the file in parts of about so many bytes, which end where a line does."""
        before = self.before
        while data := self.body.read(size):
            rest = b"" if data.endswith(b"\n") else self.body.readline(MAX_RECORD_BYTES + 1)
            data += rest
            if len(rest) > MAX_RECORD_BYTES and not rest.endswith(b"\n"):  # of a line that nobody reads
                self._pass_over(rest)
                data += b"\n"
            yield replace(self, body=io.BytesIO(data), before=before)
            before += data.count(b"\n")

    def whole(self, western: bool = False) -> str:
        """All of it, for what is small.

        Raises:
            SourceError: It is not in Unicode, unless it may be `western`, in Windows-1252; or it cannot be read.
        """
        data = self.body.read()
        self._check(western)
        return data.decode()

    def filled_lines(self) -> Iterator[tuple[int, bytes]]:
        """Number, from 1, and bytes of every line that is not blank.

        Raises:
            SourceError: A line is too long, or the file is not in Unicode or cannot be read.
        """
        self._check()
        for number, line in self.lines():
            self._check()
            if line is None:
                raise SourceError(f"{self.name}, {self.line} {number}: {too_long()}")
            if line.strip():
                yield number, line

    def _check(self, western: bool = False) -> None:
        if self.head.unread:
            raise SourceError(f"{self.name}: {self.head.unread}")
        if self.decoder.replaced and not western:
            raise SourceError(f"{self.name}: no UTF-8 text: save it as UTF-8, or unpack it if it is an archive")

    def _pass_over(self, line: bytes) -> None:
        """Read to the end of the line that begins so."""
        while line and not line.endswith(b"\n"):
            line = self.body.readline(_CHUNK)


def is_zip(start: bytes) -> bool:
    """Whether a file that begins like this is a zip archive."""
    return start.startswith((_ZIP, _EMPTY_ZIP))


def too_long(limit: int | None = None) -> str:
    """What the report says of a record beyond the limit, MAX_RECORD_BYTES unless another is named."""
    return f"longer than {(limit or MAX_RECORD_BYTES) / (1 << 20):g} MiB"


def bomb_message(name: str) -> str:
    """What the user reads when a file expands beyond bounds."""
    return (
        f"{name}: more than {MAX_EXPANSION} times its size when decompressed, which no collection of papers is; "
        "decompress it yourself if you trust it"
    )


def open_text(name: str, raw: io.BufferedReader) -> TextFile:
    """Decompress and decode `raw`; of a workbook it is the rows of a sheet, or `Head.unread` says why not.

    Raises:
        SourceError: The file is damaged or expands beyond bounds; also later, while its body is read.
    """
    line, said, unread = "line", "", ""
    with _damage_named(name):
        workbook = workbook_in(name, raw)
    if workbook is not None:
        line = "row"
        try:
            rows, said = rows_of(name, workbook)
        except SourceError as error:
            rows, unread = b"", str(error)
        raw = io.BufferedReader(io.BytesIO(rows))
    utf8 = Utf8(io.BufferedReader(Pieces(_guarded(name, raw)), _CHUNK))
    body = io.BufferedReader(Pieces(utf8.pieces()), HEAD_BYTES)
    return TextFile(name, Head(name, body.peek(HEAD_BYTES), unread), body, utf8, line=line, said=said)


@contextmanager
def _damage_named(name: str) -> Iterator[None]:
    try:
        yield
    except _DAMAGED as error:
        reason = str(error) or type(error).__name__
        raise SourceError(f"{name}: truncated or damaged ({reason}); get the file again") from error


def _guarded(name: str, raw: io.BufferedReader) -> Iterator[bytes]:
    """The decompressed bytes of a file, a piece at a time; damage and bombs become one clear error."""
    taken = given = 0

    def counted() -> Iterator[bytes]:
        nonlocal taken
        while data := raw.read(_CHUNK):
            taken += len(data)
            yield data

    with _damage_named(name):
        start = raw.peek(4)[:4]
        plain = io.BufferedReader(Pieces(counted()), _CHUNK)
        opening = next((opened for mark, opened in DECOMPRESSED.items() if start.startswith(mark)), None)
        stream = opening(plain) if opening else plain
        while data := stream.read(_CHUNK):
            given += len(data)
            if opening and given > FREE_EXPANSION_BYTES + MAX_EXPANSION * taken:
                raise SourceError(bomb_message(name))
            yield data
