"""JSON records, be they one a line or the elements of one array: streamed, bounded, resilient.

A line that is no JSON object costs that line. In an array, damage costs what follows it.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

import ijson
import orjson

from common.errors import RecordError
from indexer.readers.base import Found, Malformed, RawPaper
from indexer.readers.streams import MAX_RECORD_BYTES, TextFile

Fields = dict[str, Any]
Record = tuple[str, Fields | Malformed]  # place and contents

TOO_LONG = f"longer than {MAX_RECORD_BYTES >> 20} MiB"


def json_reader(to_paper: Callable[[str, Fields], RawPaper | None]) -> Callable[[TextFile], Iterator[Found]]:
    """A `read` for a format of JSON records; `to_paper` gets place and fields, None passes a record over."""

    def read(file: TextFile) -> Iterator[Found]:
        for where, fields in json_records(file):
            if isinstance(fields, Malformed):
                yield fields
                continue
            try:
                paper = to_paper(where, fields)
            except RecordError as error:
                yield Malformed(where, str(error))
                continue
            if paper is not None:
                yield paper

    return read


def json_records(file: TextFile, body: BinaryIO | None = None) -> Iterator[Record]:
    """Every record of a file of JSON lines or of one JSON array.

    Args:
        file: The file.
        body: What to read in its stead, where a format has to mend the JSON first (arrays only).
    """
    if file.head.is_json_array:
        return _array_records(body or file.body)
    return _line_records(file)


def objects(value: object) -> list[Fields]:
    """The JSON objects in a list; empty for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def mapping(value: object) -> Fields:
    """A JSON object; empty for anything else."""
    return value if isinstance(value, dict) else {}


def names(value: object, key: str = "name") -> list[object]:
    """One field of every object in a list, such as the names of authors; plain elements stay."""
    items = value if isinstance(value, list) else []
    return [item.get(key) if isinstance(item, dict) else item for item in items]


def parse_json(line: bytes) -> object:
    """One JSON value; tolerates NaN and halves of surrogate pairs, which real files have.

    Raises:
        ValueError: This is no JSON.
    """
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        try:
            return json.loads(line)
        except (ValueError, RecursionError):
            raise ValueError(f"no valid JSON: {error}") from error


def _line_records(file: TextFile) -> Iterator[Record]:
    for number, line in file.lines():
        where = f"line {number}"
        if line is None:
            yield where, Malformed(where, TOO_LONG)
        elif not line.isspace():
            yield where, _fields(where, line)


def _fields(where: str, line: bytes) -> Fields | Malformed:
    try:
        value = parse_json(line)
    except ValueError as error:
        return Malformed(where, str(error))
    return value if isinstance(value, dict) else Malformed(where, "no JSON object")


def _array_records(body: BinaryIO) -> Iterator[Record]:
    number = 1
    bounded = _Bounded(body)
    try:
        for value in ijson.items(bounded, "item", use_float=True):
            where = f"record {number}"
            yield where, value if isinstance(value, dict) else Malformed(where, "no JSON object")
            number += 1
            bounded.since_record = 0
    except (ijson.JSONError, ValueError, OverflowError) as error:
        where = f"record {number}"
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        yield where, Malformed(where, f"{reason}; nothing after it could be read")


class _Bounded(io.RawIOBase):
    """Stops a parser that takes more than MAX_RECORD_BYTES for one record."""

    def __init__(self, body: BinaryIO) -> None:
        super().__init__()
        self._body = body
        self.since_record = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._body.read(len(buffer))
        self.since_record += len(data)
        if self.since_record > MAX_RECORD_BYTES:
            raise ValueError(TOO_LONG)
        buffer[: len(data)] = data
        return len(data)
