"""What somebody has already: a bibliography, a library of Zotero."""

from collections import defaultdict
from collections.abc import Iterable

from indexer.identity.agreement import identifier_holds, title_and_author_hold, title_holds
from indexer.identity.keys import Key, keys_of
from indexer.paper import Paper


class Holdings:
    """Papers by their keys."""

    def __init__(self, papers: Iterable[Paper] = ()) -> None:
        self._known: dict[str, list[Paper]] = defaultdict(list)
        for paper in papers:
            self._note(paper)

    def held(self, paper: Paper) -> Paper | None:
        """The paper as it is there, by a DOI, arXiv id, PMID or title that makes both one paper; None without."""
        shared = ((key, other) for key in keys_of(paper) for other in self._known.get(str(key), []))
        return next((other for key, other in shared if _is_same(key, paper, other)), None)

    def take(self, papers: Iterable[Paper]) -> list[Paper]:
        """Those of the papers that are not there, in their order; each once; they are there from now on."""
        new = []
        for paper in papers:
            if not self.held(paper):
                new.append(paper)
                self._note(paper)
        return new

    def _note(self, paper: Paper) -> None:
        for key in keys_of(paper):
            self._known[str(key)].append(paper)


def _is_same(key: Key, one: Paper, other: Paper) -> bool:
    """Are the two, which share the key, one paper?"""
    if key.kind == "title":
        return title_holds(one, other) or title_and_author_hold(one, other) or _described_alike(one, other)
    return identifier_holds(one, other)


def _described_alike(one: Paper, other: Paper) -> bool:
    """Is all that is printed of the two the same? So are proceedings, which have short titles and no authors."""
    return all(getattr(one, name) == getattr(other, name) for name in ("title", "authors", "year", "venue"))
