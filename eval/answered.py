"""Answers of an evaluation as they come, kept on disk until all are there, so that a run that was killed goes on."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import orjson

from common.errors import SourceError, os_errors
from common.words import counted

Found = Mapping[str, tuple[float, list[str]]]  # system → seconds, and ids of papers, best first

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
        with os_errors(SourceError, f"write {path}"):
            folder.mkdir(parents=True, exist_ok=True)
            lines = path.read_bytes().splitlines(keepends=True) if path.is_file() else []
            if lines and not lines[-1].endswith(b"\n"):  # the line at which the run was killed
                lines.pop()
                with path.open("r+b") as file:
                    file.truncate(sum(map(len, lines)))
        try:
            found = {number: systems for number, systems in map(orjson.loads, lines)}
        except (ValueError, TypeError) as error:
            raise SourceError(f"{path} is damaged ({error}): delete it, and its queries are asked again") from None
        if found:
            _log.warning("%s: %s of this run had been answered", path, counted(len(found), "query", "queries"))
        return cls(path, found)

    def add(self, number: int, found: Found) -> None:
        """Keep the answers to one query.

        Raises:
            SourceError: they cannot be written.
        """
        self.of[number] = found
        if self.path is not None:
            with os_errors(SourceError, f"write {self.path}"), self.path.open("ab") as file:
                file.write(orjson.dumps([number, found]) + b"\n")

    def delete(self) -> None:
        """Remove the file: what came of the answers is written elsewhere."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)
