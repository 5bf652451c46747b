import json
import queue
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from stand_in import StandIn
from web_pages import listed

from citescout.recommendation import Answer
from common.errors import IndexDirectoryError
from webui import create_app
from webui.answers import Limits
from webui.inputs import BEYOND

QUESTION = {"title": "Passage retrieval with neural ranking"}


class Reading(StandIn):
    """A recommender whose cross-encoder turns the list round: half of it is read, then all."""

    def __init__(self, recommender, error=None):
        super().__init__(recommender)
        self.info = replace(recommender.info, reranker="small")
        self._error = error
        self.read = []
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.asked_on = threading.Event()  # for more than the first list

    def answer(self, query, settings):
        *_, last = self.stream(query, settings)
        return last

    def stream(self, query, settings):
        found = tuple(self._recommender.recommend(query, settings))
        for read in (0, 50, 100):
            if read and self._error:
                raise self._error
            self.read.append(read)
            yield Answer(query, found[::-1] if read else found, read=read, to_read=100)
            self.asked_on.set()
            self.goes_on.wait(10)


def events(answer):
    """(name, data) of every event, read as the HTML standard has it."""
    found = []
    for block in answer.text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.splitlines())
        if fields:
            found.append((fields["event"], json.loads(fields["data"])))
    return found


def wait_until(true):
    ends = time.monotonic() + 10
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.01)


def test_first_list_comes_before_the_one_that_was_read(recommender):
    reading = Reading(recommender)
    answer = create_app(reading).test_client().post("/api/stream", data=QUESTION)
    assert answer.mimetype == "text/event-stream"
    (one, first), (another, half), (other, last), (end, _) = events(answer)
    assert [one, another, other, end] == ["list", "list", "list", "end"]
    assert [(data["read"], data["to_read"]) for data in (first, half, last)] == [(0, 100), (50, 100), (100, 100)]
    assert len(listed(first["html"])) == 5
    assert listed(last["html"]) == listed(first["html"])[::-1]
    assert "before a closer reading" in first["html"]
    assert "best 100 read closely" in last["html"]


def test_without_a_cross_encoder_there_is_one_list(client):
    (name, data), (end, _) = events(client.post("/api/stream", data=QUESTION))
    assert (name, data["read"], data["to_read"], end) == ("list", 0, 0, "end")
    whole = client.post("/api/v1/recommend", json=QUESTION, headers={"Accept": "text/html"}).text
    assert listed(data["html"]) == listed(whole)


def test_kept_lists_are_not_made_twice(recommender):
    reading = Reading(recommender)
    client = create_app(reading).test_client()
    *_, last, _ = events(client.post("/api/stream", data=QUESTION))
    kept, _ = events(client.post("/api/stream", data=QUESTION))
    assert (listed(kept[1]["html"]), kept[1]["read"]) == (listed(last[1]["html"]), 100)
    same = {**QUESTION, "beyond": BEYOND}
    whole = client.post("/api/v1/recommend", json=same, headers={"Accept": "text/html"}).text
    assert listed(whole) == listed(last[1]["html"])
    assert reading.read == [0, 50, 100]


def test_a_wrong_question_is_an_ordinary_error(client):
    answer = client.post("/api/stream", data={"title": " "})
    assert answer.status_code == 400
    assert answer.get_json()["error"] == "enter a title or an abstract"


def test_what_breaks_while_reading_is_an_event_that_hides_the_cause(recommender):
    client = create_app(Reading(recommender, IndexDirectoryError("/private is damaged"))).test_client()
    (first, _), (name, data) = events(client.post("/api/stream", data=QUESTION))
    assert (first, name) == ("list", "failed")
    assert "private" not in data["error"]


def test_reading_stops_with_the_slice_for_one_who_leaves(recommender):
    reading = Reading(recommender)
    reading.goes_on.clear()
    app = create_app(reading)
    answer = app.test_client().post("/api/stream", data=QUESTION, buffered=False)
    assert next(iter(answer.response)).startswith(b"event: list")
    assert reading.asked_on.wait(10)
    answer.close()
    reading.goes_on.set()
    answers = app.extensions["citescout"].answers
    wait_until(lambda: answers.running == 0)
    assert reading.read == [0, 50]  # of 0, 50, 100


def test_streams_and_answers_agree_under_load(recommender):
    app = create_app(Reading(recommender), limits=Limits(queue=8))
    expected = listed(app.test_client().post("/api/v1/recommend", json=QUESTION, headers={"Accept": "text/html"}).text)

    def ask(number):
        question = {**QUESTION, "abstract": "passages " * number}
        return set(listed(events(app.test_client().post("/api/stream", data=question))[-2][1]["html"]))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(8))) == [set(expected)] * 8


def test_deadline_ends_a_stream_with_the_list_that_is_there(recommender):
    reading = Reading(recommender)
    reading.goes_on.clear()
    client = create_app(reading, limits=Limits(deadline=0.5)).test_client()
    (name, data), (end, _) = events(client.post("/api/stream", data=QUESTION))
    assert (name, data["read"], data["to_read"], end) == ("list", 0, 100, "end")
    reading.goes_on.set()


def test_a_list_that_arrives_in_the_moment_of_the_deadline_is_shown(recommender, monkeypatch):
    class TooLate(queue.SimpleQueue):
        def get(self, timeout):
            while super().get() is not None:
                pass  # until the answer is there
            raise queue.Empty

    client = create_app(Reading(recommender)).test_client()
    monkeypatch.setattr("webui.answers.queue.SimpleQueue", TooLate)
    (name, data), (end, _) = events(client.post("/api/stream", data=QUESTION))
    assert (name, data["read"], end) == ("list", 100, "end")
