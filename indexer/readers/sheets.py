"""The process that reads a workbook which anybody may have made.

It is asked by `workbooks`: for the name of a workbook, with its bytes. It answers with a line that tells of its sheets,
which may be blank, and then the rows of one of them as CSV.
"""

import codecs
import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time
from functools import partial
from html.parser import HTMLParser
from itertools import islice

from python_calamine import CalamineError, SheetTypeEnum, SheetVisibleEnum, load_workbook

from common.bounded import answer
from common.errors import SourceError
from common.words import listed
from indexer.readers.base import detect_reader
from indexer.readers.head import Head
from indexer.readers.unicode import decoded
from indexer.readers.workbooks import LINE_BREAK, is_markup

_MAX_TEXT = 256 << 20  # bytes of the rows
_PROCESSOR_SECONDS = 40  # for a user's own file; of an upload it has what the process that reads it has
_WITHIN = 30  # rows; some sheets say above the names of their columns what they are
_MOST_NAMED = 10  # sheets
_PANIC = "PanicException"  # of the library's own language; no Exception, and exported by no module


@dataclass(frozen=True, slots=True)
class _Sheet:
    title: str  # "" of a web page
    first: int  # row that is not blank
    rows: Callable[[], Iterator[Iterable[object]]]


def main() -> None:
    """Answer until nobody asks any more."""
    answer(_converted, _PROCESSOR_SECONDS)


def _converted(data: bytes, name: str) -> bytes:
    try:
        titles, sheets = _of_markup(data) if is_markup(data) else _of_workbook(data)
        chosen: tuple[_Sheet, int] | None = None
        for sheet in sheets:
            heading = _heading(name, [_cells(row) for row in islice(sheet.rows(), sheet.first, sheet.first + _WITHIN)])
            if heading is not None or chosen is None:
                chosen = sheet, sheet.first + (heading or 0)
            if heading is not None:
                break
        if chosen is None:
            return b""
        sheet, line = chosen
        others = listed([title for title in titles if title != sheet.title], _MOST_NAMED)
        said = f"read: the sheet {sheet.title}; not read: {others}" if others else ""
        return _csv(" ".join(said.split()), sheet, line)
    except BaseException as error:
        if not isinstance(error, CalamineError) and type(error).__name__ != _PANIC:
            raise
        raise SourceError(f"damaged: {' '.join(str(error).split())}") from None


def _of_workbook(data: bytes) -> tuple[list[str], Iterator[_Sheet]]:
    """Titles of the visible sheets, and those that are not empty."""
    workbook = load_workbook(io.BytesIO(data))
    shown = (SheetTypeEnum.WorkSheet, SheetVisibleEnum.Visible)
    titles = [sheet.name for sheet in workbook.sheets_metadata if (sheet.typ, sheet.visible) == shown]
    found = ((title, workbook.get_sheet_by_name(title)) for title in titles)
    return titles, (_Sheet(title, sheet.start[0], sheet.iter_rows) for title, sheet in found if sheet.start)


def _of_markup(data: bytes) -> tuple[list[str], Iterator[_Sheet]]:
    """The same of a web page, or of Excel's XML of 2003, which databases call .xls."""
    tables = _Tables()
    tables.feed(_decoded(data))
    tables.close()
    tables.end_row()
    found = [(title, rows) for title, rows in tables.sheets if rows]
    filled = ((title, rows, [any(row) for row in rows]) for title, rows in found)
    sheets = (_Sheet(title, full.index(True), partial(iter, rows)) for title, rows, full in filled if any(full))
    return [title for title, _ in found if title], sheets


def _heading(name: str, rows: Sequence[Sequence[str]]) -> int | None:
    """Which of the rows has the names of columns, best in a table of any name."""
    heads = [(place, _line(row).encode()) for place, row in enumerate(rows)]
    found = (place for called in ("", name) for place, line in heads if detect_reader(Head(called, line)))
    return next(found, None)


def _csv(said: str, sheet: _Sheet, heading: int) -> bytes:
    found = io.BytesIO()
    text = io.TextIOWrapper(found, "utf-8", "replace", newline="")
    text.write(f"{said}\n" + "\n" * heading)
    writer = csv.writer(text, lineterminator="\n")
    for row in islice(sheet.rows(), heading, None):
        writer.writerow(_cells(row))
        if found.tell() > _MAX_TEXT:
            raise SourceError(f"more than {_MAX_TEXT >> 20} MB of text")
    text.flush()
    return found.getvalue()


def _line(cells: Iterable[str]) -> str:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue()


def _cells(row: Iterable[object]) -> list[str]:
    return [LINE_BREAK.join(_shown(value).split("\n")).replace("\r", "") for value in row]


def _shown(value: object) -> str:
    """A number, date or text as the sheet shows it, or nearly so."""
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    if isinstance(value, datetime) and value.time() == time():
        return str(value.date())
    return str(value)


_DECLARED = re.compile(rb"""<(?:meta|\?xml)\s[^>]{0,300}?(?:charset|encoding)\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_DECLARED_WITHIN = 4_096  # bytes
_OTHERWISE_KNOWN = ("ascii", "iso8859-1", "utf-8", "utf-16")  # which text is often said to be and is not; see `Utf8`
_WIDEST = 1_000  # columns or rows that a cell may take up
_ROWS, _CELLS = ("tr", "row"), ("td", "th", "cell")
_SPACE = re.compile(r"\s+")
_LINES = ("br", "p", "div", "li")  # what begins one within a cell


def _decoded(data: bytes) -> str:
    declared = _DECLARED.search(data, 0, _DECLARED_WITHIN)
    try:
        encoding = codecs.lookup(declared[1].decode()).name if declared else "utf-8"
        if encoding not in _OTHERWISE_KNOWN:
            return data.decode(encoding, "replace")
    except (LookupError, UnicodeError):  # no encoding of text that Python knows
        pass
    return decoded(data)


class _Tables(HTMLParser):
    """Title and rows of every sheet, with each cell in its column; all tables of a web page are one, titled ""."""

    def __init__(self) -> None:
        super().__init__()
        self.sheets: list[tuple[str, list[list[str]]]] = [("", [])]
        self._row: list[str] | None = None
        self._cell: int | None = None  # its column
        self._taken: dict[int, int] = {}  # column → how many of the next rows have a cell there from above

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _ROWS:
            self.end_row()
            self._row = []
        elif tag in _CELLS:
            self._begin_cell(dict(attrs))
        elif tag in ("table", "worksheet"):
            self.end_row()
            self._taken = {}
            if tag == "worksheet":
                self.sheets.append((dict(attrs).get("ss:name") or "", []))
        elif tag in _LINES:
            self.handle_data("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in _ROWS or tag == "table":
            self.end_row()
        elif tag in _CELLS:
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._row is not None and self._cell is not None:
            self._row[self._cell] += data if data == "\n" else _SPACE.sub(" ", data)

    def end_row(self) -> None:
        """What follows stands in another row."""
        if self._row is not None:
            self._pass_taken(self._row)
            cells = ((" ".join(line.split()) for line in cell.split("\n")) for cell in self._row)
            self.sheets[-1][1].append(["\n".join(filter(None, lines)) for lines in cells])
        self._row = self._cell = None

    def _begin_cell(self, attributes: dict[str, str | None]) -> None:
        def number(name: str) -> int:
            value = attributes.get(name) or ""
            return min(int(value), _WIDEST) if value.isdecimal() else 0

        row = self._row = self._row or []
        row += [""] * (number("ss:index") - 1 - len(row))
        self._pass_taken(row)
        self._cell = len(row)
        row += [""] * max(number("colspan"), number("ss:mergeacross") + 1)
        if below := number("rowspan") - 1:
            self._taken |= dict.fromkeys(range(self._cell, len(row)), below)

    def _pass_taken(self, row: list[str]) -> None:
        while self._taken.get(len(row), 0) > 0:
            self._taken[len(row)] -= 1
            row.append("")


if __name__ == "__main__":
    main()
