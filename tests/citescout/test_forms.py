"""Queries as people ask them, out of papers."""

from typing import get_args

import numpy as np
import pytest

from retrieval.query import Query
from training.blend.forms import DRAWN, Form, asked_as
from training.queries import TrainingQuery

SENTENCES = [f"This is sentence number {number} of the abstract." for number in ("one", "two", "three", "four", "five")]
EXAMPLE = TrainingQuery(Query("A title", " ".join([*SENTENCES, "Short."]), "me", 2020), np.arange(7, dtype=np.int32))


class Catalog:
    """Ids of papers by docid."""

    def ids(self, docids):
        return [f"p{number}" for number in docids]


def asked(form, seed=0, example=EXAMPLE):
    return asked_as(example, form, Catalog(), np.random.default_rng(seed))


def test_all_drawn_forms_are_known():
    assert set(DRAWN) == set(get_args(Form)) - {"abstract", "older index", "newest lists missing"}


@pytest.mark.parametrize("form", get_args(Form))
def test_every_form_keeps_id_year_and_answers(form):
    found = asked(form)
    assert found.query.id == "me"
    assert found.query.year in (range(2012, 2019) if form == "older index" else [2020])
    cited = [int(name[1:]) for name in found.query.already_cited]
    assert sorted([*found.gold.tolist(), *cited]) == list(range(7))
    assert bool(cited) == (form == "some cited")


def test_texts_are_parts_of_the_paper():
    for seed in range(20):
        assert asked("title", seed).query.text == ("A title", "")
        assert asked("sentence", seed).query.text.parts() in [[one] for one in SENTENCES]
        assert asked("title and sentence", seed).query.title == "A title"
        assert asked("three sentences", seed).query.abstract in {" ".join(SENTENCES[n : n + 3]) for n in range(3)}
        assert asked("abstract", seed) is EXAMPLE
        assert asked("by words", seed) is EXAMPLE
    assert {asked("sentence", seed).query.abstract for seed in range(50)} == set(SENTENCES)


def test_at_most_half_and_at_most_ten_are_cited_already():
    many = TrainingQuery(EXAMPLE.query, np.arange(50, dtype=np.int32))
    sizes = {len(asked("some cited", seed, many).query.already_cited) for seed in range(60)}
    assert min(sizes) == 1
    assert max(sizes) == 10
    assert {len(asked("some cited", seed).query.already_cited) for seed in range(30)} == {1, 2, 3}


def test_what_a_paper_has_not_it_is_not_asked_by():
    bare = TrainingQuery(Query("A title", "", "me"), np.arange(1, dtype=np.int32))
    assert asked("sentence", example=bare) is None
    assert asked("three sentences", example=bare) is None
    assert asked("some cited", example=bare) is None
    untitled = TrainingQuery(Query("", "Words.", "me"), np.arange(4, dtype=np.int32))
    assert asked("title", example=untitled) is None
