"""The beginning of a file, by which formats recognise their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath

HEAD_BYTES = 1 << 18
_RECORDS_LOOKED_AT = 20
_TOKEN = re.compile(r'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}\[\]]', re.DOTALL)


class Head:
    """Name and first bytes, as UTF-8, of a file."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.data = data

    @cached_property
    def file_name(self) -> str:
        """The last part of the name in lower case, without the endings of compression."""
        name = PurePosixPath(self.name.replace("\\", "/")).name.lower()
        for ending in (".gz", ".bz2", ".zst"):
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
    def is_json_array(self) -> bool:
        """Whether the file is one JSON array."""
        return self.data.lstrip()[:1] == b"["

    @cached_property
    def is_json_spread(self) -> bool:
        """Whether the file is JSON objects that each span many lines, as pretty-printers write them."""
        return self.data.lstrip().split(b"\n", 1)[0].strip() == b"{"

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
