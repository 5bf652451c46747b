"""Queries of several years: which of them share a view, and what each view has not learnt from."""

from collections.abc import Iterable

import numpy as np
import pytest

from citescout.query_years import in_their_years
from retrieval.query import Query


class Index:
    """Stands for an index whose views are the sets of queries that they are made for, with their copies."""

    def without_citations_of(self, ids: Iterable[str], copies: Iterable[str]) -> frozenset[str]:
        return frozenset([*ids, *copies])


@pytest.mark.parametrize("least", [1, 3, 100])
def test_every_query_is_asked_once_of_a_view_that_learnt_from_nothing_newer(least: int) -> None:
    rng = np.random.default_rng(least)
    years = [int(year) or None for year in rng.choice([0, *range(2001, 2010)], 60)]
    queries = [Query(f"title {place}", id=str(place), year=year) for place, year in enumerate(years)]
    found = list(in_their_years(Index(), queries, least))  # type: ignore[arg-type]
    assert sorted(place for place, _ in found) == list(range(60))
    for place, view in found:
        together = [years[int(id_)] for id_ in view]  # type: ignore[attr-defined]
        assert str(place) in view  # type: ignore[operator]
        assert (years[place] is None) == (together[0] is None)
        dated = [year for year in together if year]
        newest = [year for year in years if year and dated and year > max(dated)]
        # A year is never in two views, and a view ends where it has enough.
        assert all(years.count(year) == together.count(year) for year in set(together))
        assert not dated or sum(year > min(dated) for year in dated) < least
        assert len(newest) == 0 or len(newest) >= least or least == 1


def test_the_newest_are_asked_first_and_in_their_order() -> None:
    queries = [Query("title", id=str(place), year=year) for place, year in enumerate([2001, None, 2003, 2001, 2003])]
    assert [place for place, _ in in_their_years(Index(), queries)] == [2, 4, 0, 3, 1]  # type: ignore[arg-type]
    assert list(in_their_years(Index(), [])) == []  # type: ignore[arg-type]


def test_what_other_records_of_the_queries_cite_is_not_learnt_from_either() -> None:
    queries = [Query("title", id="0", year=2001, copies=("preprint",)), Query("title", id="1", year=2000)]
    views = [view for _, view in in_their_years(Index(), queries)]  # type: ignore[arg-type]
    assert views == [{"0", "preprint"}, {"1"}]
