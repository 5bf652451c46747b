"""The bibliography that a corpus is built around: files, manuscripts, Zotero and DOIs → entries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from common.errors import SourceError

if TYPE_CHECKING:
    from fetch.corpus.resolving import Entry
    from indexer.paper import Paper
    from indexer.readers import ReadReport


def whole(origin: str) -> str:
    """An origin as it is kept: a file or folder by its whole path, anything else as it is.

    Raises:
        SourceError: it is neither a file, nor a DOI or arXiv id, nor Zotero.
    """
    from fetch.zotero.library import Part

    if Path(origin).exists():
        return str(Path(origin).absolute())
    if _named(origin) is None and Part.named(origin) is None:
        raise SourceError(f"{origin}: no such file or folder, and no DOI, arXiv id or zotero")
    return origin


def entries_of(
    origins: Sequence[str], zotero_database: Path | None, zotero_url: str | None, report: ReadReport
) -> list[Entry]:
    """All entries of the origins, in their order; one that is named twice comes once.

    Raises:
        CitescoutError: an origin cannot be read, or has no entries.
    """
    entries: dict[str, Entry] = {}
    for entry in _all(origins, zotero_database, zotero_url, report):
        entries.setdefault(entry.identity or entry.key, entry)
    return list(entries.values())


def _all(origins: Sequence[str], database: Path | None, url: str | None, report: ReadReport) -> Iterator[Entry]:
    from cli.zotero_source import parted
    from fetch.corpus.resolving import Entry
    from manuscripts import read_manuscript
    from manuscripts.packing import holds_manuscript

    rest = []
    for origin in origins:
        path = Path(origin)
        if path.exists() and holds_manuscript(path):
            for cited in read_manuscript(path).entries:
                yield Entry(cited.key, cited.readings or (_nameless(cited.key),))
        elif not path.exists() and (named := _named(origin)) is not None:
            yield Entry(origin, (named,))
        elif path.is_file() and (dois := _list_of_dois(path)):
            yield from (Entry(doi, (named,)) for doi in dois if (named := _named(doi)))
        else:
            rest.append(origin)
    if rest:
        for paper in parted(rest, database, url).papers(report, False, None):
            yield Entry(paper.id, (paper,))


def _named(text: str) -> Paper | None:
    """The paper of a DOI or an arXiv id; None for anything else."""
    from indexer.identity.keys import paper_from_text

    paper = paper_from_text(text)
    return paper if (paper.doi or paper.arxiv) and not paper.title else None


def _list_of_dois(path: Path) -> Sequence[str]:
    """The DOIs of a file that holds one a line and nothing else; none where it is in a format of papers."""
    from common.errors import FetchError
    from fetch.selection import checked_dois

    with path.open("rb") as file:
        lines = file.read(1 << 20).decode("utf-8", "replace").splitlines()
    lines = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    try:
        return checked_dois(lines)
    except FetchError:
        return ()


def _nameless(key: str) -> Paper:
    from indexer.paper import Paper

    return Paper(key, "")
