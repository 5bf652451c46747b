"""How an index was brought together, kept beside its generations: `citescout corpus update` needs nothing else.

It is written among the answers first, and beside the index once that is served: what a command that was killed in
between had brought is known, too. Keys of APIs and addresses of people are never written down.
"""

import shutil
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import orjson

from common.errors import FetchError, IndexDirectoryError, os_errors
from common.files import write_atomically
from common.words import counted
from indexer.directory import read_current, refuse_other_content
from indexer.generations import open_generation, served_manifest
from indexer.layout import FETCHED, RECIPE

_VERSION = 1


@dataclass(frozen=True, slots=True)
class Known:
    """An entry, as it was looked up last."""

    key: str  # as its owner calls it
    identity: str  # what distinguishes it from other entries (`Entry.identity`)
    title: str
    id: str = ""  # of its paper in the index; "" where it was not found
    how: str = ""  # doi, pmid, arxiv, title, preprint
    why: str = ""  # it was not found


@dataclass(frozen=True, slots=True)
class Recipe:
    """What a corpus was made of, and how."""

    origins: tuple[str, ...]  # files and folders with their whole paths, DOIs, parts of Zotero
    source: str  # that works are looked up at
    base_urls: dict[str, str]  # of the APIs that are not at their usual address
    size: int  # papers that were wanted
    calls: int  # requests that were allowed
    encoder: str | None
    built: str  # date, UTC
    updated: str  # date, UTC: what came later is not in the index
    zotero_database: str = ""
    zotero_url: str = ""
    complete: bool = True  # False where requests ran out before there were `size` papers
    entries: tuple[Known, ...] = field(default_factory=tuple)
    brought: tuple[str, ...] = ()  # ids of all papers that ever were; what its owner removed is not brought again

    def write(self, directory: Path) -> None:
        """Put it into the index directory.

        Raises:
            FetchError: it cannot be written.
        """
        path = directory / RECIPE
        with os_errors(FetchError, f"write {path}"):
            write_atomically(path, orjson.dumps({"version": _VERSION, **asdict(self)}, option=orjson.OPT_INDENT_2))


def recipe_of(directory: Path) -> Recipe:
    """The recipe of an index.

    Raises:
        FetchError: it has none, or a damaged one.
        IndexDirectoryError: there is no index.
    """
    path = directory / RECIPE
    try:
        record: dict[str, Any] = orjson.loads(path.read_bytes())
        if record.pop("version") != _VERSION:
            raise ValueError
        record["entries"] = [Known(**entry) for entry in record["entries"]]
        record |= {name: tuple(record[name]) for name in ("origins", "entries", "brought") if name in record}
        return Recipe(**record)
    except FileNotFoundError:
        served_manifest(directory)
        raise FetchError(
            f"{directory} was not made by `citescout corpus build`: build it so, or add papers with `citescout add`"
        ) from None
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        raise FetchError(f"{path} is damaged: build the corpus again, in another folder") from None


def check_replaceable(directory: Path) -> None:
    """Raise where a build would replace what no `corpus` command has brought.

    Raises:
        IndexDirectoryError: the folder has other content, another index, or papers in it that were added.
        FetchError: a recipe is damaged.
    """
    with os_errors(IndexDirectoryError, f"read {directory}"):
        refuse_other_content(directory)
        if not read_current(directory):
            return
        recipes = [recipe_of(place) for place in (directory, directory / FETCHED) if (place / RECIPE).exists()]
    if not recipes:
        made = f"{directory} holds an index that `citescout corpus build` did not make and would replace"
        raise IndexDirectoryError(f"{made}: choose another folder, or delete that one first")
    brought = {id_ for recipe in recipes for id_ in recipe.brought}
    added: list[str] = []
    with suppress(IndexDirectoryError), open_generation(directory) as generation:  # a damaged one may be replaced
        papers = generation.catalog.all_papers()
        added.extend(paper.id for paper in papers if brought.isdisjoint((paper.id, *paper.other_ids)))
    if added:
        there = counted(len(added), "paper that was", "papers that were")
        raise IndexDirectoryError(
            f"{directory} holds {there} added to the corpus and would be lost, such as {added[0]}: bring it up to date "
            "with `citescout corpus update`, or choose another folder"
        )


def forget_recipe(directory: Path) -> None:
    """The index is of something else from now on.

    Raises:
        FetchError: the recipe cannot be removed.
    """
    path = directory / RECIPE
    with os_errors(FetchError, f"remove {path}"):
        path.unlink(missing_ok=True)
        shutil.rmtree(directory / FETCHED, ignore_errors=True)
