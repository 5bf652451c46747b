"""Papers by an author whom a short question names like any other word."""

import numpy as np
import pytest
from small_index import recommender_fixture

from citescout.settings import Settings
from exports.verdicts import verdict_line
from indexer.catalog import Catalog
from indexer.paper import Paper
from retrieval.asked_authors import papers_by_asked_authors
from retrieval.query import Query

PAPERS = [
    Paper("engine", "Notes on the analytical engine", "", 1843, authors=("Lovelace, Ada",)),
    Paper("flight", "Flying machines", "", 1828, authors=("Lovelace, Ada",)),
    Paper("letters", "Letters on the engine", "", 1843, authors=("Babbage, Charles", "Lovelace, Ada")),
    Paper("paired", "Towers and bells", "", 1990, authors=("Van der Roe-Doe, Jane", "Poe, Ann B.")),
    *(Paper(f"many{year}", f"Looms of {year}", "", year, authors=("Wang, Li",)) for year in range(1990, 1998)),
    Paper("brown", "Fat of mice", "", 2015, authors=("Brown, Tom",)),
    *(Paper(f"fat{number}", f"Brown fat of {number}", "", 2015, authors=("Roe, Ann",)) for number in range(5)),
    Paper("dashboards", "Cities in real time", "", 2014, authors=("Kitchin, Rob",)),
    *(Paper(f"kitchen{number}", "A kitchen of cities", "", 2014) for number in range(3)),
    *(Paper(f"other{number}", f"Topic {number}", "", 2000) for number in range(300)),
]

recommender = recommender_fixture(PAPERS)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Lovelace 1843 engine", ["engine"]),
        ("lovelace 1843 engines", ["engine"]),
        ("analytical engine Lovelace", ["engine"]),
        ("ada lovelace engine", ["engine"]),
        ("flying machines by Lovelace", ["flight"]),
        ("Lovelace 1828", ["flight"]),
        ("Lovelace 1829 balloons", ["flight"]),  # a year off, and no word of it
        ("Lovelace balloons", []),
        ("Lovelace 1860 engine", []),
        ("Lovelace", ["engine", "flight"]),
        ("Babbage Lovelace engine 1843", ["letters"]),
        ("van der Roe-Doe & Poe towers", ["paired"]),
        ("Poe towers", []),  # not the first author
        ("Wang", [f"many{year}" for year in range(1990, 1998)]),
        ("Li Wang", [f"many{year}" for year in range(1990, 1998)]),
        ("Ann Wang", []),
        ("Wang looms", []),  # of too many it is unknown which
        ("Wang 1993 looms", ["many1993"]),
        ("brown fat", []),  # what papers are about
        ("Brown 2015", []),
        ("Brown 2015 mice", ["brown"]),
        ("a long question of many words on the Lovelace engine", []),
        ("?", []),
    ],
)
def test_whose_papers_are_asked_for(recommender, text, ids):
    assert asked(recommender, text) == ids


def test_of_words_that_more_papers_hold_than_are_by_such_an_author_no_paper_is_read(recommender, monkeypatch):
    read = set()
    authors = Catalog.authors
    monkeypatch.setattr(Catalog, "authors", lambda self, keys: read.update(keys) or authors(self, keys))
    assert asked(recommender, "brown fat by Wang 1993") == ["many1993"]
    assert read == {"wang"}


def test_only_what_is_allowed(recommender):
    assert asked(recommender, "Lovelace", hidden=["engine"]) == ["flight"]


def test_they_stand_first_and_nothing_else_is_thought_to_be_meant(recommender):
    answer = recommender.answer(Query("kitchin cities"))
    assert answer.recommendations[0].paper.id == "dashboards"
    assert answer.recommendations[0].reasons.named
    assert not answer.did_you_mean
    assert verdict_line(recommender.answer(Query("Kitchin"), Settings(depth=0))) == ""


def asked(recommender, text, hidden=()):
    generation = recommender.generation
    allowed = ~np.isin(generation.catalog.ids(range(len(PAPERS))), hidden)
    bm25 = recommender._first_stage.bm25
    return generation.catalog.ids(papers_by_asked_authors(text, generation.catalog, bm25, generation.years, allowed))
