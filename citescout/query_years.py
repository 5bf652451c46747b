"""Papers of several years as queries, each asked of the index with what was known before its year."""

from collections.abc import Collection, Iterator, Sequence

from citescout.recommender import Recommender
from retrieval.query import Query


def in_their_years(
    recommender: Recommender, queries: Sequence[Query], least: int = 1, done: Collection[int] = ()
) -> Iterator[tuple[int, Recommender]]:
    """The place of every query and the view of the index to ask it of; the newest years first.

    The query map of a view is learnt from what papers older than all of its queries cite, but for their copies, see
    `Recommender.without_citations_of`; that takes up to 16 seconds a view. Years of fewer than `least` queries share
    the view of the years before them. Queries without a year have one view together. Those at the places that are
    `done` are passed over; the others' views are the same as without any.
    """
    for places in _together(queries, least):
        if missing := [place for place in places if place not in done]:
            view = view_for(recommender, [queries[place] for place in places])
            yield from ((place, view) for place in missing)


def view_for(recommender: Recommender, queries: Sequence[Query]) -> Recommender:
    """The index as it was before all of these were written; see `Recommender.without_citations_of`."""
    copies = [id_ for query in queries for id_ in query.copies]
    return recommender.without_citations_of([query.id for query in queries], copies=copies)


def _together(queries: Sequence[Query], least: int) -> Iterator[list[int]]:
    """Places of the queries that share a view, ascending."""
    years = [query.year for query in queries]
    places: list[int] = []
    for year in sorted({year for year in years if year is not None}, reverse=True):
        places += [place for place, other in enumerate(years) if other == year]
        if len(places) >= least:
            yield sorted(places)
            places = []
    yield sorted(places)
    yield [place for place, year in enumerate(years) if year is None]
