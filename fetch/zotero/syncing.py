"""An index that follows a part of Zotero: what is new or changed there is added, what is gone there is removed.

What the index has of Zotero is written down beside its generations, after they are served: whoever is killed in between
reads some items once more.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
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
from indexer.identity.keys import id_key
from indexer.layout import FOLLOWED
from indexer.merging import MergeReport
from indexer.paper import Paper
from indexer.readers.fields import cleaned
from indexer.readers.formats.zotero import zotero_paper
from indexer.readers.report import ReadReport


@dataclass(frozen=True, slots=True)
class Followed:
    """What an index has of Zotero."""

    part: Part
    database: str = ""  # absolute path of zotero.sqlite; "" for the running program
    address: str = ADDRESS  # of its API
    stamps: dict[str, str] = field(default_factory=dict)  # of the items that were read
    merge: bool = False  # records of one paper become one
    former: list[str] = field(default_factory=list)  # items that are gone, of papers that have other records

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
    kept: int = 0  # though their items are gone: they have other records

    @property
    def anything(self) -> bool:
        """Whether there is something to say."""
        return bool(self.added or self.changed or self.removed or self.kept)


def papers_of(library: LocalApi | Database, keys: list[str] | None, report: ReadReport) -> Iterator[Paper]:
    """The papers among these items, or among all; an item that describes none is counted in `report`."""
    items = ((str(item.get("key")), item) for item in library.items(keys))
    found = filter(None, (zotero_paper(item, key, f"item {key}") for key, item in items))
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
    wanted = {key for key, stamp in stamps.items() if followed.stamps.get(key) != stamp}
    ours = {*followed.stamps, *followed.former, *stamps}
    missing = ours - stamps.keys()
    # A merged record does not tell what each item said: where Zotero has all records of a paper, those that are left
    # there are merged anew.
    touched = _records(directory, wanted | missing) if followed.merge else {}
    whole = {id_: ids for id_, ids in touched.items() if ids <= ours}
    wanted.update(*(ids & stamps.keys() for ids in whole.values()))
    papers = list(papers_of(library, sorted(wanted), report)) if wanted else []
    added = changed = 0
    kept: set[str] = set()
    read = {paper.id for paper in papers}
    missing |= wanted - read  # those that have lost title and abstract
    if papers:
        anew = {id_ for id_, ids in whole.items() if not ids.isdisjoint(read)}
        counts = add_papers(papers, directory, MergeReport() if followed.merge else None, anew).papers
        renamed = min(counts.added, len(anew - read))  # the item that gave a paper its id is gone, others are left
        added, changed = counts.added - renamed, counts.replaced + counts.updated + renamed
        kept.update(*(whole[id_] & missing for id_ in anew))
    left = _records(directory, missing)
    gone = [id_ for id_, ids in left.items() if ids <= missing]
    if gone:
        remove_papers(gone, directory)
    former = missing.intersection(chain.from_iterable(ids for ids in left.values() if not ids <= missing))
    follow(replace(followed, part=library.part, stamps=stamps, former=sorted(former)), directory)
    return Synced(added, changed, len(gone), len(followed.stamps.keys() & (kept | former)))


def _records(directory: Path, items: set[str]) -> dict[str, set[str]]:
    """Ids of the papers that have a record of these ids → ids of all their records."""
    if not items:
        return {}
    with open_generation(directory) as generation:
        catalog = generation.catalog
        merged = catalog.docids_by_key(str(id_key(item)) for item in items)
        docids = {*catalog.docids(items).values(), *chain.from_iterable(merged.values())}
        return {paper.id: {paper.id, *paper.other_ids} for paper in catalog.papers(sorted(docids))}
