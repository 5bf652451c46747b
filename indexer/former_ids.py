"""Ids that papers had in the index before: keys of entries change, and what people wrote and kept has the old ones."""

import re
from collections import defaultdict
from contextlib import closing
from itertools import chain
from pathlib import Path

from common.errors import IndexDirectoryError
from common.sequences import batches
from indexer.catalog import Catalog
from indexer.catalog_writing import add_other_ids
from indexer.duplicates import docids_now
from indexer.generations import open_generation
from indexer.identity.identifiers import is_digest_id
from indexer.identity.keys import keys_of
from indexer.layout import LAYOUT
from indexer.paper import Paper

_BATCH = 1000
_KEY = re.compile("(?:doi|arxiv|pmid):")  # of records that were merged into a paper, which stands beside their ids


def keep_former_ids(catalog: Path, directory: Path) -> None:
    """Have the papers of a catalog that was just built answer to the ids that they have in the served generation, too.

    This is for ids that change: keys of entries, and ids that are made of the paper, such as a digest of its title in
    whose place its DOI came. An id that another paper has now is not kept.
    """
    try:
        with open_generation(directory) as served:
            served.manifest.check_file(served.folder, LAYOUT.catalog)
            former = _former_ids(served.catalog, catalog)
    except IndexDirectoryError:
        return  # none there, or a damaged one, which the build replaces
    add_other_ids(former, catalog)


def _former_ids(served: Catalog, path: Path) -> dict[int, set[str]]:
    """By docid of the catalog at `path`, the ids that its paper had and that no paper has now."""
    former: dict[int, set[str]] = defaultdict(set)
    with closing(Catalog(path)) as built:
        for some in batches(served.ids_that_may_change(), _BATCH):
            ids = {docid: [id_ for id_ in own if not _KEY.match(id_)] for docid, own in some}
            taken = built.docids(chain.from_iterable(ids.values()))
            lost = {docid: old for docid, own in ids.items() if (old := [id_ for id_ in own if id_ not in taken])}
            now = docids_now(built, served.papers([*lost]))
            found = sorted({docid for docid in now if docid is not None})
            papers = dict(zip(found, built.papers(found), strict=True))
            for docid, old in zip(now, lost.values(), strict=True):
                if docid is not None and _is_by_key(papers[docid]):
                    others = papers[docid].other_ids
                    former[docid].update(id_ for id_ in old if id_ not in others and _names_no_other(id_, docid, built))
    return {docid: more for docid, more in former.items() if more}


def _names_no_other(id_: str, docid: int, built: Catalog) -> bool:
    """Whether an id is not the DOI, arXiv id or PMID of another paper, which had a wrong one in the index before."""
    bearing = built.docids_by_key(map(str, keys_of(Paper(id_, ""))))
    return {docid}.issuperset(chain.from_iterable(bearing.values()))


def _is_by_key(paper: Paper) -> bool:
    """Whether its id is of a bibliography, or was made of it; that of an item in Zotero follows the item instead."""
    return paper.original is not None or is_digest_id(paper.id) or paper.id == paper.doi != ""
