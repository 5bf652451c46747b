"""How an engine is named: where it is, which collection, and how that collection is made and searched.

    milvus://HOST:PORT/COLLECTION?index=HNSW&M=32     a Milvus server or cluster
    milvus-lite:PATH?collection=NAME                  Milvus Lite, in a file and a process of its own

Credentials are no part of it, because the manifest keeps it: the token is taken from MILVUS_TOKEN.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qsl, urlencode

from common.errors import EngineError
from indexer.bm25_parameters import ABSTRACTS

MILVUS, LITE = "milvus://", "milvus-lite:"
COLLECTION = "papers"  # of an embedded engine, where none is named
LUCENE = "lucene"

_CHOICES = {"bm25": ("milvus", LUCENE), "tls": ("true", "false")}
# The least and the most that each may be.
_NUMBERS: dict[str, tuple[float, float]] = {"k1": (0, 100), "b": (0, 1), "shards": (1, 64), "timeout": (0.1, 3600)}

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,199}")
_HOST = re.compile(r"(\[[0-9A-Fa-f:]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")
_FILE = re.compile(r"[A-Za-z0-9._-]{1,36}")  # what Milvus Lite takes as the name of its file


class DenseIndex(NamedTuple):
    """One of Milvus' indexes over vectors: its parameters and their defaults."""

    build: Mapping[str, int]
    search: Mapping[str, int]
    at_least_k: str = ""  # a parameter of the search that must not be below the number of hits


INDEXES: dict[str, DenseIndex] = {
    "FLAT": DenseIndex({}, {}),
    "IVF_FLAT": DenseIndex({"nlist": 1024}, {"nprobe": 64}),
    "IVF_SQ8": DenseIndex({"nlist": 1024}, {"nprobe": 64}),
    "HNSW": DenseIndex({"M": 32, "efConstruction": 200}, {"ef": 1500}, "ef"),
    "DISKANN": DenseIndex({}, {"search_list": 1500}, "search_list"),
    "AUTOINDEX": DenseIndex({}, {}),
}
# The only ones of Milvus Lite; it takes others without a word in one place and refuses them in another.
LITE_INDEXES = ("FLAT", "IVF_FLAT", "AUTOINDEX")


@dataclass(frozen=True, slots=True)
class EngineRecord:
    """What a manifest says of the engine that holds a generation's texts and vectors."""

    address: str
    collection: str  # as the engine knows it: every build makes one of its own
    shortened: int = 0  # texts that were cut to what the engine takes


@dataclass(frozen=True, slots=True)
class EngineAddress:
    """A parsed address; `str` gives it back with only what differs from the defaults."""

    embedded: bool
    target: str  # HOST:PORT, or the absolute path of Milvus Lite's file
    collection: str
    index: str = "FLAT"
    numbers: Mapping[str, int] = field(default_factory=dict)  # parameters of the index that were named
    bm25: str = "milvus"  # or "lucene": texts stay in the index directory, the engine has vectors alone
    k1: float = ABSTRACTS.k1  # a collection scores with the parameters that it was made with
    b: float = ABSTRACTS.b
    shards: int = 1
    timeout: float = 30.0  # seconds for one request with all its repetitions
    tls: bool = False

    @classmethod
    def parsed(cls, text: str) -> Self:
        """The address that `text` is.

        Raises:
            EngineError: it is none; the message says what of it is wrong.
        """
        place, _, query = text.partition("?")
        options = dict(parse_qsl(query, keep_blank_values=True))
        if place.startswith(MILVUS):
            target, _, collection = place.removeprefix(MILVUS).partition("/")
            if not _HOST.fullmatch(target):
                raise EngineError(f"{text!r} names no HOST:PORT: write {MILVUS}HOST:PORT/COLLECTION")
        elif place.startswith(LITE) and (path := place.removeprefix(LITE)):
            target, collection = str(Path(path).expanduser().absolute()), options.pop("collection", COLLECTION)
            if not _FILE.fullmatch(Path(target).name):
                raise EngineError(f"{path!r}: Milvus Lite's file has a name of up to 36 letters, digits, '.', '_', '-'")
        else:
            raise EngineError(f"{text!r} is not an engine: write {MILVUS}HOST:PORT/COLLECTION or {LITE}PATH")
        if not _NAME.fullmatch(collection):
            raise EngineError(
                f"{text!r} names no collection: up to 200 letters, digits and '_', the first of them no digit"
            )
        return cls._with(options, place.startswith(LITE), target, collection)

    @classmethod
    def _with(cls, options: dict[str, str], embedded: bool, target: str, collection: str) -> Self:
        index = options.pop("index", "FLAT" if embedded else "HNSW").upper()
        known = LITE_INDEXES if embedded else tuple(INDEXES)
        if index not in known:
            raise EngineError(f"index={index}: {'Milvus Lite' if embedded else 'Milvus'} has {', '.join(known)}")
        own = [*INDEXES[index].build, *INDEXES[index].search]
        if unknown := [name for name in options if name not in {*_CHOICES, *_NUMBERS, *own}]:
            names = ", ".join(["index", "bm25", *_NUMBERS, "tls", *own])
            raise EngineError(f"{unknown[0]!r} is not an option of an engine with index={index}: {names}")
        given = {name: _read(name, text) for name, text in options.items()}
        numbers = {name: given.pop(name) for name in own if name in given}
        return cls(embedded, target, collection, index, numbers, **given)

    @property
    def holds_texts(self) -> bool:
        """Whether BM25 is the engine's."""
        return self.bm25 != LUCENE

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return f"Milvus Lite in {self.target}" if self.embedded else f"Milvus at {self.target}"

    def build_parameters(self) -> dict[str, int]:
        """How the dense index is made."""
        return {name: self.numbers.get(name, usual) for name, usual in INDEXES[self.index].build.items()}

    def search_parameters(self, k: int) -> dict[str, int]:
        """How the dense index is searched for `k` hits."""
        index = INDEXES[self.index]
        found = {name: self.numbers.get(name, usual) for name, usual in index.search.items()}
        if index.at_least_k:
            found[index.at_least_k] = max(found[index.at_least_k], k)
        return found

    def __str__(self) -> str:
        options: dict[str, object] = {"index": self.index, **self.numbers}
        for one in fields(self):
            if one.name in {*_CHOICES, *_NUMBERS} and (value := getattr(self, one.name)) != one.default:
                options[one.name] = "true" if value is True else value
        if self.embedded:
            return f"{LITE}{self.target}?{urlencode({'collection': self.collection, **options})}"
        return f"{MILVUS}{self.target}/{self.collection}?{urlencode(options)}"


def _read(name: str, text: str) -> Any:
    """The value of an option, or of a parameter of an index, which are whole numbers."""
    if known := _CHOICES.get(name):
        if text not in known:
            raise EngineError(f"{name}={text}: write {' or '.join(known)}")
        return text == "true" if name == "tls" else text
    least, most = _NUMBERS.get(name, (1, 2**31 - 1))
    whole = name == "shards" or name not in _NUMBERS
    try:
        value: float = int(text) if whole else float(text)
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        raise EngineError(f"{name}={text}: write a {'whole ' if whole else ''}number from {least:g} to {most:g}")
    return value
