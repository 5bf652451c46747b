"""What an update of a corpus adds or changes: new citing works, new entries with what is around them, retractions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from fetch.corpus.collecting import HOPS, collect, newly_citing
from fetch.corpus.interface import BudgetSpent, Source, State, Work
from fetch.corpus.recipe import Recipe
from fetch.corpus.resolving import Found, found_among, papers_for, works_of
from indexer.identity.agreement import different
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
        # What is in the index, or was once, by any of its ids.
        self._known = {*there, *recipe.brought, *(id_ for paper in there.values() for id_ in paper.other_ids)}
        known = dict.fromkeys(known.id for known in recipe.entries)
        self._entries = {id_: Work(there[id_]) for id_ in known if id_ in there and source.has_id(id_)}
        self.retracted: list[Paper] | None = None
        self.complete = True

    @property
    def now(self) -> dict[str, Paper]:
        """All papers, as they are to be in the index."""
        return {**self._there, **self._papers}

    @property
    def papers(self) -> list[Paper]:
        """As they are to be in the index, where they are not so already."""
        return [paper for paper in self._papers.values() if self._there.get(paper.id) != paper]

    @property
    def keyed(self) -> dict[str, Paper]:
        """The papers of the index that the source did not have: they go by the keys of their entries."""
        return {id_: paper for id_, paper in self._there.items() if not self._source.has_id(id_)}

    def as_indexed(self, found: Sequence[Found]) -> list[Found]:
        """The same, with entries that are among the papers of the index by their titles.

        Of works that were merged, the papers go by the ids that they have in the index.
        """
        found = found_among((Work(paper) for id_, paper in self._there.items() if self._source.has_id(id_)), found)
        ids = {other: id_ for id_, paper in self.now.items() for other in paper.other_ids if self._source.has_id(other)}
        ids = {**ids, **{id_: id_ for id_ in self._there}}
        papers = (one.paper and replace(one.paper, id=ids.get(one.paper.id, one.paper.id)) for one in found)
        return [replace(one, paper=paper) for one, paper in zip(found, papers, strict=True)]

    def bring(self, found: Sequence[Found], left: Callable[[], int]) -> bool:
        """The entries that were found and what is around them, or around all where the corpus was left incomplete.

        Returns:
            Whether it is complete now.
        """
        own = {work.paper.id: work for work in works_of(found)}
        before = self.now
        self._papers.update((paper.id, _with_what_is_known(paper, before)) for paper in papers_for(found))
        known = {*self._known, *self._papers}
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
        try:
            found = newly_citing(self._source, list(self._entries.values()), since, self._known, self._room)
            self._room -= len(found)
            self._add(found)
        except BudgetSpent:
            self.complete = False

    def look_for_retractions(self) -> bool:
        """Mark what is retracted by now, among all papers of the source; whether the source has retractions.

        Works that are gone, or were merged into others, keep their marks.
        """
        theirs = [paper for id_, paper in sorted(self._there.items()) if self._source.has_id(id_)]
        try:
            found = self._source.as_now(theirs)
        except BudgetSpent:
            self.complete = False
            return True
        if found is None:
            return False
        self.retracted = []
        for paper in theirs:
            now = found.get(paper.id, State(paper.id, paper.retracted))
            kept = paper.retracted and now.id != paper.id  # what it was merged into may be a publication of its own
            is_retracted = now.is_retracted or kept or says_retracted(paper.title, paper.doi)
            changed = replace(paper, retracted=is_retracted)
            if now.id not in self._known:  # newer papers cite it by this id, and it is not to come a second time
                changed = replace(changed, other_ids=(*paper.other_ids, now.id))
                self._known.add(now.id)
            if changed != paper:
                self._papers[paper.id] = changed
            if is_retracted and not paper.retracted:
                self.retracted.append(changed)
        return True

    def answer_to(self, replaced: Mapping[str, str]) -> None:
        """Give papers that were brought the ids of those that they replace: drafts and baskets name them by these."""
        for before, id_ in replaced.items():
            paper = self._papers[id_]
            others = (*paper.other_ids, before, *self._there[before].other_ids)
            self._papers[id_] = replace(paper, other_ids=tuple(dict.fromkeys(others)))

    def _add(self, works: Iterable[Work]) -> None:
        self._papers.update((work.paper.id, work.paper) for work in works)


def _with_what_is_known(paper: Paper, there: Mapping[str, Paper]) -> Paper:
    """A paper as the source has it by now, with what it had before and lacks: publishers withdraw abstracts."""
    before = there.get(paper.id, paper)
    if different(before, paper):  # the entries of two works had this key, one after the other
        return paper
    return replace(
        paper,
        abstract=paper.abstract or before.abstract,
        citations=paper.citations or before.citations,
        retracted=paper.retracted or before.retracted,
        other_ids=tuple(dict.fromkeys((*paper.other_ids, *before.other_ids))),
    )
