"""Web pages and Excel's XML of 2003, which databases call .xls → rows; for the process that parses workbooks."""

import codecs
import io
import re
from html.parser import HTMLParser

from indexer.readers.unicode import Utf8

_DECLARED = re.compile(rb"""<(?:meta|\?xml)\s[^>]{0,300}?(?:charset|encoding)\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_DECLARED_WITHIN = 4_096  # bytes
_OTHERWISE_KNOWN = ("ascii", "iso8859-1", "utf-8", "utf-16")  # which text is often said to be and is not; see `Utf8`
_WIDEST = 1_000  # columns or rows that a cell may take up
_ROWS, _CELLS = ("tr", "row"), ("td", "th", "cell")
_SPACE = re.compile(r"\s+")
_LINES = ("br", "p", "div", "li")  # what begins one within a cell


def sheets_of(data: bytes) -> list[tuple[str, list[list[str]]]]:
    """Title and rows of every sheet that is not empty; all tables of a web page are one, whose title is ""."""
    tables = _Tables()
    tables.feed(_decoded(data))
    tables.close()
    tables.end_row()
    return [(title, rows) for title, rows in tables.sheets if rows]


def _decoded(data: bytes) -> str:
    declared = _DECLARED.search(data, 0, _DECLARED_WITHIN)
    try:
        encoding = codecs.lookup(declared[1].decode()).name if declared else "utf-8"
        if encoding not in _OTHERWISE_KNOWN:
            return data.decode(encoding, "replace")
    except (LookupError, UnicodeError):  # no encoding of text that Python knows
        pass
    return io.BufferedReader(Utf8(io.BufferedReader(io.BytesIO(data)))).read().decode()


class _Tables(HTMLParser):
    """The rows of all tables, with every cell in its column."""

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
