"""The beginning of a file, by which formats recognise their own."""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePosixPath

from indexer.readers import workbooks

TABLES = (".csv", ".tsv", *workbooks.ENDINGS)
TITLE_COLUMNS = (
    *("title", "titles", "article title", "paper title", "document title", "item title", "title of paper"),
    *("study title", "scientific title", "public title"),  # of registers of trials
    *("ti", "paper", "titel", "hauptsachtitel", "sachtitel", "titre", "título", "titulo", "titolo"),
)
HEAD_BYTES = 1 << 18
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")  # what names end in
_RECORDS_LOOKED_AT = 20
_TOKEN = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}\[\]]', re.DOTALL)


_HEADER_WITHIN = 3  # lines; some exports describe themselves before the names of the columns
_LONGEST_COLUMN = 80  # characters of its name
_DELIMITERS = "\t,;"


@dataclass(frozen=True, slots=True)
class TableHeader:
    """The names of a table's columns."""

    columns: tuple[str, ...]  # in lower case; "" where one has no name
    delimiter: str
    line: int  # that they stand on, from 1


class Head:
    """Name and first bytes, as UTF-8, of a file."""

    def __init__(self, name: str, data: bytes, unread: str = "") -> None:
        self.name = name
        self.data = data
        self.unread = unread  # why a file that has bytes has none here

    @cached_property
    def file_name(self) -> str:
        """The last part of the name in lower case, without the endings of compression."""
        name = PurePosixPath(self.name.replace("\\", "/")).name.lower()
        for ending in COMPRESSED:
            name = name.removesuffix(ending)
        return name

    @cached_property
    def text(self) -> str:
        """The first bytes as text."""
        return self.data.decode("utf-8", "replace")

    @cached_property
    def lines(self) -> list[str]:
        """The first lines that are not blank, without their ends; the last may be incomplete."""
        return [line.strip() for line in self.text.splitlines() if line.strip()]

    @cached_property
    def table(self) -> TableHeader | None:
        """The names of columns, if the file is a table: the first line with several short cells.

        Where a table is named as one and has none, or begins with the name of a column for titles, it has one column.
        """
        if self.text.lstrip()[:1] in ("{", "[", "<", "@", "%"):
            return None
        text = self.text.lstrip("\r\n")
        above = self.text[: len(self.text) - len(text)].count("\n")
        only = column_name(text.split("\n", 1)[0]) if self.file_name.endswith(TABLES) else ""
        alone = TableHeader((only,), "\t", above + 1)  # commas are in the titles, quoted or not
        if only in TITLE_COLUMNS:
            return alone
        for number, line in enumerate(text.split("\n", _HEADER_WITHIN)[:_HEADER_WITHIN], start=above + 1):
            parted = [(_cells(line.rstrip("\r"), delimiter), delimiter) for delimiter in _DELIMITERS]
            names, delimiter = max(parted, key=lambda found: len(found[0]))
            filled = [name for name in names if name]
            titles = len(names) > 1 and only.rstrip(_DELIMITERS) in TITLE_COLUMNS  # beside columns that are empty
            if (titles or len(filled) > 1) and max(map(len, filled)) <= _LONGEST_COLUMN:
                return TableHeader(names, delimiter, number)
        return alone if 0 < len(only) <= _LONGEST_COLUMN else None

    @cached_property
    def columns(self) -> frozenset[str]:
        """The names of the columns of a table, in lower case; empty for anything else."""
        return frozenset(self.table.columns) if self.table else frozenset()

    @cached_property
    def is_plain(self) -> bool:
        """Whether the file does not begin as JSON or XML does."""
        return not self.data.lstrip().startswith((b"{", b"[", b"<"))

    @cached_property
    def is_json_array(self) -> bool:
        """Whether the file is one JSON array."""
        return self.data.lstrip()[:1] == b"["

    @cached_property
    def is_json_spread(self) -> bool:
        """Whether the file is JSON objects that each span many lines, as pretty-printers write them."""
        return self.data.lstrip().split(b"\n", 1)[0].strip() == b"{"

    @property
    def is_json_lines(self) -> bool:
        """Whether the file is a JSON object a line."""
        return self.data.lstrip()[:1] == b"{" and not self.is_json_spread

    @cached_property
    def keys(self) -> frozenset[str]:
        """Names of the fields of the first JSON records, in whatever way they are laid out."""
        start = self.text.lstrip()
        if start[:1] == "[":
            return frozenset(_keys(start, depth=2))
        if start[:1] != "{":
            return frozenset(())
        if self.is_json_spread:
            return frozenset(_keys(start, depth=1))
        lines = start.split("\n", _RECORDS_LOOKED_AT)[:_RECORDS_LOOKED_AT]
        return frozenset(key for line in lines for key in _keys(line, depth=1))


def _cells(line: str, delimiter: str) -> tuple[str, ...]:
    try:
        cells = next(csv.reader([line], delimiter=delimiter), [])
    except csv.Error:
        return ()
    return tuple(map(column_name, cells))


def column_name(cell: str) -> str:
    """The name of a column as `TableHeader` has it."""
    return " ".join(cell.split()).lstrip("\ufeff").strip('" ').casefold()


def _keys(text: str, depth: int) -> Iterator[str]:
    """Names of the fields at that depth of nesting; the text may break off anywhere and need not be quite JSON."""
    level = records = 0
    for token in _TOKEN.finditer(text):
        mark = token.group()[0]
        if mark in "{[":
            level += 1
        elif mark in "}]":
            records += level == depth
            level -= 1
            if records == _RECORDS_LOOKED_AT:
                return
        elif level == depth and token.group(2):
            yield token.group(1)
