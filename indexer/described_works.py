"""Works that papers describe rather than name, found in the index that the papers are added to.

`indexer.readers.cited` looks among what is read with them; an update of a few records would lose what was found then.
"""

from collections.abc import Iterable, Iterator

from indexer.catalog import Catalog
from indexer.identity.agreement import paper_described, title_holds
from indexer.identity.keys import Key
from indexer.identity.references import Reference, described
from indexer.identity.titles import is_generic, title_key
from indexer.paper import Paper


def citing_known(papers: Iterable[Paper], catalog: Catalog) -> Iterator[Paper]:
    """The papers, citing the papers of the catalog by their ids where they describe them by a title.

    Years and first authors must agree as for a bibliography, and one paper alone may fit.
    """
    for paper in papers:
        works = {cited: work for cited in paper.citations if (work := described(cited))}
        found = _found(works, catalog) if works else {}
        yield paper.citing(found.get(name, name) for name in paper.citations) if found else paper


def _found(works: dict[str, Reference], catalog: Catalog) -> dict[str, str]:
    """The id of the paper that each description fits; those that fit none, or several, are left out."""
    titles = {name: title for name, work in works.items() if not is_generic(title := title_key(work.title))}
    docids = catalog.docids_by_key(str(Key("title", title)) for title in titles.values())
    found = {}
    for name, title in titles.items():
        work = works[name].paper()
        known = catalog.papers(docids.get(str(Key("title", title)), []))
        if paper := paper_described([paper for paper in known if title_holds(work, paper)]):
            found[name] = paper.id
    return found
