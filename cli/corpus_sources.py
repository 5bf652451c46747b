"""The bibliography that a corpus is built around: files, manuscripts, Zotero, DOIs and PMIDs → entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from common.errors import SourceError

if TYPE_CHECKING:
    from fetch.corpus.resolving import Entry
    from indexer.paper import Paper
    from indexer.readers import ReadReport

_HEAD = 1 << 20  # bytes


def whole(origin: str) -> str:
    """An origin as it is kept: a file or folder by its whole path, anything else as it is.

    Raises:
        SourceError: it is neither a file, nor a DOI, PMID or arXiv id, nor Zotero.
        UnicodeEncodeError: its path is not UTF-8, and cannot be kept.
    """
    from fetch.zotero.library import Part
    from indexer.readers.source import check_named

    check_named(origin)
    if Path(origin).exists():
        path = str(Path(origin).absolute())
        path.encode()
        return path
    if _named(origin) is None and Part.named(origin) is None:
        raise SourceError(f"{origin}: no such file or folder, and no DOI, PMID, arXiv id or zotero")
    return origin


def entries_of(origins: Sequence[str], zotero_database: str, zotero_url: str, report: ReadReport) -> list[Entry]:
    """All entries of the origins, in their order; one that is named twice comes once.

    Raises:
        CitescoutError: an origin cannot be read, or has no entries.
    """
    from indexer.identity.agreement import unlike

    entries: dict[str, Entry] = {}
    for entry in _all(origins, zotero_database, zotero_url, report):
        before = entries.setdefault(entry.identity, entry)
        if unlike(before.paper, entry.paper):
            apart = replace(entry, shares=True)
            entries.setdefault(apart.identity, apart)
    return list(entries.values())


def _all(origins: Sequence[str], database: str, url: str, report: ReadReport) -> Iterator[Entry]:
    from cli.zotero_source import parted
    from fetch.corpus.resolving import Entry
    from indexer.paper import Paper
    from manuscripts import read_manuscript
    from manuscripts.holding import holds_manuscript

    rest = []
    for origin in origins:
        path = Path(origin)
        if path.exists() and holds_manuscript(path):
            for cited in read_manuscript(path, part=True).entries:
                yield Entry(cited.key, cited.readings or (Paper(cited.key, ""),))
        elif not path.exists() and (named := _named(origin)) is not None:
            yield Entry(origin, (named,))
        elif path.is_file() and (ids := _list_of_ids(path)):
            yield from (Entry(id_, (named,)) for id_ in ids if (named := _named(id_)))
        else:
            rest.append(origin)
    if rest:
        for paper in parted(rest, database, url).papers(report, False, None):
            yield Entry(paper.id, (paper,))


def _named(text: str) -> Paper | None:
    """The paper of a DOI, a PMID or an arXiv id; None for anything else."""
    from indexer.identity.identifiers import bare_pmid
    from indexer.identity.keys import paper_from_text

    if pmid := bare_pmid(text):
        text = f"PMID:{pmid}"  # one word, so that it is no title
    paper = paper_from_text(text)
    return paper if (paper.doi or paper.arxiv or paper.url) and not paper.title else None


def _list_of_ids(path: Path) -> Sequence[str]:
    from indexer.identity.identifiers import listed_ids
    from indexer.readers.source import file_named

    with file_named(path).open() as file:
        data = file.body.read(_HEAD)
        try:
            if len(data) == _HEAD:  # other files may be of any size: only a list is read to its end
                if not listed_ids(data.rpartition(b"\n")[0].decode()):
                    return ()
                data += file.body.read()
            return listed_ids(data.decode())
        except SourceError as error:
            raise SourceError(f"{path}, {error}") from None
