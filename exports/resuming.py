"""A file of answers that goes on where it was interrupted, and ends in the same bytes.

Beside F stand F.partial, the output so far, and F.state: a line for the run (what is asked of what), then one
for every answer that is written: how long the output was after it, its hash so far, and, where a format writes
every paper once, which papers it had. So a process may be killed at any moment, the last line may be cut, and an output
that is not what the lines say is never gone on with.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO, cast

from citescout.recommendation import Answer, OutsideWork, Recommendation
from common.errors import SourceError, os_errors
from common.files import alone_with, behind_links, take_access
from exports.base import Format
from indexer.paper import Paper, paper_json, paper_of_json
from retrieval.query import Query

Papers = Callable[[Sequence[str]], Sequence[Paper]]  # of ids of the index


class _Done(NamedTuple):
    """One answer that is written."""

    bytes: int  # of the output so far
    sha256: str  # of these
    papers: Sequence[str]  # ids of what was recommended, where the format writes each paper once
    outside: Sequence[str]  # and works outside the index, as JSON


class AnswerFile:
    """The file F of one run, to be written by `write`."""

    def __init__(self, path: Path, run: str) -> None:
        """Look for what is there of `run`, which must identify it: another one is started over.

        Raises:
            SourceError: what is there cannot be read.
        """
        path = behind_links(path) if path.is_symlink() else path  # a link stays one
        self._path = path
        self._partial = path.with_name(path.name + ".partial")
        self._record = path.with_name(path.name + ".state")
        self._run = hashlib.sha256(run.encode("utf-8", "backslashreplace")).hexdigest()
        try:
            # Whether there is an output of another run, or of an unknown one.
            self._done, self.started_over = self._read()
        except OSError as error:
            raise SourceError(f"cannot read {error.filename or self._partial}: {error.strerror}") from None

    @property
    def answered(self) -> int:
        """Queries whose answers are written."""
        return len(self._done)

    def write(self, export: Format, queries: Sequence[Query], answers: Iterable[Answer], papers: Papers) -> None:
        """Write `answers`, those to the queries from `answered` on; F appears when all are written.

        Raises:
            SourceError: it cannot be written.
        """
        busy = SourceError(f"another process is writing {self._path}, wait for it to end")
        with contextlib.ExitStack() as alone:
            with os_errors(SourceError, f"write {self._path}"):
                self._partial.touch()  # a lock would make the folders that are missing
                alone.enter_context(alone_with(self._path.with_name(self._path.name + ".lock"), busy))
            if self._read()[0] != self._done:
                raise busy
            with self._opened() as output:
                export.write(self._noted(export, queries, answers, papers, output), cast(TextIO, output))
                output.note(None)
            with os_errors(SourceError, f"write {self._path}"):
                self._partial.replace(self._path)
                self._record.unlink()

    def _noted(
        self, export: Format, queries: Sequence[Query], answers: Iterable[Answer], papers: Papers, output: _Output
    ) -> Iterator[Answer]:
        """All answers; those that are written already only so that the writer knows what it had."""
        for query, done in zip(queries, self._done, strict=False):
            had = papers(done.papers) if done.papers else ()
            works = [OutsideWork(paper_of_json(text), 0.0, (), 0, 0) for text in done.outside]
            yield Answer(query, [Recommendation(0, 0.0, paper) for paper in had], beyond=works)
        output.muted = False
        for answer in answers:
            yield answer
            # Here the writer asks for the next one: it has written this.
            once = export.needs == "papers"
            outside = [paper_json(work.paper).decode() for work in answer.beyond if once]
            output.note([entry.paper.id for entry in answer.recommendations if once], outside)

    def _opened(self) -> _Output:
        """The output, cut to what is known to be right, and the record of it."""
        lines = [self._run, *map(json.dumps, self._done)]
        with os_errors(SourceError, f"write {self._path}"):
            os.truncate(self._partial, self._done[-1].bytes if self._done else 0)
            take_access(self._partial, self._path)
            self._record.write_text("".join(f"{line}\n" for line in lines), "utf-8")
            return _Output(self._partial, self._record, muted=bool(self._done))

    def _read(self) -> tuple[list[_Done], bool]:
        """The answers that are written, as far as the output is what was noted, and whether it is of another run."""
        if not self._partial.exists():
            return [], False
        if not self._record.exists():
            return [], True
        run, *lines = self._record.read_bytes().split(b"\n")
        if run.decode("utf-8", "replace") != self._run:
            return [], True
        noted = [done for done in map(_parsed, lines) if done]
        output = self._partial.read_bytes()
        while noted:
            last = noted[-1]
            if last.bytes <= len(output) and hashlib.sha256(output[: last.bytes]).hexdigest() == last.sha256:
                break
            noted.pop()
        return noted, False


class _Output(io.TextIOBase):
    """A text stream into a file, which nothing reaches while it is muted, and what is noted of it."""

    def __init__(self, path: Path, record: Path, muted: bool) -> None:
        self.muted = muted
        self._path = path
        self._digest = hashlib.sha256(path.read_bytes())
        self._file, self._record = path.open("ab"), record.open("ab")

    def write(self, text: str) -> int:
        """Write `text` as UTF-8."""
        if not self.muted:
            data = text.encode()
            self._digest.update(data)
            with os_errors(SourceError, f"write {self._path}"):
                self._file.write(data)
        return len(text)

    def note(self, papers: Sequence[str] | None, outside: Sequence[str] = ()) -> None:
        """Note that an answer with these papers is written; None at the end, when all is to be on the disk."""
        with os_errors(SourceError, f"write {self._path}"):
            self._file.flush()
            if papers is None:
                os.fsync(self._file.fileno())
                return
            line = json.dumps(_Done(self._file.tell(), self._digest.hexdigest(), papers, outside))
            self._record.write(line.encode() + b"\n")
            self._record.flush()

    def close(self) -> None:
        """Let both files go."""
        with os_errors(SourceError, f"write {self._path}"), contextlib.closing(self._record):
            self._file.close()
        super().close()


def _parsed(line: bytes) -> _Done | None:
    """A line of the record; None for one that was cut."""
    try:
        return _Done(*json.loads(line))
    except (ValueError, TypeError):
        return None
