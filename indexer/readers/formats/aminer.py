"""AMiner (DBLP, ACM) citation networks: text up to version 8, and JSON from version 10 on.

Text is blocks of lines that begin with a mark: `#*` title, `#@` authors, `#t` (or `#year`) year, `#c` (or `#conf`)
venue, `#index` id, `#%` one reference a line, `#!` abstract. The order of the marks differs between versions, and a
first line may hold the number of papers.

Version 10 and 11 are JSON lines, 12 to 14 one array. The abstract is an inverted index in 11 (as JSON within a
string) and 12. Version 13 is a MongoDB export: ids in `_id`, `NumberInt(…)`, raw line breaks within text.
"""

import io
import re
from collections.abc import Iterator
from typing import BinaryIO, cast

from common.errors import RecordError
from indexer.readers import streams
from indexer.readers.base import Found, Malformed, RawPaper, Reader, papers_of, record_reader
from indexer.readers.head import Head
from indexer.readers.json_records import Fields, array_records, line_records, mapping, paper_as_named, unquoted
from indexer.readers.markup import from_inverted_index
from indexer.readers.streams import TextFile
from indexer.readers.tagged import Tagged
from indexer.readers.unicode import Pieces

# Longer marks first: "#index" must not be read as an unknown mark, nor "#conf" as "#c".
_MARK = re.compile(r"#(index|arnetid|citation|year|conf|\*|@|t|c|%|!|o)(.*)", re.DOTALL)
_ONCE = ("index", "*")  # a second one begins the next paper even without a blank line


def _is_text(head: Head) -> bool:
    marks = {line[:2] for line in head.lines if line.startswith("#")}
    return "#*" in marks and any(line.startswith("#index") for line in head.lines)


def _blocks(file: TextFile) -> Iterator[tuple[str, Tagged | Malformed]]:
    block, size, first_line = Tagged(), 0, 1
    for number, line in file.lines():
        size += len(line or b"")
        if line is None or size > streams.MAX_BLOCK_BYTES:
            yield f"line {number}", Malformed(streams.too_long(streams.MAX_BLOCK_BYTES))
            block, size = Tagged(), 0
            continue
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        match = _MARK.match(text)
        if not text.strip() or (match and match[1] in _ONCE and block.values(match[1])):
            if block:
                yield f"line {first_line}", block
            block, size = Tagged(), len(line)
        first_line = first_line if block else number
        block.take(text, match)
    if block:
        yield f"line {first_line}", block


def _of_block(block: Tagged) -> RawPaper:
    if not any(map(block.values, _ONCE)):
        raise RecordError("marks but no paper")
    authors = block.first("@")
    return RawPaper(
        id=block.first("index"),
        title=block.first("*"),
        abstract=block.first("!"),
        year=block.first("t", "year"),
        authors=authors.split(";" if ";" in authors else ","),
        venue=block.first("c", "conf"),
        citations=block.every("%"),
    )


AMINER_TEXT = Reader(
    name="aminer_text",
    description="AMiner (DBLP, ACM) citation network up to version 8: text with #*, #@, #t, #c, #index, #%, #!",
    endings=(".txt",),
    detect=_is_text,
    read=record_reader(_blocks, _of_block),
)


_CHUNK = 1 << 18
_MONGO_NUMBER = re.compile(rb":\s*Number(?:Int|Long)\(\s*\"?(-?\d+)\"?\s*\)")


def _is_json(head: Head) -> bool:
    keys = head.keys
    if not {"id", "_id"} & keys or "title" not in keys:
        return False
    return bool({"n_citation", "indexed_abstract"} & keys) or {"references", "venue", "authors"} <= keys


def _read_json(file: TextFile) -> Iterator[Found]:
    if file.head.is_json_array:
        plain = io.BufferedReader(Pieces(_plain_numbers(file.body)), _CHUNK)
        return papers_of(array_records(cast(BinaryIO, plain)), _of_json)
    return papers_of(line_records(file), _of_json)


def _of_json(fields: Fields) -> RawPaper:
    venue = fields.get("venue")
    if isinstance(venue, dict):
        venue = venue.get("raw") or venue.get("name_d") or venue.get("name")
    urls, index = fields.get("url"), mapping(unquoted(fields.get("indexed_abstract")))
    return paper_as_named(
        fields,
        id=fields.get("id", fields.get("_id")),
        abstract=fields.get("abstract") or from_inverted_index(index.get("InvertedIndex", index)),
        venue=venue,
        url=next(iter(urls), None) if isinstance(urls, list) else urls,
        citations=fields.get("references") or None,
    )


def _plain_numbers(body: BinaryIO) -> Iterator[bytes]:
    """The JSON with MongoDB's numbers made plain; a number never spans the comma at which pieces are cut."""
    rest = b""
    while data := body.read(_CHUNK):
        rest += data
        cut = rest.rfind(b",") + 1
        if cut == 0 and len(rest) > streams.MAX_RECORD_BYTES:
            cut = len(rest)
        yield _MONGO_NUMBER.sub(rb": \1", rest[:cut])
        rest = rest[cut:]
    yield _MONGO_NUMBER.sub(rb": \1", rest)


AMINER_JSON = Reader(
    name="aminer_json",
    description="AMiner (DBLP) citation network, versions 10 to 14: JSON lines or one JSON array",
    endings=(".json", ".txt", ".jsonl"),
    detect=_is_json,
    read=_read_json,
)
