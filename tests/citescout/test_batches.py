"""Many queries at once, against the same queries one by one."""

import json
import threading

import pytest

from citescout import Paper, Query, Settings
from citescout.batches import answered_together
from demo import CORPUS
from exports import FORMATS, written

TOGETHER, QUERIES = 5, 13  # two batches that are full and one that is not


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    """So that a few queries are several batches: to encode one takes long, and every query here is asked twice."""
    monkeypatch.setattr("citescout.batches._TOGETHER", TOGETHER)


@pytest.fixture(scope="module")
def queries() -> list[Query]:
    """More than are answered together, some with what changes a list."""
    records = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()][:QUERIES]
    asked = [Query(record["title"], record.get("abstract", ""), record["id"], record.get("year")) for record in records]
    asked[3] = Query("Dense retrieval", liked=(records[0]["id"],), disliked=(records[1]["id"],))
    asked[5] = Query("", "Only an abstract about citation recommendation.", authors=("Ada Lovelace",))
    asked[7] = Query("Neural ranking", already_cited=(records[2]["id"],), year=2016)
    return asked


SETTINGS = [
    Settings(),
    Settings(k=1000),
    Settings(blend=False),
    Settings(blend=False, sources=("bm25",)),
    Settings(sources=("dense", "graph"), diversity=0.3, recency=0.2),
]


@pytest.mark.long
@pytest.mark.parametrize("settings", SETTINGS)
def test_answers_are_those_to_each_query_alone(recommender, queries, settings):
    assert list(recommender.answers(queries, settings)) == [recommender.answer(query, settings) for query in queries]


@pytest.mark.long
def test_with_a_reranker_and_a_budget_too(demo_index, queries):
    from citescout import Recommender

    recommender = Recommender.open(demo_index, "default")
    settings = Settings(depth=8)
    few = queries[:4]
    assert list(recommender.answers(few, settings)) == [recommender.answer(query, settings) for query in few]
    timed = list(recommender.answers(few, Settings(depth=8, budget=60.0)))
    assert [answer.read for answer in timed] == [8] * 4
    recommender.close()


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_a_format_gets_all_that_it_needs(recommender, queries, name):
    settings = Settings(k=40)
    lists = []
    for needs in (FORMATS[name].needs, "reasons"):
        answers = recommender.answers(queries, settings, needs)
        lists.append(written(name, [(answer.query, answer.recommendations) for answer in answers]))
    assert lists[0] == lists[1]
    assert len(lists[0]) > 1000


def test_what_is_not_needed_is_not_read(recommender, queries, monkeypatch):
    catalog = type(recommender.generation.catalog)
    read = catalog.papers

    def unwanted(*_):
        raise AssertionError("reasons were looked for")

    def few(self, docids):
        assert len(docids) <= 2, "more was read than the records of the query's own paper"
        return read(self, docids)

    monkeypatch.setattr(catalog, "papers", few)
    monkeypatch.setattr("citescout.reasons.Explainer", unwanted)
    answers = list(recommender.answers(queries[:3], Settings(k=1000), "ids"))
    assert min(len(answer.recommendations) for answer in answers) > 50
    assert {type(entry.paper) for answer in answers for entry in answer.recommendations} == {Paper}


def test_queries_are_read_as_far_as_they_are_answered(recommender, queries):
    read = []
    answers = recommender.answers((read.append(query) or query for query in queries), Settings())
    next(iter(answers))
    assert TOGETHER <= len(read) <= 2 * TOGETHER


def test_queries_are_encoded_while_those_before_them_are_answered():
    count, last_is_encoded = 2 * TOGETHER, threading.Event()

    def vectors(some):
        if count - 1 in some:
            last_is_encoded.set()
        return [-number for number in some]

    def answer(number, pool):
        assert number >= TOGETHER or last_is_encoded.wait(30)
        return number, pool

    found = answered_together(range(count), vectors, lambda number, vector: (number, vector), lambda _: None, answer)
    assert list(found) == [(number, (number, -number)) for number in range(count)]


def _disk_that_fails():
    yield from range(TOGETHER + 1)
    raise OSError("the disk is gone")


@pytest.mark.parametrize(
    ("queries", "broken"),
    [(_disk_that_fails(), None), (iter(range(3 * TOGETHER)), TOGETHER)],
    ids=["not read", "not encoded"],
)
def test_what_was_answered_before_a_failure_is_given(queries, broken):
    def vectors(some):
        if broken in some:
            raise OSError("no memory")
        return some

    found = answered_together(queries, vectors, lambda number, _: number, lambda _: None, lambda number, _: number)
    given = []
    with pytest.raises(OSError, match=r"disk|memory"):
        given.extend(iter(lambda: next(found), None))
    assert given == list(range(TOGETHER))
