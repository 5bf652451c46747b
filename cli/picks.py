"""Where recommended papers go beside the list: into a bibliography, into a running Zotero."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cli.options import OUTPUT_FILE, with_options
from cli.zotero_source import address_option
from common.errors import FetchError

if TYPE_CHECKING:
    from citescout.recommendation import Recommendation
    from indexer.identity.holdings import Holdings
    from indexer.paper import Paper

_WITH_ABSTRACTS = "csl-json"  # for papers that are no entries of somebody's own

picks_options = with_options(
    click.option(
        "--append-to",
        type=OUTPUT_FILE,
        help="Add what is recommended to this BibTeX file, except what it has; nothing else of it changes.",
    ),
    click.option(
        "--to-zotero",
        is_flag=True,
        help="Save what is recommended in Zotero, which has to run, except what its library has.",
    ),
    click.option(
        "--zotero-collection",
        metavar="NAME",
        help="With --to-zotero: the collection to save in, by its name; else what is selected in Zotero.",
    ),
    address_option,
)


def takers_of(options: dict[str, Any], out: Path | None) -> list[Callable[[Collection[Paper]], str]]:
    """What takes the recommended papers after the list is written; the options for it are taken out of `options`.

    Each says how many it took.

    Raises:
        click.UsageError: options do not go together.
        SourceError: the bibliography cannot be added to.
        FetchError: Zotero cannot be written into.
    """
    append_to, to_zotero = options.pop("append_to"), options.pop("to_zotero")
    collection, address = options.pop("zotero_collection"), options.pop("zotero_url")
    if out and (append_to or to_zotero):
        option = "--append-to" if append_to else "--to-zotero"
        raise click.UsageError(f"{option} goes with a list on standard output, not with --out")
    if collection and not to_zotero:
        raise click.UsageError("--zotero-collection goes with --to-zotero")
    takers = [_appending(append_to)] if append_to else []
    return [*takers, Zotero(address, collection).save_papers] if to_zotero else takers


def _appending(path: Path) -> Callable[[Collection[Paper]], str]:
    from exports.appending import BibtexFile

    file = BibtexFile(path)

    def append(papers: Collection[Paper]) -> str:
        added = file.add(papers)
        rest = "; the file had the others" if added < len(papers) else ""
        return f"{path}: {added:,} of {len(papers):,} added{rest}"

    return append


class Zotero:
    """A Zotero that papers are saved in."""

    def __init__(self, address: str, collection: str | None = None) -> None:
        """Look at Zotero.

        Raises:
            FetchError: it does not run, has no such collection, or cannot be written into.
        """
        from fetch.zotero.api import ADDRESS
        from fetch.zotero.connector import Connector

        self._address = address or ADDRESS
        self._connector = Connector(self._address, collection or "")

    def save(self, entries: Sequence[Recommendation]) -> str:
        """Save the papers that the library does not have, with their notes, each as it was written; says how many.

        Raises:
            FetchError: Zotero refuses them, or takes only some.
        """
        from exports import FORMATS, Answer, written
        from retrieval.query import Query

        holdings, unknown = self._holdings()
        new = set(holdings.take(entry.paper for entry in entries))
        by_format: dict[str, list[Recommendation]] = defaultdict(list)
        for entry in entries:
            if entry.paper in new:
                original = entry.paper.original
                by_format[original.format if original else _WITH_ABSTRACTS].append(entry)
        query, saved = Query(title="Zotero"), 0
        try:
            for name, some in by_format.items():
                saved += self._connector.save(written(name, [Answer(query, some)]), FORMATS[name].media_type)
        except FetchError as error:
            before = f"{saved} of {len(new)} papers are in Zotero, then: " if saved else ""
            raise FetchError(f"{before}{error}") from None
        if saved < len(new):
            raise FetchError(f"Zotero made items of only {saved} of {len(new)} papers")
        rest = "; the library had the others" if len(new) < len(entries) else ""
        return f"Zotero, {self._connector.target.name}: {len(new):,} of {len(entries):,} saved{rest}{unknown}"

    def save_papers(self, papers: Collection[Paper]) -> str:
        """`save` papers without notes."""
        from citescout.recommendation import Recommendation

        return self.save([Recommendation(rank, 0.0, paper) for rank, paper in enumerate(papers, 1)])

    def _holdings(self) -> tuple[Holdings, str]:
        """What the library has, as far as Zotero lets it be read, and what to say where it does not."""
        from fetch.zotero.api import LocalApi
        from fetch.zotero.syncing import papers_of
        from indexer.identity.holdings import Holdings
        from indexer.readers.report import ReadReport

        library = LocalApi(self._connector.target.part, self._address)
        try:
            return Holdings(papers_of(library, None, ReadReport())), ""
        except FetchError as error:
            return Holdings(), f". What it had before is not known, so papers may have come twice: {error}"
