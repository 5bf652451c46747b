"""Works that papers describe rather than name, found in the index that the papers are added to.

`indexer.readers.cited` looks among what is read with them; an update of a few records would lose what was found then.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from common.names import parse_name
from common.sequences import batches
from indexer.catalog import Catalog
from indexer.identity.agreement import paper_described, title_holds
from indexer.identity.keys import Key
from indexer.identity.references import Reference, described
from indexer.identity.titles import is_generic, title_key
from indexer.outside import OutsideWorks
from indexer.paper import Imprint, Paper
from indexer.readers.cited import normal_place, same_family

_BATCH = 1_000  # papers
_Place = tuple[str, str, str]  # year, volume and first page
_Places = dict[_Place, list[Paper]]


def citing_known(papers: Iterable[Paper], catalog: Catalog, others: _Places | None = None) -> Iterator[Paper]:
    """The papers, citing the papers of the catalog by their ids where they describe them by a title.

    Years and first authors must agree as for a bibliography, and one paper alone may fit. By year, volume, page and
    first author are found those that the record of the same id cites already, and `others`.
    """
    for paper in papers:
        works = {cited: work for cited in paper.citations if (work := described(cited))}
        found = _found(works, catalog) if works else {}
        if left := {name: work for name, work in works.items() if name not in found and all(_place(work))}:
            found |= _by_place(left, _places(_cited_already(paper, catalog)), others or {})
        yield paper.citing(found.get(name, name) for name in paper.citations) if found else paper


def citing_later(before: Catalog, outside: OutsideWorks, catalog: Catalog, first: int) -> Iterator[Paper]:
    """Papers of `before` that describe what the catalog has from docid `first` on, citing it by its id.

    `outside` are the works that the papers of `before` cite beside them.
    """
    docids = catalog.docids_in_id_order()
    works, placed = np.zeros(0, np.int64), []
    for some in batches(docids[docids >= first].tolist(), _BATCH):
        papers = catalog.papers(some)
        by_title = outside.numbers(filter(None, (Reference(title=paper.title).citation() for paper in papers)))
        by_place = outside.numbers(filter(None, (_in_print(paper).citation() for paper in papers)))
        works = np.union1d(works, np.concatenate([by_title, by_place]))
        if len(by_place):
            placed += [paper for paper in papers if len(outside.numbers(filter(None, [_in_print(paper).citation()])))]
    others = _places(placed)
    citing = np.unique(outside.graph.cited_by.of_all(works)[1])
    for some in batches(citing.tolist(), _BATCH):
        left = catalog.docids(before.ids(some))
        papers = catalog.papers([*left.values()])
        for paper, found in zip(papers, citing_known(papers, catalog, others), strict=True):
            if found.citations != paper.citations:
                yield found


def _in_print(paper: Paper) -> Reference:
    """Where the paper appeared, as a reference to it describes it; empty where its record does not say it."""
    imprint, author = paper.imprint or Imprint(), parse_name(next(iter(paper.authors), ""))
    return Reference(
        author=f"{author.surname}, {author.given}" if author.surname else "",
        year=str(paper.year or ""),
        volume=normal_place(imprint.volume),
        page=normal_place(imprint.page),
    )


def _cited_already(paper: Paper, catalog: Catalog) -> list[Paper]:
    """What the catalog's record of this paper cites and the paper itself does not."""
    docids = catalog.docids([paper.id])
    lost = {cited for docid in docids.values() for cited in catalog.cited([docid])[0]}.difference(paper.citations)
    return catalog.papers([*catalog.docids(lost).values()]) if lost else []


def _place(work: Reference) -> _Place:
    return work.year, work.volume, work.page


def _places(papers: Iterable[Paper]) -> _Places:
    found: _Places = {}
    for paper in papers:
        found.setdefault(_place(_in_print(paper)), []).append(paper)
    return found


def _by_place(works: dict[str, Reference], *places: _Places) -> dict[str, str]:
    """The id of the paper that each work is by year, volume, page and first author; none where these are several."""
    found = {}
    for name, work in works.items():
        there = (paper for known in places for paper in known.get(_place(work), ()))
        fitting = [paper for paper in there if same_family(work.author, *paper.authors[:1])]
        if paper := paper_described(fitting):
            found[name] = paper.id
    return found


def _found(works: dict[str, Reference], catalog: Catalog) -> dict[str, str]:
    """The id of the paper that each description fits; those that fit none, or several, are left out."""
    titles = {name: _keys(work) for name, work in works.items()}
    docids = catalog.docids_by_key(key for keys in titles.values() for key in keys)
    found = {}
    for name, keys in titles.items():
        for key in keys:
            fitting = [paper for paper in catalog.papers(docids.get(key, [])) if _holds(works[name], paper)]
            if paper := paper_described(fitting):
                found[name] = paper.id
                break
    return found


def _keys(work: Reference) -> list[str]:
    return [str(Key("title", key)) for title in work.titles() if not is_generic(key := title_key(title))]


def _holds(work: Reference, paper: Paper) -> bool:
    """Whether it is the work, one of whose titles it has."""
    return title_holds(replace(work.paper(), title=paper.title), paper)
