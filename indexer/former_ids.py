"""Ids that papers had in the index before: keys of entries change, and what people wrote and kept has the old ones."""

from collections import defaultdict
from contextlib import closing
from pathlib import Path

from common.errors import IndexDirectoryError
from common.sequences import batches
from indexer.catalog import Catalog
from indexer.catalog_writing import add_other_ids
from indexer.duplicates import known_records
from indexer.generations import open_generation
from indexer.identity.identifiers import is_digest_id
from indexer.identity.keys import keys_of
from indexer.paper import Paper

_BATCH = 1000


def keep_former_ids(catalog: Path, directory: Path) -> None:
    """Have the papers of a catalog that was just built answer to the ids that they have in the served generation, too.

    This is for ids that change: keys of entries, and ids that are made of the paper, such as a digest of its title in
    whose place its DOI came. An id that another paper has now is not kept.
    """
    try:
        with open_generation(directory) as served:
            former = _former_ids(served.catalog, catalog)
    except IndexDirectoryError:
        return  # none there, or a damaged one, which the build replaces
    add_other_ids(former, catalog)


def _former_ids(served: Catalog, path: Path) -> dict[int, set[str]]:
    """By docid of the catalog at `path`, the ids that its paper had."""
    former: dict[int, set[str]] = defaultdict(set)
    with closing(Catalog(path)) as built:
        for papers in batches(served.papers_by_keys(), _BATCH):
            # Beside those of records that were merged into it there may be their DOIs.
            ids = {paper.id: [paper.id, *(id_ for id_ in paper.other_ids if _is_id(id_))] for paper in papers}
            taken = built.docids(id_ for own in ids.values() for id_ in own)
            for paper in papers:
                old = [id_ for id_ in ids[paper.id] if id_ not in taken]
                found = known_records(built, paper) if old else []
                if found and _is_by_key(found[0]):
                    former[built.docids([found[0].id])[found[0].id]].update(old)
    return former


def _is_id(text: str) -> bool:
    return not keys_of(Paper(text, ""))


def _is_by_key(paper: Paper) -> bool:
    """Whether its id is of a bibliography, or was made of it; that of an item in Zotero follows the item instead."""
    return paper.original is not None or is_digest_id(paper.id) or paper.id == paper.doi != ""
