"""JSON records, be they one a line or the elements of one array: streamed, bounded, resilient.

A line that is no JSON object costs that line; damage within an array costs the elements that it touches.
"""

import json
import re
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, BinaryIO

import orjson

from indexer.readers.base import Malformed, RawPaper
from indexer.readers.json_array import ARRAY, elements
from indexer.readers.name_lists import listed_names
from indexer.readers.streams import TextFile, too_long

Fields = dict[str, Any]
JSON_LINES = attrgetter("is_json_lines")  # the `by_line` of formats that `json_records` reads
_OWN_NAMES = (  # of RawPaper
    *("id", "title", "abstract", "year", "authors", "venue", "doi", "arxiv", "url", "citations", "retracted"),
)
Record = tuple[str, Fields | Malformed]  # place and contents


def json_records(file: TextFile) -> Iterator[Record]:
    """Every record of a file of JSON lines, of one JSON array, or of objects that span many lines."""
    if file.head.is_json_array:
        return array_records(file.body)
    return array_records(file.body, None) if file.head.is_json_spread else line_records(file)


def line_records(file: TextFile) -> Iterator[Record]:
    """Every line as a JSON object."""
    for number, line in file.lines():
        if line is None:
            yield f"line {number}", Malformed(too_long())
        elif not line.isspace():
            yield f"line {number}", _fields(line)


def array_records(body: BinaryIO, opening: re.Pattern[str] | None = ARRAY) -> Iterator[Record]:
    """Every element of the arrays that `opening` finds; with None, every value of the text."""
    for number, value in enumerate(elements(body, opening), start=1):
        yield f"record {number}", value if isinstance(value, dict | Malformed) else Malformed("no JSON object")


def parse_json(line: bytes | str) -> object:
    """One JSON value; tolerates NaN, raw tabs in text and halves of surrogate pairs, which real files have.

    Raises:
        ValueError: This is no JSON.
    """
    try:
        return orjson.loads(line)
    except orjson.JSONDecodeError as error:
        try:
            return json.loads(line, strict=False)
        except (ValueError, RecursionError):
            raise ValueError(f"no valid JSON: {error.msg} at character {error.pos + 1}") from error


def unquoted(value: object) -> object:
    """A value that some files hold as JSON within a string, or that bytes are; None where that is no JSON."""
    try:
        return parse_json(value) if isinstance(value, str | bytes) else value
    except ValueError:
        return None


def objects(value: object) -> list[Fields]:
    """The JSON objects in a list; empty for anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def mapping(value: object) -> Fields:
    """A JSON object; empty for anything else."""
    return value if isinstance(value, dict) else {}


def names(value: object) -> list[object]:
    """The `name` of every object in a list, such as those of authors; plain elements stay."""
    items = value if isinstance(value, list) else []
    return [item.get("name") if isinstance(item, dict) else item for item in items]


def paper_as_named(fields: Fields, **others: Any) -> RawPaper:
    """The paper of a record whose fields are called as those of `Paper`, but for `others`."""
    own: dict[str, Any] = {name: fields.get(name) for name in _OWN_NAMES}
    authors = own["authors"]
    own["authors"] = listed_names(authors) if isinstance(authors, str) else names(authors)
    return RawPaper(**own | others)


def _fields(line: bytes) -> Fields | Malformed:
    try:
        value = parse_json(line)
    except ValueError as error:
        return Malformed(str(error))
    return value if isinstance(value, dict) else Malformed("no JSON object")
