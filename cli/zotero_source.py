"""Zotero among the sources of `citescout index`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cli.options import FILE

if TYPE_CHECKING:
    from fetch.zotero.syncing import Followed
    from indexer.paper import Paper
    from indexer.readers import ReadReport

# Both are kept with an index, the file by its whole path; "" where they are not given.
database_option = click.option(
    "--zotero-database",
    type=FILE,
    callback=lambda _context, _parameter, path: str(path.absolute()) if path else "",
    help="With the source zotero: a zotero.sqlite to read, from a copy, instead of the running program.",
)
address_option = click.option("--zotero-url", default="", envvar="CITESCOUT_ZOTERO_URL", hidden=True)


@dataclass(frozen=True, slots=True)
class Sources:
    """The files among the sources, and the part of Zotero that is named among them."""

    files: tuple[str, ...]
    zotero: Followed | None

    def papers(self, report: ReadReport, strict: bool, format_name: str | None) -> Iterator[Paper]:
        """All papers, those of the files first."""
        from common.cpu import usable_cores
        from fetch.zotero.syncing import papers_of
        from indexer.readers import read_papers
        from manuscripts.pdf_papers import PDFS

        if self.files:
            yield from read_papers(
                self.files,
                strict=strict,
                report=report,
                format=format_name,
                others=(PDFS,),
                processes=usable_cores(),
            )
        if self.zotero:
            yield from papers_of(self.zotero.library(), list(self.zotero.stamps), report)


def parted(sources: Sequence[str], database: str, address: str, merge: bool = False) -> Sources:
    """What is named, after a look at Zotero where that is; `merge` says whether records of one paper become one.

    Raises:
        click.UsageError: several parts of Zotero are named, or a database without any.
        CitescoutError: Zotero cannot be read, or a file is missing.
    """
    from fetch.zotero.api import ADDRESS
    from fetch.zotero.library import Part
    from fetch.zotero.syncing import Followed
    from indexer.readers.source import check_sources

    parts = {source: part for source in sources if not Path(source).exists() and (part := Part.named(source))}
    if len(parts) > 1:
        raise click.UsageError(f"one part of Zotero at a time, not {' and '.join(parts)}")
    if database and not parts:
        raise click.UsageError("--zotero-database goes with the source zotero")
    files = tuple(source for source in sources if source not in parts)
    if files:
        check_sources(files)
    zotero = None
    for part in parts.values():
        zotero = Followed(part, database, address or ADDRESS)
        # Before the items are read: what changes meanwhile is read again by the next sync.
        library = zotero.library()
        stamps = library.stamps()
        zotero = replace(zotero, part=library.part, stamps=stamps, merge=merge)
    return Sources(files, zotero)
