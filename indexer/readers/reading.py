"""Sources in, papers out: detection, cleaning, and what happens to malformed records."""

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from fnmatch import fnmatch

from common.errors import SourceError
from indexer.paper import Paper
from indexer.readers.base import Found, Reader, detect_reader, find_reader, readers
from indexer.readers.cited import CitedWorks, cited_works
from indexer.readers.fields import cleaned
from indexer.readers.head import Head
from indexer.readers.report import Problem, ReadReport
from indexer.readers.source import SourceFile, check_sources, file_of_bytes, source_files, unpacked
from indexer.readers.streams import TextFile
from indexer.readers.unread import paper_advice

_FEW_FORMATS = 3  # that share an ending

_log = logging.getLogger(__name__)


def read_papers(
    sources: Sequence[str],
    *,
    strict: bool = False,
    report: ReadReport | None = None,
    format: str | None = None,
    others: Sequence[Reader] = (),
    processes: int = 1,
    untitled: bool = False,
) -> Iterator[Paper]:
    """Papers of files, folders, zip archives or standard input ("-"), in the order of the files.

    Last come those of formats that describe what they cite: it is looked for among all of them.

    Formats are recognised by content. A malformed record is passed over and counted in `report`; without a report, a
    summary goes to the log. Ids may repeat.

    Args:
        sources: Paths, or "-".
        strict: Stop at the first malformed record.
        report: Filled while the papers are consumed.
        format: Name of the format where detection is not wanted.
        others: Formats beside those of `indexer.readers.formats`, which are asked first.
        processes: How many may read one large file of JSON lines. With several, the program's main module has to be
            importable (`if __name__ == "__main__"`), as `multiprocessing` asks.
        untitled: Hand on works without title and abstract, too, that have a DOI, an arXiv id or a PMID: what is to be
            looked for. Goes with one process.

    Raises:
        SourceError: A source is missing, damaged, or in no known format; or `format` is unknown.
        RecordError: A record is malformed and `strict` is set.
    """
    forced = next((reader for reader in others if reader.name == format), None)
    if format and forced is None:
        forced = find_reader(format)
    check_sources(sources)
    reading = _Reading(strict, untitled, processes, ReadReport() if report is None else report)
    return _read(sources, reading, forced, others, report is None)


def _read(
    sources: Sequence[str], reading: "_Reading", forced: Reader | None, others: Sequence[Reader], logs: bool
) -> Iterator[Paper]:
    """See `read_papers`; `logs` what was passed over."""
    report = reading.report
    together: dict[str, tuple[Callable[[Sequence[SourceFile]], Iterator[Found]], list[SourceFile]]] = {}
    known = False
    with ExitStack() as closing:
        cited = closing.enter_context(cited_works())
        for file in source_files(sources, closing, report):
            with file.open() as opened:
                reader = choose_reader(file, opened.head, forced, report, others)
                if reader is None:
                    opened.decoder.replaced = 0  # of a PDF or picture in the folder nothing was to be read
                    continue
                known = True
                report.formats[reader.name] += 1
                if reader.read_together is not None:
                    if file.once:
                        raise SourceError(f"{file.name}: {reader.name} lies in several files; name their folder")
                    opened.decoder.replaced = 0  # counted when it is read
                    together.setdefault(reader.name, (reader.read_together, []))[1].append(file)
                else:
                    yield from reading.of_file(opened, reader, cited if reader.describes_references else None)
        for read_together, files in together.values():
            yield from reading.papers("", read_together(files))
        for paper in cited.papers(report):
            report.read += 1
            yield paper
    if not known:
        problem = f" ({report.problems[0]})" if report.problems else ""
        raise SourceError(f"{', '.join(sources)}: no file in a known format{problem}")
    if logs and (report.skipped or report.skipped_files):
        _log.warning("%s: %s (%s)", ", ".join(sources), report.summary(), report.first_problem())


def papers_of_bytes(name: str, data: bytes, report: ReadReport, untitled: bool = False) -> Iterator[Paper]:
    """Papers of one file, or zip archive, that is in memory; `name` is for messages, `untitled` as of `read_papers`.

    Raises:
        SourceError: it is damaged, no format knows it, or it is read with others of its folder.
    """
    reading, known = _Reading(False, untitled, 1, report), False
    with ExitStack() as closing:
        for file in unpacked(file_of_bytes(name, data), closing):
            with file.open() as opened:
                reader = choose_reader(file, opened.head, None, report)
                if reader is not None and reader.read is not None:
                    known = True
                    yield from reading.papers(file.name, reader.read(opened))
    if not known:
        raise SourceError(f"{name}: in no format that is read by itself")


def choose_reader(
    file: SourceFile, head: Head, forced: Reader | None, report: ReadReport, others: Sequence[Reader] = ()
) -> Reader | None:
    """The reader of the file that begins with `head`; None where it holds no papers, which is noted.

    Raises:
        SourceError: The user named this very file and no format knows it.
    """
    meant = forced and (file.asked_for or forced.detect(head) or head.file_name.endswith(forced.endings))
    if meant and not head.unread:
        return forced
    if forced is None:
        reader = next((other for other in others if other.detect(head)), None) or detect_reader(head)
        if reader is not None:
            return reader
    reason = paper_advice(head)
    if forced is not None and not reason:
        reason = f"not in the format {forced.name}"
    elif not reason:
        reason = "in no known format" + (_hint(head) if file.asked_for else "")
    if file.asked_for:
        raise SourceError(f"{file.name}: {reason}")
    if not _is_companion(file.name):
        report.skip_file(Problem(file.name, "", reason))
    return None


@dataclass(frozen=True, slots=True)
class _Reading:
    """How sources are read, see `read_papers`, and what is noted of them."""

    strict: bool
    untitled: bool
    processes: int
    report: ReadReport

    def of_file(self, file: TextFile, reader: Reader, aside: CitedWorks | None) -> Iterator[Paper]:
        """The papers of a file, or none where they are set `aside`."""
        if self.processes > 1 and reader.by_line(file.head):
            from indexer.readers.parts import papers_by_line  # multiprocessing: who asks reads no large files

            yield from papers_by_line(file, reader, self.strict, self.report, self.processes)
        elif reader.read is not None:
            yield from self.papers(file.name, reader.read(file), aside)
        for said in filter(None, (file.said, reader.said(file.head))):
            self.report.tell(Problem(file.name, "", said))

    def papers(self, name: str, found: Iterator[Found], aside: CitedWorks | None = None) -> Iterator[Paper]:
        """The same of what a format found in the file of that name."""
        for paper, raw in cleaned(name, found, self.strict, self.report, self.untitled):
            if aside is not None:
                aside.add(paper, raw)
            else:
                self.report.read += 1
                yield paper


def _is_companion(name: str) -> bool:
    path = "/" + name.replace("\\", "/")
    return any(fnmatch(path, "*/" + pattern) for reader in readers() for pattern in reader.companions)


def _hint(head: Head) -> str:
    """What may help with a file whose content no format knows: its ending may say what it should be."""
    meant = [reader.name for reader in readers() if head.file_name.endswith(reader.endings)]
    if b"\0" in head.data or not 0 < len(meant) <= _FEW_FORMATS:
        return "; docs/formats.md lists what is read"
    return f"; if it is {' or '.join(meant)} all the same, `index`, `add` and `encode` read it so with --format"
