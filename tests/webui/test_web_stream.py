import json
import threading
from dataclasses import replace

import pytest

from citescout.settings import Settings
from common.errors import IndexDirectoryError
from retrieval.query import Query
from webui import create_app
from webui.answers import Answers, BusyError

QUESTION = {"title": "Passage retrieval with neural ranking"}


class Reading:
    """A recommender whose cross-encoder turns the list round."""

    def __init__(self, recommender, error=None):
        self.info = replace(recommender.info, reranker="small")
        self._recommender = recommender
        self._error = error
        self.depths = []

    def recommend(self, query, settings):
        self.depths.append(settings.depth)
        found = self._recommender.recommend(query, settings)
        if settings.depth and self._error:
            raise self._error
        return found[::-1] if settings.depth else found


def events(answer):
    """(name, data) of every event, read as the HTML standard has it."""
    found = []
    for block in answer.text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def order(html):
    return [part.split('"')[0] for part in html.split('<li class="result" data-id="')[1:]]


def test_first_list_comes_before_the_one_that_was_read(recommender):
    reading = Reading(recommender)
    answer = create_app(reading).test_client().post("/api/stream", data=QUESTION)
    assert answer.mimetype == "text/event-stream"
    (one, first), (other, last) = events(answer)
    assert one == other == "list"
    assert (first["read"], first["to_read"], first["last"]) == (0, 100, False)
    assert (last["read"], last["to_read"], last["last"]) == (100, 100, True)
    assert len(order(first["html"])) == 5
    assert order(last["html"]) == order(first["html"])[::-1]
    assert "before a closer reading" in first["html"]
    assert "best 100 read closely" in last["html"]


def test_without_a_cross_encoder_there_is_one_list(client):
    ((name, data),) = events(client.post("/api/stream", data=QUESTION))
    assert name == "list"
    assert data["last"]
    whole = client.post("/api/recommend", data=QUESTION, headers={"Accept": "text/html"}).text
    assert order(data["html"]) == order(whole)


def test_kept_answers_are_streamed_at_once(recommender):
    reading = Reading(recommender)
    client = create_app(reading).test_client()
    assert len(events(client.post("/api/stream", data=QUESTION))) == 2
    (again,) = events(client.post("/api/stream", data=QUESTION))
    assert again[1]["last"]
    assert reading.depths == [0, 100]


def test_a_wrong_question_is_an_ordinary_error(client):
    answer = client.post("/api/stream", data={"title": " "})
    assert answer.status_code == 400
    assert answer.get_json() == {"error": "enter a title or an abstract"}


def test_what_breaks_while_reading_is_an_event_that_hides_the_cause(recommender):
    client = create_app(Reading(recommender, IndexDirectoryError("/private is damaged"))).test_client()
    (first, _), (name, data) = events(client.post("/api/stream", data=QUESTION))
    assert (first, name) == ("list", "failed")
    assert "private" not in data["error"]


@pytest.mark.parametrize("read", [1, 2])
def test_a_reader_who_leaves_frees_the_place(recommender, read):
    reading = Reading(recommender)
    answers = Answers(reading, at_once=1, patience=0.01)
    parts = answers.stream(Query("passage retrieval"), Settings())
    for _ in range(read):
        next(parts)
    with pytest.raises(BusyError):
        answers.answer(Query("neural ranking"), Settings())
    parts.close()
    assert answers.answer(Query("neural ranking"), Settings()).recommendations
    assert reading.depths[:read] == [0, 100][:read], "what nobody waits for was read"


def test_a_reader_who_leaves_before_the_second_list_frees_the_place_of_the_server(recommender):
    app = create_app(Reading(recommender), at_once=1, patience=0.01)
    answer = app.test_client().post("/api/stream", data=QUESTION, buffered=False)
    assert next(iter(answer.response)).startswith(b"event: list")
    assert app.test_client().post("/api/recommend", json={"title": "ranking"}).status_code == 503
    answer.close()
    assert app.test_client().post("/api/recommend", json={"title": "ranking"}).status_code == 200


def test_streams_and_answers_agree_under_load(recommender):
    app = create_app(Reading(recommender))
    expected = order(app.test_client().post("/api/recommend", data=QUESTION, headers={"Accept": "text/html"}).text)
    found = []

    def ask(number):
        question = {**QUESTION, "abstract": "passages " * number}
        answer = app.test_client().post("/api/stream", data=question)
        found.append(set(order(events(answer)[-1][1]["html"])))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [set(expected)] * 8
