"""The beginning of a file, by which formats recognise their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath

import ijson

HEAD_BYTES = 1 << 18
CONTROL_TO_SPACE = bytes.maketrans(bytes(range(32)), b" " * 32)  # none of them may stand raw in JSON's text
_RECORDS_LOOKED_AT = 20
_MONGO_NUMBER = re.compile(rb":\s*Number(?:Int|Long)\(\s*\"?(-?\d+)\"?\s*\)")


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
    def keys(self) -> frozenset[str]:
        """Names of the fields of the first JSON records, be they lines or elements of an array."""
        start = self.data.lstrip()
        if start[:1] == b"[":
            return frozenset(_keys(plain_numbers(start).translate(CONTROL_TO_SPACE), depth=1))
        if start[:1] != b"{":
            return frozenset(())
        lines = start.split(b"\n", _RECORDS_LOOKED_AT)[:_RECORDS_LOOKED_AT]
        return frozenset(key for line in lines for key in _keys(line, depth=0))


def plain_numbers(data: bytes) -> bytes:
    """MongoDB's `: NumberInt(5)` as JSON's `: 5`."""
    return _MONGO_NUMBER.sub(rb": \1", data)


def _keys(data: bytes, depth: int) -> Iterator[str]:
    """Names of fields of the objects that lie `depth` arrays deep, as far as the JSON is whole."""
    level = records = 0
    try:
        for event, value in ijson.basic_parse(data):
            if event in ("start_map", "start_array"):
                level += 1
            elif event in ("end_map", "end_array"):
                level -= 1
                records += level == depth
                if records == _RECORDS_LOOKED_AT:
                    return
            elif event == "map_key" and level == depth + 1:
                yield value
    except (ijson.JSONError, UnicodeError, ValueError):
        return
