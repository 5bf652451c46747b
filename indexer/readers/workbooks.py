"""Workbooks of Excel and LibreOffice, and web pages that are called such → the rows of one sheet as CSV.

They are made in a process of its own, which is bounded.
"""

import io
import re
import zipfile
from contextlib import suppress

from common.errors import SourceError

ENDINGS = (".xlsx", ".xls", ".ods", ".xlsm", ".xlsb")
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # how files of older office programs begin
LINE_BREAK = "\u2028"  # within a cell, so that each row is one line
_MAX_BYTES = 100 << 20  # of a workbook
_PATIENCE = 120.0  # seconds
_ADVICE = "save its sheet as CSV"
# What a file of an older office program holds if it is no workbook, as its directory names it.
_OTHERS = ("WordDocument", "PowerPoint Document", "__nameid_version1.0")
_MARKS = b"\xef\xbb\xbf\xff\xfe\0 \t\r\n"  # what may stand before the first character: white space, byte order marks
_EXCELS = re.compile(rb"urn:schemas-microsoft-com:office:(?:excel|spreadsheet)")
_STREAMS = tuple(name.encode("utf-16-le").ljust(64, b"\0") for name in _OTHERS)


def is_markup(start: bytes) -> bool:
    """Whether a file that begins so is HTML or XML, in whatever encoding."""
    return start[:100].lstrip(_MARKS)[:1] == b"<"


def workbook_in(name: str, raw: io.BufferedReader) -> bytes | None:
    """The bytes of a workbook; None for any other file, of which nothing is taken then."""
    start = raw.peek(len(OLE))
    if not raw.seekable():
        return None
    if is_markup(start):
        called = name.lower().endswith(ENDINGS) or _EXCELS.search(start.replace(b"\0", b"")) is not None
        return raw.read(_MAX_BYTES + 1) if called else None
    if start.startswith(b"PK"):
        return raw.read(_MAX_BYTES + 1) if _is_zipped(raw) else None
    if not start.startswith(OLE):
        return None
    data = raw.read(_MAX_BYTES + 1)
    if not any(map(data.__contains__, _STREAMS)):
        return data
    raw.seek(0)
    return None


def _is_zipped(raw: io.BufferedReader) -> bool:
    found = False
    with suppress(zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError):
        archive = zipfile.ZipFile(raw)
        names = archive.namelist()
        found = "xl/workbook.xml" in names or "xl/workbook.bin" in names
        found = found or ("mimetype" in names and b"spreadsheet" in archive.open("mimetype").read(100))
    raw.seek(0)
    return found


def rows_of(name: str, data: bytes) -> tuple[bytes, str]:
    """The rows of a workbook's first sheet with names of columns that a format knows, and what to tell of its sheets.

    What stands above these names is left out; the n-th row is the n-th line. Where no format knows a sheet, it is the
    first that is not empty. A web page without a table stays as it is.

    Raises:
        SourceError: the workbook is damaged, encrypted or too large.
    """
    from common.bounded import parsed  # subprocesses, which few who read need

    try:
        if len(data) > _MAX_BYTES:
            raise SourceError(f"larger than {_MAX_BYTES >> 20} MB")
        if data.startswith(OLE) and "EncryptedPackage".encode("utf-16-le") in data:
            raise SourceError("it has a password")
        said, _, rows = parsed("indexer.readers.sheets", (name,), data, _PATIENCE).partition(b"\n")
    except SourceError as error:
        raise SourceError(f"cannot be read as a workbook ({error}); {_ADVICE}") from None
    return rows or (data if is_markup(data) else b""), said.decode()
