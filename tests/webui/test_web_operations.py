"""Under load, at the deadline, while the index changes and when the server stops."""

import errno
import io
import json
import logging
import os
import re
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor, as_completed
from datetime import datetime, timedelta
from itertools import islice
from types import SimpleNamespace

import pytest
from stand_in import StandIn

from citescout.live import LiveRecommender
from citescout.recommendation import Answer
from indexer.builds import build_index
from indexer.changes import add_papers
from indexer.paper import Paper
from webui import create_app
from webui.answers import BusyError, Limits
from webui.inputs import from_json
from webui.logs import JsonFormatter, TextFormatter

API = "/api/v1/recommend"
QUESTION = {"title": "Passage retrieval with neural ranking"}


class Slow(StandIn):
    """A recommender that answers when it is told to."""

    def __init__(self, recommender):
        super().__init__(recommender)
        self.go_on = threading.Event()
        self.asked = threading.Semaphore(0)
        self.count = 0

    def answer(self, query, settings):
        self.count += 1
        self.asked.release()
        self.go_on.wait(10)
        return Answer(query, ())


@pytest.fixture
def slow(recommender):
    slow = Slow(recommender)
    yield slow
    slow.go_on.set()


def post(app, number=0, **fields):
    return app.test_client().post(API, json={"title": f"question {number}", **fields})


def until(condition):
    for _ in range(500):
        if condition():
            return
        time.sleep(0.01)
    pytest.fail("never happened")


def test_a_full_queue_refuses_at_once_and_says_when_to_come_again(slow):
    app = create_app(slow, limits=Limits(at_once=1, queue=2), show_metrics=True)
    with ThreadPoolExecutor(3) as pool:
        admitted = [pool.submit(post, app, number) for number in range(3)]
        answers = app.extensions["citescout"].answers
        until(lambda: (answers.running, answers.waiting) == (1, 2))
        refused = post(app, 3)  # would wait for those before it
        page = app.test_client().post("/", data=QUESTION)
        slow.go_on.set()
        assert [answer.result().status_code for answer in admitted] == [200] * 3
    assert refused.status_code == 429
    assert "try again" in refused.get_json()["error"]
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert (page.status_code, 1 <= int(page.headers["Retry-After"]) <= 60) == (429, True)
    assert post(app, 3).status_code == 200
    assert slow.count == 4
    assert 'citescout_refusals_total{reason="queue"} 2.0' in app.test_client().get("/metrics").text


def test_ten_tabs_that_are_opened_again_at_once_are_answered(slow):
    app = create_app(slow)
    answers = app.extensions["citescout"].answers
    with ThreadPoolExecutor(10) as pool:
        asked = [pool.submit(post, app, number) for number in range(10)]
        until(lambda: (answers.running, answers.waiting) == (2, 8))
        slow.go_on.set()
        assert [answer.result().status_code for answer in asked] == [200] * 10


def test_equal_questions_are_answered_once(slow):
    app = create_app(slow, limits=Limits(at_once=1, queue=0))
    with ThreadPoolExecutor(3) as pool:
        asked = [pool.submit(post, app) for _ in range(3)]
        assert slow.asked.acquire(timeout=10)
        assert post(app, 1).status_code == 429
        slow.go_on.set()
        assert [answer.result().status_code for answer in asked] == [200] * 3
    assert slow.count == 1


def test_who_gives_up_a_question_takes_it_from_nobody_else(slow):
    app = create_app(slow, limits=Limits(at_once=1, queue=1))
    served = app.extensions["citescout"]
    asked = from_json({"title": "question 1"}, served.settings_of)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(post, app)
        assert slow.asked.acquire(timeout=10)
        patient = pool.submit(post, app, 1)
        until(lambda: served.answers.waiting == 1)
        with pytest.raises(BusyError):
            served.answers.answer(asked.query, asked.settings, time.monotonic() + 0.1)
        slow.go_on.set()
        assert [answer.result().status_code for answer in (first, patient)] == [200] * 2
    assert slow.count == 2


def test_one_long_question_is_no_reason_to_stay_away_for_long(slow, monkeypatch):
    long = 0.0  # seconds that the first question took
    monkeypatch.setattr("webui.answers.time.monotonic", lambda clock=time.monotonic: clock() + long)
    app = create_app(slow, limits=Limits(at_once=1, queue=1))
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(post, app)
        assert slow.asked.acquire(timeout=10)
        long = 300.0
        slow.go_on.set()
        assert first.result().status_code == 200
        assert [post(app, number).status_code for number in range(1, 4)] == [200] * 3
        answers = app.extensions["citescout"].answers
        until(lambda: answers.running == answers.waiting == 0)
        slow.go_on.clear()
        waiting = [pool.submit(post, app, number) for number in (4, 5)]
        until(lambda: answers.running == answers.waiting == 1)
        refused = post(app, 6)
        slow.go_on.set()
        assert [answer.result().status_code for answer in waiting] == [200] * 2
    assert (refused.status_code, int(refused.headers["Retry-After"]) <= 2) == (429, True)


def test_an_answer_that_takes_too_long_is_given_up_and_kept(slow):
    app = create_app(slow, limits=Limits(at_once=1, queue=1, deadline=0.2))
    late = post(app)
    assert late.status_code == 503
    assert "longer than 0.2 seconds" in late.get_json()["error"]
    assert late.headers["Retry-After"]
    still_waiting = post(app, 1)  # behind the first, which goes on
    assert still_waiting.status_code == 429
    assert slow.count == 1
    slow.go_on.set()
    until(lambda: app.extensions["citescout"].answers.running == 0)
    assert post(app).status_code == 200
    assert slow.count == 1


def test_a_batch_waits_for_its_turn_and_ends_at_the_deadline(slow):
    app = create_app(slow, limits=Limits(at_once=1, queue=0))
    queries = [{"title": f"question {number}"} for number in range(3)]
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(app.test_client().post, "/api/v1/batch", json={"queries": queries})
        assert slow.asked.acquire(timeout=10)
        slow.go_on.set()
        assert [answer.get("error") for answer in done.result().get_json()["answers"]] == [None] * 3
    slow.go_on.clear()
    app.extensions["citescout"].answers.limits = Limits(at_once=1, queue=0, deadline=0.5)
    late = app.test_client().post("/api/v1/batch", json={"queries": [{"title": "a"}, {"title": "b"}]})
    first, second = late.get_json()["answers"]
    assert "longer than" in first["error"]
    assert "try again" in second["error"]
    assert second["error"].startswith("the time of this batch was up")
    assert app.test_client().post("/api/v1/batch", json={"queries": queries[:1]}).status_code == 200  # kept


def test_what_it_takes_to_write_the_lists_of_a_batch_counts_for_its_deadline(slow, monkeypatch):
    """By a clock that the writing alone moves, so that a busy machine is in time, too."""
    now = 0

    def written(_answer):
        nonlocal now
        now += 40
        if now > 100:
            slow.go_on.clear()  # what is asked too late is not ready at once
        return {}

    for module in ("asking", "answers"):
        clock = SimpleNamespace(monotonic=lambda: now, perf_counter=time.perf_counter)
        monkeypatch.setattr(f"webui.{module}.time", clock)
    monkeypatch.setattr("webui.api.answer_record", written)
    slow.go_on.set()
    app = create_app(slow, limits=Limits(deadline=100))
    queries = [{"title": f"passage retrieval {number}"} for number in range(8)]
    answers = app.test_client().post("/api/v1/batch", json={"queries": queries}).get_json()["answers"]
    assert ["error" in answer for answer in answers] == [False] * 3 + [True] * 5


@pytest.mark.long
def test_requests_never_fail_while_the_index_is_swapped(tmp_path):
    build_index([Paper("p0", "Passage retrieval"), Paper("b", "Bread")], tmp_path / "index", None)
    live = LiveRecommender.open(tmp_path / "index")
    app = create_app(live, limits=Limits(at_once=2, queue=8))
    stop = threading.Event()
    statuses, sizes = [], []

    def ask(worker):
        client = app.test_client()
        number = 0
        while not stop.is_set():
            number += 1
            answer = client.post(API, json={"title": f"passage retrieval {worker} {number}", "k": 50})
            statuses.append(answer.status_code)
            sizes.append(len(answer.get_json()["recommendations"]))

    threads = [threading.Thread(target=ask, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for generation in range(1, 5):
        add_papers([Paper(f"p{generation}", f"Retrieval of passages {generation}")], tmp_path / "index")
        time.sleep(0.3)
    until(lambda: sizes[-1] == 5)
    stop.set()
    for thread in threads:
        thread.join()
    live.close()
    assert set(statuses) == {200}
    assert len(statuses) > 20
    assert set(sizes) >= {5}


def test_a_well_formed_request_id_is_kept_and_another_replaced(client):
    assert client.get("/", headers={"X-Request-ID": "abc-123_X.y"}).headers["X-Request-ID"] == "abc-123_X.y"
    for bad in ("short", "x" * 65, "a b c d e f g", "<script>alert(1)</script>"):
        given = client.get("/", headers={"X-Request-ID": bad}).headers["X-Request-ID"]
        assert re.fullmatch("[0-9a-f]{32}", given)
    first, second = (client.get("/").headers["X-Request-ID"] for _ in range(2))
    assert first != second


class Broken(StandIn):
    """A recommender whose error quotes the question."""

    def answer(self, query, settings):
        raise ValueError(f"cannot parse {query.abstract}")


def logged(app, formatter, caplog):
    with caplog.at_level(logging.INFO):
        answer = app.test_client().post(API, json={"title": "T", "abstract": "my secret\nidea"})
        page = app.test_client().get("/nothing%0aINFO:%20forged?title=my+secret")
    assert (answer.status_code, page.status_code) == (500, 404)
    return [formatter.format(record) for record in caplog.records], answer.get_json()["request_id"]


def test_logs_are_json_and_hold_no_question(recommender, caplog):
    lines, request_id = logged(create_app(Broken(recommender)), JsonFormatter(False), caplog)
    records = [json.loads(line) for line in lines]
    error, request, missing = records
    assert error["error"]["type"] == "ValueError"
    assert error["error"]["where"][-1].startswith("test_web_operations.py:")
    assert error["request_id"] == request["request_id"] == request_id
    assert (request["route"], request["method"], request["status"]) == (API, "POST", 500)
    assert missing["route"] == "unknown"
    assert datetime.fromisoformat(missing["time"]).utcoffset() == timedelta(0)
    assert not any("secret" in line or "\n" in line for line in lines)


def test_logs_hold_questions_where_asked_for(recommender, caplog):
    lines, _ = logged(create_app(Broken(recommender)), JsonFormatter(True), caplog)
    assert json.loads(lines[0])["error"]["message"] == "cannot parse my secret\nidea"
    assert json.loads(lines[1])["question"] == {"title": "T", "abstract": "my secret\nidea"}


@pytest.mark.parametrize("formatter", [JsonFormatter(False), TextFormatter(False)], ids=["json", "text"])
def test_a_message_that_names_a_file_whose_name_is_not_text_is_logged(formatter):
    record = logging.LogRecord("webui", logging.ERROR, "", 0, "cannot read %s: gone", ("/a\udcff",), None)
    assert re.search("cannot read /a.: gone", formatter.format(record).encode().decode())


@pytest.mark.parametrize("formatter", [JsonFormatter(False), TextFormatter(False)], ids=["json", "text"])
def test_what_the_system_refused_is_logged_without_the_name_of_a_file(recommender, caplog, formatter):
    class Refused(StandIn):
        def answer(self, query, settings):
            raise OSError(errno.EMFILE, "secret", query.abstract)

    lines, _ = logged(create_app(Refused(recommender)), formatter, caplog)
    assert os.strerror(errno.EMFILE) in lines[0]
    assert not any("secret" in line for line in lines)


def test_logs_for_people_have_a_line_an_event(recommender, caplog):
    lines, _ = logged(create_app(Broken(recommender)), TextFormatter(False), caplog)
    assert re.match(rf"ERROR: while answering '{API}': ValueError at test_web_operations.py:\d+ answer < ", lines[0])
    assert not any("secret" in line or "\n" in line for line in lines)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """`citescout serve` as a process: its address, and the process."""
    folder = tmp_path_factory.mktemp("served")
    build_index([Paper("p0", "Passage retrieval"), Paper("b", "Bread")], folder / "index", None)
    command = [
        sys.executable, "-m", "citescout", "serve", "--index", str(folder / "index"), "--port", "0",
        "--log", "json", "--at-once", "1", "--queue", "1", "--metrics", "--permalinks", str(folder / "links"),
        "--trusted-host", "cite.example",
    ]  # fmt: skip
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)  # noqa: S603
    lines = []
    for line in process.stderr:
        lines.append(line)
        if found := re.search(r"http://127\.0\.0\.1:[0-9]+", line):
            break
    else:
        pytest.fail("".join(lines))
    yield found[0], process, lines
    process.kill()
    process.communicate()


def fetch(url, host):
    request = urllib.request.Request(url, headers={"Host": host})  # noqa: S310
    return urllib.request.urlopen(request, timeout=30)  # noqa: S310


def test_the_command_serves_logs_and_stops(served):
    address, process, started = served
    for name in ("cite.example", "127.0.0.1"):
        with fetch(f"{address}/health", name) as answer:
            assert json.load(answer)["papers"] == 2
            assert answer.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    with pytest.raises(urllib.error.HTTPError) as refused:
        fetch(f"{address}/health", "evil.example")
    assert refused.value.code == 400
    with fetch(f"{address}/metrics", "127.0.0.1") as answer:
        assert b"citescout_stage_seconds" in answer.read()
    process.send_signal(signal.SIGTERM)
    assert process.wait(30) == 0
    events = [json.loads(line) for line in [*started, *process.stderr]]
    routes = [(entry["route"], entry["status"]) for entry in events if entry.get("event") == "request"]
    assert routes == [("/health", 200), ("/health", 200), ("unknown", 400), ("/metrics", 200)]
    said = [entry["message"] for entry in events if "event" not in entry]
    assert said[0].startswith("Opening ")
    assert said[1:] == [f"citescout is at {address}/ (stop with Ctrl+C)", "citescout has stopped"]


def test_a_stopping_server_finishes_what_it_began_and_refuses_the_rest(slow):
    app = create_app(slow)
    with ThreadPoolExecutor(1) as pool:
        begun = pool.submit(post, app)
        assert slow.asked.acquire(timeout=10)
        app.extensions["citescout"].stopping.set()
        refused = post(app, 1)
        slow.go_on.set()
        assert begun.result().status_code == 200
    assert refused.status_code == 503
    assert refused.headers["Retry-After"]
    assert app.test_client().get("/health").status_code == 503


def test_uploads_leave_threads_to_others(recommender):
    class Looking(StandIn):
        def __init__(self, recommender):
            super().__init__(recommender)
            self.goes_on, self.looking, self.most, self.lock = threading.Event(), 0, 0, threading.Lock()

        def resolve(self, works):
            with self.lock:
                self.looking += 1
                self.most = max(self.most, self.looking)
            assert self.goes_on.wait(30)
            with self.lock:
                self.looking -= 1
            return recommender.resolve(works)

    looking = Looking(recommender)
    app = create_app(looking)

    def upload(_number):
        entries = io.BytesIO(b"@article{a, title={Dense passage retrieval}, year={2020}}")
        return app.test_client().post("/api/file", data={"file": (entries, "refs.bib")}).status_code

    with ThreadPoolExecutor(12) as pool:
        sent = [pool.submit(upload, number) for number in range(12)]
        refused = list(islice(as_completed(sent), 8))  # while nothing goes on
        looking.goes_on.set()
        assert sorted(one.result() for one in sent) == [200] * 4 + [429] * 8
    assert [one.result() for one in refused] == [429] * 8
    assert looking.most <= 2
