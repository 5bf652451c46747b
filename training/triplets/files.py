"""Files of triplets: citescout's own format, and the formats of others; adding one is one more `TripletFormat`.

Our own is one JSON object a line, see docs/formats.md; it is written compressed where the name ends in .gz.
"""

import gzip
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import orjson

from common.arrays import unordered
from common.errors import SourceError, os_errors
from common.files import replaced
from encoders.text import Text
from indexer.readers.source import file_named
from training.triplets.sampling import KINDS, UNSAID, Mix, Triplets
from training.triplets.specter import is_specter, read_specter


@dataclass(frozen=True, slots=True)
class TripletFormat:
    """One format; a record is a parsed line or array element."""

    description: str
    names: tuple[str, str, str]  # of query, positive and negative in a record
    kind: type  # of each: an object with title and abstract, or a text

    def fits(self, record: Any) -> bool:
        """Whether a record is of this format."""
        values = self._values(record)
        return bool(values) and all(isinstance(value, self.kind) for value in values)

    def texts(self, record: Any) -> list[Text]:
        """Query, positive and negative; a ValueError where `record` is no triplet."""
        if self.kind is dict:
            if not isinstance(record, dict):
                raise ValueError("no JSON object")
            return [_paper(record.get(name), name) for name in self.names]
        if not self.fits(record):
            raise ValueError(f"not three texts: {', '.join(self.names)}")
        return [Text(text, "") for text in self._values(record)]

    def _values(self, record: Any) -> list[Any]:
        if self.kind is str and isinstance(record, dict):
            record = record.get("set", record)
        if self.kind is str and isinstance(record, list):
            return record if len(record) == len(self.names) else []
        return [record.get(name) for name in self.names] if isinstance(record, dict) else []


def _paper(paper: Any, name: str) -> Text:
    if not isinstance(paper, dict):
        raise ValueError(f"'{name}' is not an object with title and abstract")
    for part in Text._fields:
        if not isinstance(paper.get(part), str | None):
            raise ValueError(f"the {part} of '{name}' is not a text")
    return Text(*(paper.get(part) or "" for part in Text._fields))


OWN = TripletFormat("our own lines", ("query", "positive", "negative"), dict)
# In the order in which they are tried.
FORMATS = (
    OWN,
    TripletFormat("SciRepEval's query, pos, neg", ("query", "pos", "neg"), dict),
    TripletFormat("sentence-transformers' anchor, positive, negative", ("anchor", "positive", "negative"), str),
)


def write_triplets(triplets: Triplets, path: Path) -> None:
    """Write our own format; an existing file is replaced once all is written.

    Raises:
        SourceError: the file cannot be written.
    """
    with os_errors(SourceError, f"write {path}"), replaced(path) as plain, _compressed(plain, path) as file:
        for row, kind in zip(triplets.rows.tolist(), triplets.kinds.tolist(), strict=True):
            line: dict[str, Any] = {
                name: triplets.texts[place]._asdict() for name, place in zip(OWN.names, row, strict=True)
            }
            if kind != UNSAID:
                line["kind"] = KINDS[kind]
            file.write(orjson.dumps(line) + b"\n")


def read_triplets(path: Path, mix: Mix | None = None, seed: int = 0) -> Triplets:
    """Read triplets in any known format, recognised by the content; texts that repeat are kept once.

    A folder, or a file data.json beside a metadata.json, is SPECTER's, from which `mix` is drawn.

    Raises:
        SourceError: the file is missing, damaged or in no known format, or a triplet lacks a text: where, and why.
    """
    if is_specter(path):
        return read_specter(path, mix or Mix(), seed)
    places: dict[Text, int] = {}
    rows: list[int] = []
    kinds: list[int] = []
    for texts, kind in _triplets(path):
        rows += (places.setdefault(text, len(places)) for text in texts)
        kinds.append(kind)
    table = np.asarray(rows, np.int64).reshape(-1, 3)
    linked = np.unique(unordered(table[:, 0], table[:, 1]))
    return Triplets(list(places), table, np.asarray(kinds, np.int8), linked)


def _triplets(path: Path) -> Iterator[tuple[list[Text], int]]:
    """Query, positive and negative of each, and its place among `sampling.KINDS`."""
    known = None
    for where, record in _records(path):
        known = known or next((one for one in FORMATS if one.fits(record)), None)
        if known is None:
            names = ", ".join(one.description for one in FORMATS)
            raise SourceError(f"{where}: no triplet in a known format ({names}, SPECTER's data.json)")
        try:
            texts = known.texts(record)
            kind = record.get("kind", KINDS[UNSAID]) if known is OWN else KINDS[UNSAID]
            if kind not in KINDS:
                raise ValueError(f"'kind' is {kind!r} rather than hard or easy")
        except ValueError as error:
            raise SourceError(f"{where}: {error}") from None
        for role, text in zip(OWN.names, texts, strict=True):
            if not any(part.strip() for part in text):
                raise SourceError(f"{where}: the {role} has neither title nor abstract")
        yield texts, KINDS.index(kind)


def _records(path: Path) -> Iterator[tuple[str, Any]]:
    """Lines of JSON, or the elements of one JSON array, each behind its place as messages show it."""
    with file_named(path).open() as file:
        first = file.head.data.lstrip()
        if first.startswith(b"[") and _is_one_array(first):
            elements = _parsed(file.whole(), str(path))
            yield from ((f"{path} element {place}", one) for place, one in enumerate(elements, 1))
            return
        for number, line in file.filled_lines():
            where = f"{path} line {number}"
            yield where, _parsed(line, where)


def _is_one_array(start: bytes) -> bool:
    """Whether a file is one array of triplets rather than lines that are arrays of three texts."""
    inside = start[1:].lstrip()
    return not inside or inside[:1] in b"[{]"


def _parsed(data: bytes | str, where: str) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise SourceError(f"{where}: no valid JSON ({error})") from None


def _compressed(file: BinaryIO, path: Path) -> AbstractContextManager[BinaryIO]:
    """What writes to `file`, compressed where `path` ends in .gz; leaves it open."""
    if path.suffix != ".gz":
        return nullcontext(file)
    return cast("AbstractContextManager[BinaryIO]", gzip.GzipFile("", "wb", fileobj=file))
