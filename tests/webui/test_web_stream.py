import json
import threading
from dataclasses import replace

from common.errors import IndexDirectoryError
from webui import create_app

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
    (one, first), (other, last), (end, _) = events(answer)
    assert [one, other, end] == ["list", "list", "end"]
    assert (first["read"], first["to_read"]) == (0, 100)
    assert (last["read"], last["to_read"]) == (100, 100)
    assert len(order(first["html"])) == 5
    assert order(last["html"]) == order(first["html"])[::-1]
    assert "before a closer reading" in first["html"]
    assert "best 100 read closely" in last["html"]


def test_without_a_cross_encoder_there_is_one_list(client):
    (name, data), (end, _) = events(client.post("/api/stream", data=QUESTION))
    assert (name, data["read"], data["to_read"], end) == ("list", 0, 0, "end")
    whole = client.post("/api/recommend", data=QUESTION, headers={"Accept": "text/html"}).text
    assert order(data["html"]) == order(whole)


def test_kept_lists_are_not_made_twice(recommender):
    reading = Reading(recommender)
    client = create_app(reading).test_client()
    once = events(client.post("/api/stream", data=QUESTION))
    again = events(client.post("/api/stream", data=QUESTION))
    assert [order(data.get("html", "")) for _, data in again] == [order(data.get("html", "")) for _, data in once]
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


def test_nothing_is_read_for_one_who_leaves(recommender):
    reading = Reading(recommender)
    answer = create_app(reading).test_client().post("/api/stream", data=QUESTION, buffered=False)
    assert next(iter(answer.response)).startswith(b"event: list")
    answer.close()
    assert reading.depths == [0]


def test_streams_and_answers_agree_under_load(recommender):
    app = create_app(Reading(recommender))
    expected = order(app.test_client().post("/api/recommend", data=QUESTION, headers={"Accept": "text/html"}).text)
    found = []

    def ask(number):
        question = {**QUESTION, "abstract": "passages " * number}
        answer = app.test_client().post("/api/stream", data=question)
        found.append(set(order(events(answer)[-2][1]["html"])))

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [set(expected)] * 8
