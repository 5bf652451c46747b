"""Files of triplets: citescout's own format, and the formats of others; adding one is one more `TripletFormat`.

Our own is one JSON object a line, see docs/formats.md. Files that end in .gz are compressed.
"""

import gzip
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
import orjson

from common.arrays import unordered
from common.errors import SourceError, os_errors
from common.files import replaced
from encoders.text import Text
from training.triplets.sampling import KINDS, UNSAID, Mix, Triplets
from training.triplets.specter import is_specter, read_specter


class BadTriplet(Exception):
    """A record is no triplet; the reader adds file and line."""


class RawTriplet(NamedTuple):
    """One triplet as it stands in a file."""

    query: Text
    positive: Text
    negative: Text
    kind: int  # see `sampling.KINDS`


@dataclass(frozen=True, slots=True)
class TripletFormat:
    """How one format is recognised and read; a record is a parsed line or array element."""

    description: str
    fits: Callable[[Any], bool]
    parse: Callable[[Any], RawTriplet]  # raises BadTriplet


def _papers(record: Any, names: tuple[str, str, str], kind: int) -> RawTriplet:
    if not isinstance(record, dict):
        raise BadTriplet("no JSON object")
    texts = []
    for name in names:
        paper = record.get(name)
        if not isinstance(paper, dict):
            raise BadTriplet(f"'{name}' is not an object with title and abstract")
        texts.append(Text(_string(paper, name, "title"), _string(paper, name, "abstract")))
    return RawTriplet(texts[0], texts[1], texts[2], kind)


def _string(paper: dict[str, Any], name: str, part: str) -> str:
    value = paper.get(part)
    if value is not None and not isinstance(value, str):
        raise BadTriplet(f"the {part} of '{name}' is not a text")
    return value or ""


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda record: isinstance(record, dict) and all(isinstance(record.get(name), dict) for name in names)


def _own(record: Any) -> RawTriplet:
    kind = record.get("kind", KINDS[UNSAID]) if isinstance(record, dict) else KINDS[UNSAID]
    if kind not in KINDS:
        raise BadTriplet(f"'kind' is {kind!r} rather than hard or easy")
    return _papers(record, ("query", "positive", "negative"), KINDS.index(kind))


_ANCHORED = ("anchor", "positive", "negative")


def _sentences(record: Any) -> RawTriplet:
    if not _are_sentences(record):
        raise BadTriplet("not three texts: anchor, positive, negative")
    anchor, positive, negative = _texts(record)
    return RawTriplet(Text(anchor, ""), Text(positive, ""), Text(negative, ""), UNSAID)


def _texts(record: Any) -> Any:
    if not isinstance(record, dict):
        return record
    return record["set"] if "set" in record else [record.get(name) for name in _ANCHORED]


def _are_sentences(record: Any) -> bool:
    texts = _texts(record)
    return isinstance(texts, list) and len(texts) == 3 and all(isinstance(text, str) for text in texts)


# In the order in which they are tried.
FORMATS = (
    TripletFormat("our own lines", _has("query", "positive", "negative"), _own),
    TripletFormat(
        "SciRepEval's query, pos, neg",
        _has("query", "pos", "neg"),
        lambda record: _papers(record, ("query", "pos", "neg"), UNSAID),
    ),
    TripletFormat("sentence-transformers' anchor, positive, negative", _are_sentences, _sentences),
)


_DAMAGED = (OSError, EOFError)


class _Record(NamedTuple):
    where: str  # as messages show it, such as "triplets.jsonl line 7"
    value: Any


def write_triplets(triplets: Triplets, path: Path) -> None:
    """Write our own format; an existing file is replaced once all is written.

    Raises:
        SourceError: the file cannot be written.
    """
    with os_errors(SourceError, f"write {path}"), replaced(path) as plain, _compressed(plain, path) as file:
        for (query, positive, negative), kind in zip(triplets.rows.tolist(), triplets.kinds.tolist(), strict=True):
            line: dict[str, Any] = {
                name: triplets.texts[place]._asdict()
                for name, place in (("query", query), ("positive", positive), ("negative", negative))
            }
            if KINDS[kind] != "unsaid":
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
    for triplet in _triplets(path):
        rows += (places.setdefault(text, len(places)) for text in triplet[:3])
        kinds.append(triplet.kind)
    table = np.asarray(rows, np.int64).reshape(-1, 3)
    linked = np.unique(unordered(table[:, 0], table[:, 1]))
    return Triplets(list(places), table, np.asarray(kinds, np.int8), linked)


def _triplets(path: Path) -> Iterator[RawTriplet]:
    known = None
    for where, value in _records(path):
        if known is None:
            known = next((one for one in FORMATS if one.fits(value)), None)
        if known is None:
            names = ", ".join(one.description for one in FORMATS)
            raise SourceError(f"{where}: no triplet in a known format ({names}, SPECTER's data.json)")
        try:
            triplet = known.parse(value)
        except BadTriplet as error:
            raise SourceError(f"{where}: {error}") from None
        for role, text in zip(("query", "positive", "negative"), triplet[:3], strict=True):
            if not any(part.strip() for part in text):
                raise SourceError(f"{where}: the {role} has neither title nor abstract")
        yield triplet


def _records(path: Path) -> Iterator[_Record]:
    """Lines of JSON, or the elements of one JSON array."""
    try:
        with _opened(path) as file:
            first = file.read(4096).lstrip()
            file.seek(0)
            if first.startswith(b"[") and _is_one_array(first):
                elements = _parsed(file.read(), str(path))
                yield from (_Record(f"{path} element {place}", one) for place, one in enumerate(elements, 1))
                return
            for number, line in enumerate(file, 1):
                if line.strip():
                    yield _Record(f"{path} line {number}", _parsed(line, f"{path} line {number}"))
    except _DAMAGED as error:
        raise SourceError(f"cannot read {path} ({getattr(error, 'strerror', None) or error})") from None


def _is_one_array(start: bytes) -> bool:
    """Whether a file is one array of triplets rather than lines that are arrays of three texts."""
    inside = start[1:].lstrip()
    return not inside or inside[:1] in b"[{]"


def _parsed(data: bytes, where: str) -> Any:
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        raise SourceError(f"{where}: no valid JSON ({error})") from None


def _opened(path: Path) -> BinaryIO:
    return cast("BinaryIO", gzip.open(path)) if path.suffix == ".gz" else path.open("rb")


def _compressed(file: BinaryIO, path: Path) -> AbstractContextManager[BinaryIO]:
    """What writes to `file`, compressed where `path` ends in .gz; leaves it open."""
    if path.suffix != ".gz":
        return nullcontext(file)
    return cast("AbstractContextManager[BinaryIO]", gzip.GzipFile("", "wb", fileobj=file))
