"""Answers of an evaluation as they come, kept on disk until all are there, so that a run that was killed goes on."""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

import orjson

from common.errors import SourceError, os_errors
from common.words import counted

Found = Mapping[str, tuple[float, list[str]]]  # system → seconds, and ids of papers, best first

_CODE = ("common", "encoders", "indexer", "retrieval", "rerank", "citescout", "eval")

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class AnsweredQueries:
    """What every system answered, by the place of the query; each query is a line of a file, if there is one."""

    path: Path | None = None
    of: dict[int, Found] = field(default_factory=dict)

    @classmethod
    def kept(cls, folder: Path, run: str) -> AnsweredQueries:
        """What there is of the `run`, which must say all that its answers depend on.

        Raises:
            SourceError: the file is damaged, or cannot be read or written.
        """
        path = folder / f"answered-{hashlib.sha256(run.encode('utf-8', 'backslashreplace')).hexdigest()[:16]}.jsonl"
        kept = cls(path)
        with os_errors(SourceError, f"write {path}"):
            folder.mkdir(parents=True, exist_ok=True)
            if path.is_file():
                with path.open("r+b") as file:
                    kept._read(file)
        if kept.of:
            _log.warning("%s: %s of this run had been answered", path, counted(len(kept.of), "query", "queries"))
        return kept

    def _read(self, file: BinaryIO) -> None:
        end = 0
        for line in file:
            if not line.endswith(b"\n"):  # the line at which the run was killed
                file.truncate(end)
                break
            end += len(line)
            try:
                number, found = orjson.loads(line)
                self.of[number] = _sharing_ids(found)
            except (ValueError, TypeError, AttributeError) as error:
                damaged = f"{self.path} is damaged ({error}): delete it, and its queries are asked again"
                raise SourceError(damaged) from None

    def add(self, number: int, found: Found) -> None:
        """Keep the answers to one query.

        Raises:
            SourceError: they cannot be written.
        """
        self.of[number] = _sharing_ids(found)
        if self.path is not None:
            with os_errors(SourceError, f"write {self.path}"), self.path.open("ab") as file:
                file.write(orjson.dumps([number, found]) + b"\n")

    def delete(self) -> None:
        """Remove the file: what came of the answers is written elsewhere."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)


def _sharing_ids(found: Found) -> Found:
    """The same with each id once in memory: 20,000 lists of a thousand ids take 160 MB so, and 2 GB otherwise."""
    return {name: (seconds, [sys.intern(id_) for id_ in ids]) for name, (seconds, ids) in found.items()}


def code_digest() -> str:
    """SHA-256 of the code that answers come from: between two versions it changes, too."""
    root = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(path for folder in _CODE for path in (root / folder).rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()
