"""A manuscript and an index: what of its bibliography the index holds, and the query that it makes."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from indexer.paper import Paper
from manuscripts.manuscript import Entry, Manuscript
from retrieval.query import Query
from retrieval.resolver import Match

Resolve = Callable[[Iterable[Paper]], Iterable[Match]]  # such as `Recommender.resolve`


def resolved(resolve: Resolve, entries: Sequence[Entry], by_id: bool = False) -> list[Match]:
    """The match of each entry, in their order; of an entry that may name several works the first that is found.

    Only with `by_id` their ids may be those of the index, as the keys of a manuscript's bibliography are not.
    """
    matches = [Match(entry.readings[0] if entry.readings else Paper(entry.key, "")) for entry in entries]
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
    return matches


def query_of(resolve: Resolve, manuscript: Manuscript, query_id: str = "") -> tuple[Query, list[Match]]:
    """The query for a whole manuscript: title, abstract, and what it cites as ids; and the match of each of these."""
    matches = resolved(resolve, manuscript.cited)
    cited = dict.fromkeys(match.paper.id for match in matches if match.paper)
    return Query(manuscript.title, manuscript.abstract, query_id, already_cited=tuple(cited)), matches
