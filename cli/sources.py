"""Sources: options that say how they are read, what is reported of it, and that none of them is written over."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from os.path import normpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.options import OUTPUT_FILE, with_options
from common.errors import CitescoutError, EmptyIndexError, SourceError
from common.text import encodable, name_of, one_line
from common.words import counted, listed

if TYPE_CHECKING:
    from indexer.merging import MergeReport
    from indexer.readers import ReadReport
    from manuscripts import Manuscript

_SHOWN = 10  # problems, or references that were not found
_SHOWN_PAIRS = 5  # of ids of one paper

# How sources are read.
reading_options = with_options(
    click.option(
        "--format",
        "format_name",
        metavar="NAME",
        help="Format of the sources, such as bibtex; detected from content without it.",
    ),
    click.option("--strict", is_flag=True, help="Stop at the first malformed record instead of skipping it."),
)
_merging = with_options(
    click.option(
        "--merge-duplicates",
        is_flag=True,
        help="Make one record of all that share an id, DOI, arXiv id, PMID, or title, year and first author.",
    ),
    click.option(
        "--report",
        "report_path",
        type=OUTPUT_FILE,
        help="With --merge-duplicates: file for the groups that were merged, as JSON lines.",
    ),
)


@dataclass(frozen=True, slots=True)
class Duplicates:
    """What becomes of several records of one paper."""

    merging: MergeReport | None  # of what is merged; None where they stay
    path: Path | None  # of the file for it

    def tell(self, directory: Path, command: str, first: int = 0) -> None:
        """Tell what was merged, and write it down where that is asked for.

        Where they stay: which papers from docid `first` on are there under another id, and how to join them.
        """
        from indexer.duplicates import other_records
        from indexer.generations import open_generation
        from indexer.merging import write_report

        if self.merging:
            click.echo(self.merging.summary(), err=True)
            if self.path:
                write_report(self.merging, self.path)
            return
        with open_generation(directory) as generation:
            found = other_records(generation.catalog, first)
        if found:
            papers = counted(len(found), "paper is", "papers are")
            pairs = listed([f"{id_} as {other}" for id_, other in found.items()], _SHOWN_PAIRS)
            advice = f"`citescout {command} --merge-duplicates` of the same sources joins them"
            click.echo(f"{papers} there under another id, too ({pairs}): {advice}", err=True)


def merge_options(command: Callable[..., None]) -> Callable[..., None]:
    """A command that may merge duplicates among its `sources`; it gets `duplicates`."""

    @wraps(command)
    def with_duplicates(
        *, sources: tuple[str, ...], merge_duplicates: bool, report_path: Path | None, **others: Any
    ) -> None:
        from indexer.merging import MergeReport

        if report_path and not merge_duplicates:
            raise click.UsageError("--report goes with --merge-duplicates")
        keep_what_is_read(report_path, sources)
        command(
            sources=sources, duplicates=Duplicates(MergeReport() if merge_duplicates else None, report_path), **others
        )

    return _merging(with_duplicates)


def report_problems(report: ReadReport) -> None:
    """Tell on standard error what of the sources was left out, cut or replaced, if anything was."""
    if found := report.references_found():
        click.echo(found, err=True)
    if report.problems or report.truncated or report.mended:
        click.echo(report.summary(), err=True)
    verbose = logging.getLogger().isEnabledFor(logging.INFO)
    hint = "" if verbose else "; `citescout -v`, before the command, names more of them"
    kept = len(report.problems)
    echo_first(report.problems, kept if verbose else _SHOWN, hint, report.found - kept)


def echo_first(lines: Sequence[object], most: int = _SHOWN, hint: str = "", others: int = 0) -> None:
    """The first lines on standard error, and how many more there are, with `others` that are not among them."""
    for line in lines[:most]:
        click.echo(f"  {one_line(encodable(str(line)))}", err=True)
    if more := len(lines[most:]) + others:
        click.echo(f"  and {more:,} more{hint}", err=True)


@contextmanager
def emptiness_explained(report: ReadReport) -> Iterator[None]:
    """Say of an index that would have no paper why the sources give none."""
    try:
        yield
    except EmptyIndexError as error:
        raise EmptyIndexError(f"{error}{report.why_nothing()}") from None


def main_file(_context: click.Context, _parameter: click.Parameter, source: str | None) -> str | None:
    """A manuscript as it is named; of a chapter in LaTeX the main file that it says it is part of, which is said."""
    from manuscripts.formats import TEX

    path = Path(source or "")
    if not (path.suffix.lower() in TEX and path.is_file() and os.access(path, os.R_OK)):
        return source
    from manuscripts.roots import root_named  # of no use to other queries

    named = root_named(path.read_text(errors="replace"))
    main = Path(normpath(path.parent / named)) if named else path
    if not main.is_file() or main.samefile(path):
        return source
    click.echo(f"{name_of(str(path))} is part of {main}, which is read", err=True)
    return str(main)


def keep_what_is_read(
    out: Path | None, sources: Iterable[object], manuscript: Manuscript | None = None, advice: str = ""
) -> None:
    """Refuse to write over a file that is read: a source, a file of a folder of papers, or one of the manuscript.

    `advice` is what to do rather than to choose another file. What is no path among the sources is passed over.

    Raises:
        SourceError: the output would replace it.
    """
    if out is None or not out.exists():
        return
    from eval.corpora import TEST_IDS, papers_beside
    from indexer.readers.source import named_files

    named = [Path(source) for source in sources if isinstance(source, str | Path) and os.access(source, os.F_OK)]
    if manuscript:
        read = [*files_of(manuscript, named), *named]
    else:
        read = [Path(file.name) for file in named_files(list(map(str, named)))]
        read += [papers for one in named if one.name.endswith(TEST_IDS) and (papers := papers_beside(one))]
    if any(path.is_file() and path.samefile(out) for path in read):
        raise SourceError(f"cannot write {out}: it is one of the files that are read; choose another{advice}")


def files_of(manuscript: Manuscript, sources: Iterable[Path], outside: bool = False) -> list[Path]:
    """The files that a manuscript, at one of the sources, is known to have, or only those `outside` of its folder."""
    entries = (*manuscript.entries, *(manuscript.beside or ()))
    places = (one.place for some in (entries, manuscript.sentences()) for one in some)
    files = {place.file for place in places if place and place.file} | {one.path for one in manuscript.bibtex}
    files = {file for file in files if file.startswith("../") or not outside}
    return [(one if one.is_dir() else one.parent) / file for one in sources for file in files]


def keep_drafts(out: Path | None, sources: Iterable[str]) -> None:
    """The same where each source may be a manuscript, which is read only where the output lies beside its files.

    Raises:
        SourceError: the output would replace a file of one.
    """
    from manuscripts import read_manuscript
    from manuscripts.holding import holds_manuscript

    for path in map(Path, sources):
        folder = path if path.is_dir() else path.parent
        if out is not None and path.exists() and out.resolve().is_relative_to(folder.resolve()):
            try:
                manuscript = read_manuscript(path, part=True) if holds_manuscript(path) else None
            except CitescoutError:  # of which those who read it speak
                manuscript = None
            keep_what_is_read(out, [path], manuscript)
