"""The formats of single triplets; adding one is one more `register(...)`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from encoders.text import Text
from training.triplets.sampling import KINDS, UNSAID


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
            raise BadTriplet(f"'{name}' is no object with title and abstract")
        texts.append(Text(_string(paper, name, "title"), _string(paper, name, "abstract")))
    return RawTriplet(texts[0], texts[1], texts[2], kind)


def _string(paper: dict[str, Any], name: str, part: str) -> str:
    value = paper.get(part)
    if value is not None and not isinstance(value, str):
        raise BadTriplet(f"the {part} of '{name}' is no text")
    return value or ""


def _has(*names: str) -> Callable[[Any], bool]:
    return lambda record: isinstance(record, dict) and all(isinstance(record.get(name), dict) for name in names)


def _own(record: Any) -> RawTriplet:
    kind = record.get("kind", KINDS[UNSAID]) if isinstance(record, dict) else KINDS[UNSAID]
    if kind not in KINDS:
        raise BadTriplet(f"'kind' is {kind!r} rather than hard or easy")
    return _papers(record, ("query", "positive", "negative"), KINDS.index(kind))


def _scirepeval(record: Any) -> RawTriplet:
    return _papers(record, ("query", "pos", "neg"), UNSAID)


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
    TripletFormat("SciRepEval's query, pos, neg", _has("query", "pos", "neg"), _scirepeval),
    TripletFormat("sentence-transformers' anchor, positive, negative", _are_sentences, _sentences),
)
