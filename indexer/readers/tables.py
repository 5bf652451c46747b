"""Rows of a table that was exported as CSV, or with tabs or semicolons between its columns."""

import csv
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from operator import eq
from typing import Any

from indexer.readers import streams
from indexer.readers.base import Malformed, RawPaper
from indexer.readers.head import TableHeader, column_name
from indexer.readers.streams import TextFile
from indexer.readers.workbooks import LINE_BREAK

_END = "\x1f"  # a blank that stands behind the last line and nowhere else: in a cell it shows that this is not closed
_BLANK = re.compile(rf"\r(?!\n)|{_END}")  # csv takes a lone carriage return for the end of a row
_OWN_NAMES = ("title", "abstract", "year", "doi", "volume", "issue", "publisher")  # of RawPaper
# What Excel has in place of a value, in English, German, French and Spanish.
_ERRORS = {"#N/A", "#NAME?", "#VALUE!", "#REF!", "#NUM!", "#NV", "#WERT!", "#BEZUG!", "#NOM?", "#VALEUR!", "#¿NOMBRE?"}
Row = dict[str, str]  # name of the column in lower case → what is in it, "" where nothing is

# Python's own bound, 128 KiB, is less than the references of a review in one cell.
csv.field_size_limit(streams.MAX_BLOCK_BYTES)


def table_rows(file: TextFile, quoted: bool = True) -> Iterator[tuple[str, Row | Malformed]]:
    """Place and contents of every row that is not blank; of several columns of one name the first that is filled.

    A quotation mark that is never closed costs what follows it, up to the next one or MAX_BLOCK_BYTES, unless cells are
    not `quoted`. The names of the columns are no row where they come again, as in tables that were joined.
    """
    header = file.head.table
    if header is None:
        yield "line 1", Malformed("no line with the names of columns")
        return
    taken: list[str] = []  # lines of the row
    lines, mark = _lines(file, taken), header.delimiter
    reader = csv.reader(lines, delimiter=mark) if quoted else csv.reader(lines, delimiter=mark, quoting=csv.QUOTE_NONE)
    while True:
        taken.clear()
        before = reader.line_num  # lines that were read
        where = f"{file.line} {before + 1}"
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield where, Malformed(f"no row of a table: {error}; is a quotation mark missing?")
            continue
        if cells is None:
            return
        is_open = bool(cells) and cells[-1].endswith(_END) and "\n" in cells[-1].strip()
        if is_open or _holds_rows(taken, header):
            last = reader.line_num - is_open
            yield where, Malformed(f"a quotation mark is missing: nothing is read from here to line {last}")
            continue
        if before < header.line or not any(cell.strip() for cell in cells):
            continue
        if len(cells) == 1 and len(header.columns) > 1:
            yield where, Malformed(f"one column where there should be {len(header.columns)}")
            continue
        if len(cells) == len(header.columns) and all(map(eq, map(column_name, cells), header.columns)):
            continue
        row: Row = {}
        for name, cell in zip(header.columns, cells, strict=False):
            value = cell.strip().replace(LINE_BREAK, "\n")
            row[name] = row.get(name) or ("" if value in _ERRORS else value)
        yield where, row


def paper_of_row(row: Row, **others: Any) -> RawPaper:
    """The paper of a row whose columns are called as fields of a paper, but for `others`."""
    return RawPaper(**{name: row.get(name) for name in _OWN_NAMES} | others)


def _holds_rows(lines: Sequence[str], header: TableHeader) -> bool:
    """Whether a row of several lines holds others: a cell goes on behind the mark that ends it, and a line is a row.

    A line of a text with as many commas is none: a blank follows these.
    """
    if len(lines) == 1:
        return False
    with suppress(csv.Error):
        list(csv.reader(lines, delimiter=header.delimiter, strict=True))
        return False
    with suppress(csv.Error):
        alone = (next(csv.reader([line], delimiter=header.delimiter), ()) for line in lines[1:])
        rows = (cells for cells in alone if len(cells) == len(header.columns))
        return any(not any(cell.startswith(" ") for cell in cells[1:]) for cells in rows)
    return False


def _lines(file: TextFile, taken: list[str]) -> Iterator[str]:
    """The lines as text, then `_END`; a blank one for a line that is too long, so that their numbers stay right.

    Each is added to those that are `taken`.
    """
    for _, line in file.lines():
        taken.append("\n" if line is None else _BLANK.sub(" ", line.decode("utf-8", "replace").replace("\0", "")))
        yield taken[-1]
    yield _END
