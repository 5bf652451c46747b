"""AMiner (DBLP) citation networks from version 10 on, all in JSON.

Version 10 and 11 are JSON lines, 12 to 14 one array. The abstract is an inverted index in 11 (as JSON within a
string) and 12. Version 13 is a MongoDB export: ids in `_id`, `NumberInt(…)`, raw line breaks within text.
"""

import io
import re
from collections.abc import Iterator
from typing import BinaryIO, cast

from indexer.readers import streams
from indexer.readers.base import Found, RawPaper, Reader, papers_of
from indexer.readers.head import Head
from indexer.readers.json_records import Fields, array_records, line_records, mapping, names, unquoted
from indexer.readers.markup import from_inverted_index
from indexer.readers.streams import TextFile
from indexer.readers.unicode import Pieces

_CHUNK = 1 << 18
_MONGO_NUMBER = re.compile(rb":\s*Number(?:Int|Long)\(\s*\"?(-?\d+)\"?\s*\)")


def _detect(head: Head) -> bool:
    keys = head.keys
    if not {"id", "_id"} & keys or "title" not in keys:
        return False
    return bool({"n_citation", "indexed_abstract"} & keys) or {"references", "venue", "authors"} <= keys


def _read(file: TextFile) -> Iterator[Found]:
    if file.head.is_json_array:
        plain = io.BufferedReader(_PlainNumbers(file.body), _CHUNK)
        return papers_of(array_records(cast(BinaryIO, plain)), _paper)
    return papers_of(line_records(file), _paper)


def _paper(where: str, fields: Fields) -> RawPaper:
    venue = fields.get("venue")
    if isinstance(venue, dict):
        venue = venue.get("raw") or venue.get("name_d") or venue.get("name")
    urls = fields.get("url")
    return RawPaper(
        where,
        id=fields.get("id", fields.get("_id")),
        title=fields.get("title"),
        abstract=fields.get("abstract") or _inverted(fields.get("indexed_abstract")),
        year=fields.get("year"),
        authors=names(fields.get("authors")),
        venue=venue,
        doi=fields.get("doi"),
        url=next(iter(urls), None) if isinstance(urls, list) else urls,
        citations=fields.get("references") or None,
    )


def _inverted(value: object) -> str:
    index = mapping(unquoted(value))
    return from_inverted_index(index.get("InvertedIndex", index))


class _PlainNumbers(Pieces):
    """The JSON with MongoDB's numbers made plain; a number never spans the comma at which chunks are cut."""

    def __init__(self, body: BinaryIO) -> None:
        super().__init__()
        self._body = body
        self._rest = b""

    def piece(self, size: int) -> bytes:
        while data := self._body.read(_CHUNK):
            self._rest += data
            cut = self._rest.rfind(b",") + 1
            if cut == 0 and len(self._rest) > streams.MAX_RECORD_BYTES:
                cut = len(self._rest)
            if cut:
                break
        else:
            cut = len(self._rest)
        made, self._rest = _MONGO_NUMBER.sub(rb": \1", self._rest[:cut]), self._rest[cut:]
        return made


AMINER_JSON = Reader(
    name="aminer_json",
    description="AMiner (DBLP) citation network, versions 10 to 14: JSON lines or one JSON array",
    endings=(".json", ".txt", ".jsonl"),
    detect=_detect,
    read=_read,
)
