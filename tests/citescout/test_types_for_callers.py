"""Calls as programs make them, whose types `make lint` checks, too: lists are taken where tuples are kept."""

import pytest

from citescout import Filters, Query, QueryError, Settings
from citescout.review import ReviewOptions

NAMES: list[str] = ["Ada Lovelace", " "]


def test_lists_are_kept_as_tuples() -> None:
    query = Query("x", already_cited=NAMES, liked=NAMES, disliked=NAMES, copies=NAMES, authors=NAMES)
    assert query.already_cited == query.liked == query.disliked == query.copies == query.authors == ("Ada Lovelace",)
    settings = Settings(sources=["bm25", "dense"], filters=Filters(venues=NAMES, not_by=NAMES))
    assert settings == Settings(
        sources=("bm25", "dense"), filters=Filters(venues=("Ada Lovelace",), not_by=("Ada Lovelace",))
    )
    options = ReviewOptions(authors=NAMES, year=2020)
    assert options.authors == ("Ada Lovelace",)
    assert len({query, settings, options}) == 3  # they can be keys


def test_one_name_in_place_of_a_list_is_refused() -> None:
    with pytest.raises(QueryError, match=r"^authors must be a list$"):
        ReviewOptions(authors="Ada Lovelace")
