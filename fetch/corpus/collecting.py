"""From works of one's own to a corpus: what they cite and what cites them, the most connected first, hop by hop."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import islice

from fetch.corpus.interface import BudgetSpent, Page, Source, Work

HOPS = 2
# Candidates for each place, after which no further list is read: what comes later is cited less and seldom connected.
_CANDIDATES_A_PLACE = 4
_FEWEST_LINKS_LATER = 2  # after the first hop; one link with any of thousands of works says little
_MOST_LISTED = 200  # works of a later hop whose citing works are asked for, the most connected


@dataclass(slots=True)
class Collected:
    """A corpus on its way."""

    works: dict[str, Work]  # by id, those it began with first, then the most connected first
    cited: int = 0  # works that were brought because they are cited
    citing: int = 0  # because they cite
    complete: bool = True  # False where requests ran out before the size was reached
    gone: set[str] = field(default_factory=set)  # ids that others cite and the source has no work of
    _links: dict[str, set[str]] = field(default_factory=dict)  # id → works of the corpus that it is linked with

    def add_links(self, links: Iterable[tuple[str, str]]) -> None:
        """Ids of works, each with that of a work of the corpus that it cites or is cited by."""
        for id_, linked in links:
            if id_ not in self.works:
                self._links.setdefault(id_, set()).add(linked)

    def is_candidate(self, id_: str, fewest: int) -> bool:
        """Whether this is a work outside with so many links."""
        return len(self._links.get(id_, ())) >= fewest and id_ not in self.gone

    def candidates(self, fewest: int) -> list[str]:
        """Ids of works outside with so many links, the most connected first, then in the order of their coming."""
        found = [id_ for id_ in self._links if self.is_candidate(id_, fewest)]
        return sorted(found, key=lambda id_: -len(self._links[id_]))

    def take(self, work: Work, cites: bool) -> None:
        """A candidate that was chosen."""
        self.works[work.paper.id] = work
        self._links.pop(work.paper.id, None)
        self.citing += cites
        self.cited += not cites


def collect(source: Source, own: Sequence[Work], size: int, left: Callable[[], int], hops: int = HOPS) -> Collected:
    """Works around `own`, so that there are `size` of them, or as many as requests and links allow.

    Args:
        source: Where they are looked up.
        own: The works to begin with, which are all in the corpus.
        size: Works in all.
        left: Tells how many requests may still be made.
        hops: How far away a work may be.

    Raises:
        FetchError: the source fails.
    """
    corpus = Collected({work.paper.id: work for work in own})
    frontier: Sequence[Work] = list(corpus.works.values())
    try:
        for hop in range(hops):
            room = size - len(corpus.works)
            if room <= 0 or not frontier:
                break
            corpus.add_links((id_, work.paper.id) for work in frontier for id_ in work.paper.citations)
            frontier = _expand(source, corpus, frontier, room, left, hop)
    except BudgetSpent:
        corpus.complete = False
    return corpus


def newly_citing(source: Source, own: Sequence[Work], since: date, known: Iterable[str], most: int) -> list[Work]:
    """What cites the works since a day and is not `known`, the most connected first, at most so many.

    Raises:
        FetchError: the source fails.
        BudgetSpent: no request is left.
    """
    corpus = Collected({work.paper.id: work for work in own})
    described: dict[str, Work] = {}
    for page in _in_turn(source.citing(own, since)):
        corpus.add_links(page.links)
        described.update((work.paper.id, work) for work in page.works)
    there = set(known)
    return list(_described(source, (id_ for id_ in corpus.candidates(1) if id_ not in there), described, most, set()))


def _expand(
    source: Source, corpus: Collected, frontier: Sequence[Work], room: int, left: Callable[[], int], hop: int
) -> list[Work]:
    """One hop: the works that were taken, the most connected first."""
    fewest = 1 if hop == 0 else _FEWEST_LINKS_LATER
    cited = set(corpus.candidates(fewest))
    needed = -(-min(len(cited), room) // source.works_a_call)  # requests for what is cited
    spare = left() - needed
    found = set(cited)  # all candidates so far: they are only counted while pages come, and put in order afterwards
    described: dict[str, Work] = {}
    lists = source.citing(frontier if hop == 0 else frontier[:_MOST_LISTED])
    try:
        for page in islice(_in_turn(lists), max(spare, left() // 2)):
            corpus.add_links(page.links)
            described.update((work.paper.id, work) for work in page.works)
            found.update(id_ for id_, _ in page.links if corpus.is_candidate(id_, fewest))
            if len(found) >= _CANDIDATES_A_PLACE * room:
                break
    except BudgetSpent:
        corpus.complete = False
    taken: list[Work] = []
    for work in _described(source, corpus.candidates(fewest), described, room, corpus.gone):
        corpus.take(work, work.paper.id not in cited)
        taken.append(work)
    return taken


def _described(
    source: Source, ids: Iterable[str], described: dict[str, Work], most: int, gone: set[str]
) -> Iterator[Work]:
    """The works of the ids in their order, at most so many; those that no list described are asked for.

    Raises:
        BudgetSpent: no request is left; before that, all works that are described have been given.
    """
    waiting = iter(ids)
    while most > 0 and (batch := list(islice(waiting, most))):
        spent = False
        try:
            for works in source.works([id_ for id_ in batch if id_ not in described]):
                described.update((work.paper.id, work) for work in works)
        except BudgetSpent:
            spent = True
        for id_ in batch:
            if id_ in described:
                most -= 1
                yield described[id_]
            elif not spent:
                gone.add(id_)
        if spent:
            raise BudgetSpent


def _in_turn(lists: Sequence[Iterator[Page]]) -> Iterator[Page]:
    """A page of each list, then the next page of each: no list takes all requests for itself."""
    waiting = list(lists)
    while waiting:
        for one in list(waiting):
            page = next(one, None)
            if page is None:
                waiting.remove(one)
            else:
                yield page
