"""Sources parted into what can be read side by side, by processes that know nothing of each other."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from common.errors import SourceError
from common.sequences import batches_within
from indexer.readers.base import Reader, find_reader
from indexer.readers.reading import choose_reader
from indexer.readers.report import ReadReport
from indexer.readers.source import check_sources, named_files, unpacked

# Small files are read one after the other: a process of its own for each would cost more than reading it.
GROUP_BYTES = 64 << 20


@dataclass(frozen=True, slots=True)
class Share:
    """What one process reads: arguments of `read_papers`."""

    sources: tuple[str, ...]  # absolute
    format: str | None  # None where each file is to be looked at again


def shares(sources: Sequence[str], format: str | None, report: ReadReport) -> list[Share]:
    """The shares of some sources, together what `read_papers` reads; files that it passes over are in `report`.

    A file of lines or records is in one share, alone or with other small ones. Formats that spread a paper over
    several files make one share of everything.

    Raises:
        SourceError: as `read_papers`, and for a source that can be read only once.
    """
    forced = find_reader(format) if format else None
    check_sources(sources)
    found: list[tuple[str, str | None, int]] = []
    with ExitStack() as closing:
        for file in named_files(sources):
            if file.once:
                raise SourceError(f"{file.name} can be read only once, and by this process only: give a file")
            passed_over = ReadReport()
            readers: list[Reader] = []
            zipped = False
            for member in unpacked(file, closing):
                zipped = member is not file
                if reader := choose_reader(member, member.head(), forced, passed_over):
                    readers.append(reader)
            if any(reader.read_together for reader in readers):
                return [Share(tuple(str(Path(source).absolute()) for source in sources), format)]
            if readers:  # who reads an archive reports what it passes over in it
                path = Path(file.name).absolute()
                found.append((str(path), format if zipped else readers[0].name, path.stat().st_size))
            else:
                report.add(passed_over)
    if not found:
        raise SourceError(f"{', '.join(sources)}: no file in a known format")
    return _grouped(found)


def _grouped(found: list[tuple[str, str | None, int]]) -> list[Share]:
    """The files of one format that follow each other, as many in a share as have no more than GROUP_BYTES together."""
    runs = ((format, batches_within(run, itemgetter(2), GROUP_BYTES)) for format, run in groupby(found, itemgetter(1)))
    return [Share(tuple(path for path, _, _ in files), format) for format, batches in runs for files in batches]
