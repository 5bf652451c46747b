"""Large files whose lines are read without each other: in parts, by several processes, in the order of the file."""

import io
import pickle
import signal
from collections.abc import Callable, Iterator
from dataclasses import fields
from itertools import chain, islice
from operator import attrgetter
from typing import NamedTuple, cast

from common.processes import in_processes
from indexer.paper import Paper
from indexer.readers.base import Found, Reader, find_reader
from indexer.readers.fields import cleaned
from indexer.readers.head import Head
from indexer.readers.report import ReadReport
from indexer.readers.streams import TextFile
from indexer.readers.unicode import Utf8

_PART_BYTES = 4 << 20
_FEW = 8  # parts of a file that are read sooner than a process has started
_MOST_PROCESSES = 4  # which read faster than one process takes what they found

# A tuple of a paper's fields takes a tenth of the time that the paper takes to be pickled.
_to_row = attrgetter(*(field.name for field in fields(Paper)))


class _Part(NamedTuple):
    """What a process needs to read a part of a file."""

    reader: str
    name: str
    head: bytes
    lines: bytes
    before: int
    strict: bool


def papers_by_line(file: TextFile, reader: Reader, strict: bool, report: ReadReport, processes: int) -> Iterator[Paper]:
    """The papers of a file of which `reader` reads every line without the others, see `indexer.readers.read_papers`."""
    parts = (
        _Part(reader.name, file.name, file.head.data, part.body.read(), part.before, strict)
        for part in file.parts(_PART_BYTES)
    )
    first = list(islice(parts, _FEW))
    several = min(processes, _MOST_PROCESSES) if len(first) == _FEW else 1
    for rows, of_part in in_processes(_read, chain(first, parts), several, _leave_interrupts if several > 1 else None):
        report.add(of_part)
        for row in pickle.loads(rows):  # noqa: S301 - of our own process
            yield Paper(*row)


def _leave_interrupts() -> None:
    """Ctrl-C is for the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _read(part: _Part) -> tuple[bytes, ReadReport]:
    reader = find_reader(part.reader)
    read = cast(Callable[[TextFile], Iterator[Found]], reader.read)  # as all have that are read by line
    nothing = Utf8(io.BufferedReader(io.BytesIO()))  # is left to decode
    file = TextFile(part.name, Head(part.name, part.head), io.BytesIO(part.lines), nothing, part.before)
    report = ReadReport()
    rows = [_to_row(paper) for paper, _ in cleaned(part.name, read(file), part.strict, report)]
    report.read = len(rows)
    pickled = io.BytesIO()
    pickler = pickle.Pickler(pickled)
    pickler.fast = True  # no value refers to another one; to look for that takes most of the time
    pickler.dump(rows)
    return pickled.getvalue(), report
