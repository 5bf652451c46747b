"""An index that follows a part of Zotero: what is new or changed there is added, what is gone there is removed.

What the index has of Zotero is written down beside its generations, after they are served: whoever is killed in between
reads some items once more.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson

from common.errors import FetchError, os_errors
from common.files import write_atomically
from fetch.zotero.api import ADDRESS, LocalApi
from fetch.zotero.database import Database
from fetch.zotero.library import Part
from indexer.changes import add_papers, remove_papers
from indexer.generations import open_generation, served_manifest
from indexer.layout import FOLLOWED
from indexer.paper import Paper
from indexer.readers.fields import cleaned
from indexer.readers.report import ReadReport
from indexer.readers.zotero_items import zotero_paper


@dataclass(frozen=True, slots=True)
class Followed:
    """What an index has of Zotero."""

    part: Part
    database: str = ""  # absolute path of zotero.sqlite; "" for the running program
    address: str = ADDRESS  # of its API
    stamps: dict[str, str] = field(default_factory=dict)  # of the items that were read

    def library(self) -> LocalApi | Database:
        """The part of Zotero itself."""
        if self.database:
            return Database(self.part, Path(self.database))
        return LocalApi(self.part, self.address)


@dataclass(frozen=True, slots=True)
class Synced:
    """What a sync did, in papers."""

    added: int = 0
    changed: int = 0
    removed: int = 0

    @property
    def anything(self) -> bool:
        """Whether the index changed."""
        return bool(self.added or self.changed or self.removed)


def papers_of(library: LocalApi | Database, keys: list[str] | None, report: ReadReport) -> Iterator[Paper]:
    """The papers among these items, or among all; an item that describes none is counted in `report`."""
    items = ((str(item.get("key")), item) for item in library.items(keys))
    found = filter(None, (zotero_paper(f"item {key}", item, key) for key, item in items))
    for paper, _ in cleaned("Zotero", found, False, report):
        report.read += 1
        yield paper


def follow(followed: Followed | None, directory: Path) -> None:
    """Write down what the index in `directory` has of Zotero; None for nothing.

    Raises:
        FetchError: it cannot be written.
    """
    path = directory / FOLLOWED
    with os_errors(FetchError, f"write {path}"):
        if followed is None:
            path.unlink(missing_ok=True)
            return
        write_atomically(path, orjson.dumps(asdict(followed), option=orjson.OPT_INDENT_2))


def followed_by(directory: Path) -> Followed:
    """What the index in `directory` has of Zotero.

    Raises:
        FetchError: it was not made from Zotero, or what is written down is damaged.
        IndexDirectoryError: there is no index.
    """
    path = directory / FOLLOWED
    try:
        record: dict[str, Any] = orjson.loads(path.read_bytes())
        return Followed(**{**record, "part": Part(**record["part"])})
    except FileNotFoundError:
        served_manifest(directory)
        raise FetchError(f"{directory} follows no Zotero library: make it with `citescout index zotero`") from None
    except (OSError, ValueError, TypeError, KeyError):
        raise FetchError(f"{path} is damaged: run `citescout index zotero` again") from None


def sync(directory: Path, report: ReadReport) -> Synced:
    """Bring the index in `directory` up to date with its part of Zotero; nothing is written where nothing changed.

    Raises:
        FetchError: Zotero cannot be read, or the index follows none.
        CitescoutError: the index cannot be changed.
    """
    followed = followed_by(directory)
    library = followed.library()
    stamps = library.stamps()
    if stamps == followed.stamps:
        return Synced()
    if not stamps:
        raise FetchError(
            f"Zotero shows no item in {followed.part}, where there were {len(followed.stamps):,}: "
            "is it the right library? Nothing was removed; where that is meant, make the index again"
        )
    fresh = sorted(key for key, stamp in stamps.items() if followed.stamps.get(key) != stamp)
    added = changed = 0
    papers = list(papers_of(library, fresh, report)) if fresh else []
    if papers:
        counts = add_papers(papers, directory, lambda: report.skipped).papers
        added, changed = counts.added, counts.replaced + counts.updated
    gone = _indexed(directory, sorted(followed.stamps.keys() - stamps.keys()))
    if gone:
        remove_papers(gone, directory)
    follow(Followed(followed.part, followed.database, followed.address, stamps), directory)
    return Synced(added, changed, len(gone))


def _indexed(directory: Path, ids: list[str]) -> list[str]:
    """Those of the ids that are in the index."""
    if not ids:
        return []
    with open_generation(directory) as generation:
        return sorted(generation.catalog.docids(ids))
