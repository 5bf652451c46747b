"""The process that reads a workbook which anybody may have made.

`python -m indexer.readers.sheets NAME` reads the workbook of this name from standard input. It writes a line that tells
of its sheets, which may be blank, and then the rows of one of them as CSV.
"""

import csv
import io
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime, time
from itertools import islice

from python_calamine import CalamineError, CalamineSheet, SheetTypeEnum, SheetVisibleEnum, load_workbook

from common.bounded import answer
from common.errors import SourceError
from common.words import listed
from indexer.readers.base import detect_reader
from indexer.readers.head import Head
from indexer.readers.workbooks import LINE_BREAK

_MAX_TEXT = 128 << 20  # characters of the rows
_HEADING_WITHIN = 30  # rows; some sheets say above the names of their columns what they are
_MOST_NAMED = 10  # sheets
_PANIC = "PanicException"  # of the library's own language; no Exception, and exported by no module


def main() -> None:
    """Do so."""
    answer(lambda: _converted(sys.argv[1], sys.stdin.buffer.read()))


def _converted(name: str, data: bytes) -> bytes:
    chosen: tuple[CalamineSheet, int] | None = None
    try:
        workbook = load_workbook(io.BytesIO(data))
        shown = (SheetTypeEnum.WorkSheet, SheetVisibleEnum.Visible)
        titles = [sheet.name for sheet in workbook.sheets_metadata if (sheet.typ, sheet.visible) == shown]
        for title in titles:
            sheet = workbook.get_sheet_by_name(title)
            if not sheet.start:  # it is empty
                continue
            first = sheet.start[0]
            heading = _heading(name, [_cells(row) for row in islice(sheet.iter_rows(), first, first + _HEADING_WITHIN)])
            if heading is not None or chosen is None:
                chosen = sheet, first + (heading or 0)
            if heading is not None:
                break
        if chosen is None:
            return b""
        sheet, heading = chosen
        others = listed([title for title in titles if title != sheet.name], _MOST_NAMED)
        said = f"read: the sheet {sheet.name}; not read: {others}" if others else ""
        return f"{' '.join(said.split())}\n{_csv(sheet, heading)}".encode()
    except BaseException as error:
        if not isinstance(error, CalamineError) and type(error).__name__ != _PANIC:
            raise
        raise SourceError(f"damaged: {' '.join(str(error).split())}") from None


def _heading(name: str, rows: Sequence[Sequence[str]]) -> int | None:
    """Which of the rows has the names of columns, best in a table of any name."""
    heads = [(place, _line(row).encode()) for place, row in enumerate(rows)]
    found = (place for called in ("", name) for place, line in heads if detect_reader(Head(called, line)))
    return next(found, None)


def _csv(sheet: CalamineSheet, heading: int) -> str:
    text = io.StringIO()
    text.write("\n" * heading)
    writer = csv.writer(text, lineterminator="\n")
    for row in islice(sheet.iter_rows(), heading, None):
        writer.writerow(_cells(row))
        if text.tell() > _MAX_TEXT:
            raise SourceError(f"more than {_MAX_TEXT >> 20} MB of text")
    return text.getvalue()


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


if __name__ == "__main__":
    main()
