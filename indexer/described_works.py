"""Works that papers describe rather than name, found in the index that the papers are added to.

`indexer.readers.cited` looks among what is read with them; an update of a few records would lose what was found then.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from common.sequences import batches
from indexer.catalog import Catalog
from indexer.identity.agreement import paper_described, title_holds
from indexer.identity.keys import Key
from indexer.identity.references import Reference, described
from indexer.identity.titles import is_generic, title_key
from indexer.outside import OutsideWorks
from indexer.paper import Paper

_BATCH = 1_000  # papers


def citing_known(papers: Iterable[Paper], catalog: Catalog) -> Iterator[Paper]:
    """The papers, citing the papers of the catalog by their ids where they describe them by a title.

    Years and first authors must agree as for a bibliography, and one paper alone may fit.
    """
    for paper in papers:
        works = {cited: work for cited in paper.citations if (work := described(cited))}
        found = _found(works, catalog) if works else {}
        yield paper.citing(found.get(name, name) for name in paper.citations) if found else paper


def citing_later(before: Catalog, outside: OutsideWorks, catalog: Catalog, first: int) -> Iterator[Paper]:
    """Papers of `before` that describe by a title what the catalog has from docid `first` on, citing it by its id.

    `outside` are the works that the papers of `before` cite beside them.
    """
    titles = (Reference(title=text.title).citation() for _, text in catalog.all_texts(first))
    works = outside.numbers(filter(None, titles))
    citing = np.unique(outside.graph.cited_by.of_all(works)[1])
    for docids in batches(citing.tolist(), _BATCH):
        left = catalog.docids(before.ids(docids))
        papers = catalog.papers([*left.values()])
        for paper, found in zip(papers, citing_known(papers, catalog), strict=True):
            if found.citations != paper.citations:
                yield found


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
