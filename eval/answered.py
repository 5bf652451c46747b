"""Answers of an evaluation as they come, kept on disk until all are there, so that a run that was killed goes on."""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Generic, Self, TypeVar

import orjson

from common.errors import SourceError, os_errors
from common.words import counted
from indexer.generations import served_manifest

Answer = TypeVar("Answer")
Found = Mapping[str, tuple[float, list[str]]]  # system → seconds, and ids of papers, best first

_CODE = ("common", "encoders", "indexer", "retrieval", "rerank", "citescout", "eval")

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class AnsweredQueries(Generic[Answer]):
    """What came of each query, by its place; each is a line of a file."""

    path: Path
    of: dict[int, Answer] = field(default_factory=dict)

    @classmethod
    def kept(cls, folder: Path, run: str, read: Callable[[Any], Answer]) -> Self:
        """What there is of the `run`, which must say all that its answers depend on, see `run_of`.

        `read` makes an answer of its JSON, with a ValueError, TypeError or AttributeError where that is damaged.

        Raises:
            SourceError: the file is damaged, or cannot be read or written.
        """
        path = folder / f"answered-{hashlib.sha256(run.encode('utf-8', 'backslashreplace')).hexdigest()[:16]}.jsonl"
        kept = cls(path)
        with os_errors(SourceError, f"write {path}"):
            folder.mkdir(parents=True, exist_ok=True)
            if path.is_file():
                with path.open("r+b") as file:
                    kept._read(file, read)
        if kept.of:
            _log.warning("%s: %s of this run had been answered", path, counted(len(kept.of), "query", "queries"))
        return kept

    def _read(self, file: BinaryIO, read: Callable[[Any], Answer]) -> None:
        end = 0
        for line in file:
            if not line.endswith(b"\n"):  # the line at which the run was killed
                file.truncate(end)
                break
            end += len(line)
            try:
                number, found = orjson.loads(line)
                self.of[number] = read(found)
            except (ValueError, TypeError, AttributeError) as error:
                damaged = f"{self.path} is damaged ({error}): delete it, and its queries are asked again"
                raise SourceError(damaged) from None

    def add(self, number: int, found: Answer) -> None:
        """Keep what came of one query.

        Raises:
            SourceError: it cannot be written.
        """
        self.of[number] = found
        with os_errors(SourceError, f"write {self.path}"), self.path.open("ab") as file:
            file.write(orjson.dumps([number, found]) + b"\n")


def delete_answers(paths: Iterable[Path]) -> None:
    """Remove files of answers: what came of them is written elsewhere."""
    for path in paths:
        path.unlink(missing_ok=True)


def sharing_ids(found: Found) -> Found:
    """The same with `shared` ids."""
    return {name: (seconds, shared(ids)) for name, (seconds, ids) in found.items()}


def shared(ids: Iterable[str]) -> list[str]:
    """The ids, each once in memory: 20,000 lists of a thousand take 160 MB so, and 2 GB otherwise."""
    return [sys.intern(id_) for id_ in ids]


def run_of(directory: Path, *depends_on: object) -> str:
    """All that answers of the index in `directory` depend on: code, index, and the `depends_on`, of which no sets."""
    return "\n".join(map(repr, (code_digest(), *served_manifest(directory), *depends_on)))


def code_digest() -> str:
    """SHA-256 of the code that answers come from: between two versions it changes, too."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(path for folder in _CODE for path in (root / folder).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
