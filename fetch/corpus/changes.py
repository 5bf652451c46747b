"""What an update of a corpus adds or changes: new citing works, new entries with what is around them, retractions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from fetch.corpus.collecting import HOPS, collect, newly_citing
from fetch.corpus.interface import BudgetSpent, Source, Work
from fetch.corpus.recipe import Recipe
from fetch.corpus.resolving import Found, papers_for, works_of
from indexer.identity.retractions import says_retracted
from indexer.paper import Paper


class Changes:
    """The papers that an update adds or changes."""

    def __init__(self, source: Source, recipe: Recipe, there: dict[str, Paper], most: int) -> None:
        self._source = source
        self._recipe = recipe
        self._there = there
        self._room = most
        self._papers: dict[str, Paper] = {}
        known = dict.fromkeys(known.id for known in recipe.entries)
        self._entries = {id_: Work(there[id_]) for id_ in known if id_ in there and source.has_id(id_)}
        self.retracted: list[Paper] | None = None
        self.complete = True

    @property
    def papers(self) -> list[Paper]:
        """As they are to be in the index, where they are not so already."""
        return [paper for paper in self._papers.values() if self._there.get(paper.id) != paper]

    def bring(self, found: Sequence[Found], left: Callable[[], int]) -> bool:
        """The entries that were found and what is around them, or around all where the corpus was left incomplete.

        Returns:
            Whether it is complete now.
        """
        own = {work.paper.id: work for work in works_of(found)}
        before = {**self._there, **self._papers}
        self._papers.update((paper.id, _with_what_is_known(paper, before)) for paper in papers_for(found))
        known = {*self._there, *self._papers, *self._recipe.brought}
        size, hops, cut = len(own) + self._room, 1, False
        if not self._recipe.complete:
            own = self._entries | own
            papers = self._there.keys() | self._papers
            theirs = sum(map(self._source.has_id, papers))
            whole, possible = self._recipe.size - len(papers) + theirs, theirs + self._room
            size, hops, cut = min(whole, possible), HOPS, possible < whole
        around = collect(self._source, list(own.values()), size, left, hops)
        self._add(work for work in around.works.values() if work.paper.id not in known)
        self.complete &= around.complete
        return around.complete and not cut

    def bring_newly_citing(self) -> None:
        """What cites the entries since the last time."""
        since = date.fromisoformat(self._recipe.updated)
        known = {*self._there, *self._recipe.brought}
        try:
            found = newly_citing(self._source, list(self._entries.values()), since, known, self._room)
            self._room -= len(found)
            self._add(found)
        except BudgetSpent:
            self.complete = False

    def look_for_retractions(self) -> bool:
        """Mark what is retracted by now, among all papers of the source; whether the source has retractions."""
        theirs = {id_: paper for id_, paper in self._there.items() if self._source.has_id(id_)}
        try:
            retracted = self._source.retracted(sorted(theirs))
            if retracted is None:
                return False
            # Works that are gone, or were merged into others, are not among the retracted ones: their marks stay.
            marked = [id_ for id_, paper in theirs.items() if paper.retracted and id_ not in retracted]
            lasting = {work.paper.id for works in self._source.works(marked) for work in works}
        except BudgetSpent:
            self.complete = False
            return True
        self.retracted = []
        for id_, paper in theirs.items():
            gone = paper.retracted and id_ not in lasting
            is_retracted = id_ in retracted or gone or says_retracted(paper.title, paper.doi)
            if paper.retracted != is_retracted:
                changed = replace(self._papers.get(id_, paper), retracted=is_retracted)
                self._papers[id_] = changed
                if changed.retracted:
                    self.retracted.append(changed)
        return True

    def _add(self, works: Iterable[Work]) -> None:
        self._papers.update((work.paper.id, work.paper) for work in works)


def _with_what_is_known(paper: Paper, there: Mapping[str, Paper]) -> Paper:
    """A paper as the source has it by now, with what it had before and lacks: publishers withdraw abstracts."""
    before = there.get(paper.id, paper)
    return replace(
        paper,
        abstract=paper.abstract or before.abstract,
        citations=paper.citations or before.citations,
        retracted=paper.retracted or before.retracted,
    )
