"""A manuscript and an index: what of its bibliography the index holds, and the query that it makes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from common.text import unligated
from indexer.identity.titles import title_key
from indexer.paper import Paper
from manuscripts.manuscript import Entry, Manuscript
from manuscripts.reference_lines import year_of
from retrieval.query import Query
from retrieval.resolver import Match

Resolve = Callable[[Iterable[Paper]], Iterable[Match]]  # such as `Recommender.resolve`


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What sentences of a manuscript stand in; a chapter may have neither title nor abstract."""

    title: str
    abstract: str
    already_cited: tuple[str, ...]  # ids of the index
    authors: tuple[str, ...] = ()
    year: int | None = None

    @property
    def is_query(self) -> bool:
        """Whether it may be asked what the whole manuscript should cite."""
        return bool(self.title.strip() or self.abstract.strip())

    def query(self, query_id: str = "", context: str = "") -> Query:
        """The query for the whole manuscript, or for the sentence `context` of it.

        Raises:
            QueryError: there is neither title nor abstract nor context.
        """
        return Query(
            *(self.title, self.abstract, query_id, self.year),
            already_cited=self.already_cited,
            authors=self.authors,
            context=context,
        )


def resolved(resolve: Resolve, entries: Sequence[Entry], by_id: bool = False) -> list[Match]:
    """The match of each entry, in their order; of an entry that may name several works the first that is found.

    Of papers of one title it is that of the printed year. Only with `by_id` their ids may be those of the index, as the
    keys of a manuscript's bibliography are not.
    """
    matches = [Match(entry.readings[0] if entry.readings else Paper(entry.key, "")) for entry in entries]
    undated: dict[int, Paper] = {}  # what was found by a title alone, with the year that is printed beside it
    # The likeliest reading of all first, so that few entries have all of theirs searched for.
    for turn in range(max((len(entry.readings) for entry in entries), default=0)):
        left = [
            number
            for number, entry in enumerate(entries)
            if matches[number].paper is None and turn < len(entry.readings)
        ]
        readings = [entries[number].readings[turn] for number in left]
        asked = readings if by_id else [replace(one, id="") for one in readings]
        for number, match in zip(left, resolve(asked), strict=True):
            if match.paper:
                matches[number] = replace(match, reference=matches[number].reference)
                year = _printed_year(entries[number]) if match.how in ("title", "fuzzy") else None
                if year and year != match.paper.year:
                    undated[number] = replace(match.reference, year=year)
    for number, match in zip(undated, resolve(undated.values()), strict=True):
        first = matches[number].paper
        if match.paper and first and title_key(match.paper.title) == title_key(first.title):
            matches[number] = replace(matches[number], paper=match.paper)
    return matches


def _printed_year(entry: Entry) -> int | None:
    return year_of(entry.source or entry.key) if len(entry.readings) > 1 else None


def surroundings_of(resolve: Resolve, manuscript: Manuscript) -> tuple[Surroundings, list[Match]]:
    """What the sentences of a manuscript stand in, and the match of each work that it cites."""
    matches = resolved(resolve, manuscript.cited)
    cited = dict.fromkeys(match.paper.id for match in matches if match.paper)
    return Surroundings(unligated(manuscript.title), unligated(manuscript.abstract), tuple(cited)), matches


def query_of(resolve: Resolve, manuscript: Manuscript, query_id: str = "") -> tuple[Query, list[Match]]:
    """The query for a whole manuscript, and the match of each work that it cites.

    Raises:
        QueryError: it has neither title nor abstract.
    """
    surroundings, matches = surroundings_of(resolve, manuscript)
    return surroundings.query(query_id), matches
