"""Works that papers describe rather than name, found in the index that the papers are added to.

`indexer.readers.cited` looks among what is read with them; an update of a few records would lose what was found then.
"""

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from common.names import parse_name
from common.sequences import batches
from indexer.catalog import Catalog
from indexer.identity.agreement import paper_described, shared_title_holds
from indexer.identity.references import Reference, described
from indexer.links import HashedNames
from indexer.outside import OutsideWorks
from indexer.paper import Imprint, Paper
from indexer.readers.cited import normal_place, same_family

_BATCH = 1_000  # papers


def citing_known(papers: Iterable[Paper], catalog: Catalog, first: int = 0) -> Iterator[Paper]:
    """The papers, citing the papers of the catalog by their ids where they describe them.

    These are found by a title, or else by year, volume, first page and first author; by the latter from docid `first`
    on. Years and first authors must agree as for a bibliography, and one paper alone may fit.
    """
    places: _Places | None = None
    for paper in papers:
        works = {cited: work for cited in paper.citations if (work := described(cited))}
        found = _found(works, catalog) if works else {}
        left = {name: work for name, work in works.items() if name not in found and all(_place(work))}
        if left:
            places = places or _Places(catalog, first)
            found |= places.found(left)
        yield paper.citing(found.get(name, name) for name in paper.citations) if found else paper


def citing_later(before: Catalog, outside: OutsideWorks, catalog: Catalog, first: int) -> Iterator[Paper]:
    """Papers of `before` that describe what the catalog has from docid `first` on, citing it by its id.

    `outside` are the works that the papers of `before` cite beside them.
    """
    works = np.zeros(0, np.int64)
    for added in batches(catalog.all_papers(first), _BATCH):
        descriptions = chain.from_iterable(map(_descriptions, added))
        works = np.union1d(works, outside.numbers(filter(None, (work.citation() for work in descriptions))))
    citing = np.unique(outside.graph.cited_by.of_all(works)[1])
    for some in batches(citing.tolist(), _BATCH):
        papers = catalog.papers([*catalog.docids(before.ids(some)).values()])
        for paper, found in zip(papers, citing_known(papers, catalog, first), strict=True):
            if found.citations != paper.citations:
                yield found


def _descriptions(paper: Paper) -> Iterator[Reference]:
    """What references may say of a paper: its title, or as much of it as stands before a comma, or its place."""
    beginning, _, rest = paper.title.partition(", ")
    yield from (Reference(title=title) for title in Reference(title=beginning, rest=rest).titles())
    imprint, author = paper.imprint or Imprint(), parse_name(next(iter(paper.authors), ""))
    yield Reference(
        author=f"{author.surname}, {author.given}" if author.surname else "",
        year=str(paper.year or ""),
        volume=normal_place(imprint.volume),
        page=normal_place(imprint.page),
    )


def _place(work: Reference) -> tuple[str, str, str]:
    return work.year, work.volume, work.page


class _Places:
    """The papers of a catalog by year, volume and first page.

    Entries of bibliographies that are kept have theirs in the entry and are left out.
    """

    def __init__(self, catalog: Catalog, first: int) -> None:
        self._known = HashedNames.of(
            ((str(year), normal_place(imprint.volume), normal_place(imprint.page)), docid)
            for docid, year, imprint in catalog.all_imprints(first)
        )
        self._catalog = catalog

    def found(self, works: dict[str, Reference]) -> dict[str, str]:
        """The id of the paper that each work is, whose first author must be the same; none where these are several."""
        found = {}
        wanted = [hash(_place(work)) for work in works.values()]
        starts, ends = (np.searchsorted(self._known.hashes, wanted, side) for side in ("left", "right"))
        for (name, work), start, end in zip(works.items(), starts, ends, strict=True):
            there = self._catalog.papers(self._known.papers[start:end]) if end > start else []
            if paper := paper_described([one for one in there if same_family(work.author, *one.authors[:1])]):
                found[name] = paper.id
        return found


def _found(works: dict[str, Reference], catalog: Catalog) -> dict[str, str]:
    """The id of the paper that each description fits; those that fit none, or several, are left out."""
    titles = {name: work.title_keys() for name, work in works.items()}
    docids = catalog.docids_by_key(key for keys in titles.values() for key in keys)
    found = {}
    for name, keys in titles.items():
        for key in filter(docids.get, keys):
            work = works[name].paper()
            fitting = [paper for paper in catalog.papers(docids[key]) if shared_title_holds(work, paper)]
            if paper := paper_described(fitting):
                found[name] = paper.id
                break
    return found
