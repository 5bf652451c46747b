"""What goes wrong on the way, and what the user reads of it."""

import json
import logging
import socket
import ssl
import subprocess
import threading
import time

import pytest
from fake_openalex import CORPUS, FakeOpenAlex, Handler, doi_of
from local_server import Server
from test_fetching import access, fetch, ids, ids_of

from common.errors import FetchError
from fetch.client import Access, Client, RefusedError
from fetch.download import download
from fetch.selection import Selection

FAULTS = ["408", "429", "429 Retry-After=0", "500", "502", "503", "504", "reset", "half", "torn", "html", "silent"]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_passing_failure_is_tried_again_and_loses_and_repeats_nothing(fake, tmp_path, fault):
    fake.faults = {1: fault, 3: fault, 4: fault}
    out = tmp_path / "out.jsonl"
    download(Selection("paper"), out, access(fake, timeout=1 if fault == "silent" else 5))
    assert ids_of(out) == ids(CORPUS)
    cursors = [parameters["cursor"] for _, parameters, _ in fake.seen]
    assert len(cursors) == 6 + 3
    assert cursors[0] == cursors[1] == "*"
    assert cursors[2] == cursors[3] == cursors[4] != cursors[5]


@pytest.mark.parametrize("fault", ["503", "429 Retry-After=0"])
def test_waits_grow_and_differ_between_tries(fake, monkeypatch, fault):
    slept = []
    monkeypatch.setattr("fetch.client.time.sleep", slept.append)
    fake.faults = {0: fault}
    for _ in range(2):
        with pytest.raises(FetchError):
            Client(Access(fake.url, tries=8, backoff=1.0)).get("works", {})
    waits = [seconds for seconds in slept if seconds > 0.5]
    first, second = waits[:6], waits[6:]
    assert all(2 ** (n + 1) <= seconds <= min(60, 2 ** (n + 1) + 1) for n, seconds in enumerate(first[:5]))
    assert first[5] == second[5] == 60
    assert first[:5] != second[:5]


def test_without_a_network_it_ends_at_once_but_goes_on_where_one_was(fake, monkeypatch):
    def lookup(*_, **__):
        raise socket.gaierror(-2, "Name or service not known")

    slept = []
    reached = Client(Access(fake.url, tries=3))
    with pytest.raises(RefusedError):
        reached.get("nothing", {})
    monkeypatch.setattr("fetch.client.time.sleep", slept.append)
    monkeypatch.setattr(socket, "getaddrinfo", lookup)
    with pytest.raises(FetchError, match=r"works: no such host \(.*not known\); is there a network"):
        Client(Access(fake.url)).get("works", {})
    assert sum(slept) < 1
    fake.faults = {2: "reset"}
    with pytest.raises(FetchError, match=r"the connection failed .*, 3 tries"):
        reached.get("works", {})


class _Refusing(Handler):
    def do_CONNECT(self):
        self.send(407, b"")


@pytest.mark.parametrize("there", [True, False])
def test_a_proxy_that_refuses_or_is_not_found_is_said_at_once(monkeypatch, there):
    slept = []
    with Server(_Refusing, FakeOpenAlex()) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        place = f"127.0.0.1:{proxy.server_port}" if there else "proxy.invalid:1"
        monkeypatch.setenv("https_proxy", f"http://me:secret@{place}")
        monkeypatch.setattr("fetch.client.time.sleep", slept.append)
        with pytest.raises(FetchError, match=r"works: the proxy is not there or refuses \(.*HTTPS_PROXY") as error:
            Client(Access("https://works.invalid")).get("works", {})
        proxy.shutdown()
    assert sum(slept) < 1
    assert "secret" not in str(error.value)


@pytest.mark.parametrize("fault", ["429 Retry-After=15120", "429 X-RateLimit-Remaining=0 X-RateLimit-Reset=15120"])
def test_a_spent_daily_limit_ends_in_one_line_that_says_when_to_go_on(fake, tmp_path, monkeypatch, fault):
    monkeypatch.setattr("fetch.client.time.sleep", lambda _: None)
    fake.faults = {3: fault}
    out = tmp_path / "out.jsonl"
    with pytest.raises(FetchError) as error:
        fetch(fake, out, search="paper")
    assert "HTTP 429 made-up trouble 429" in str(error.value)
    assert "same command again to go on in 4 h 12 min" in str(error.value)
    assert not out.exists()
    assert fetch(fake, out, search="paper").resumed == 200
    assert ids_of(out) == ids(CORPUS)


@pytest.mark.parametrize(
    ("fault", "part"),
    [
        ("500", "HTTP 500 made-up trouble 500"),
        ("reset", "connection"),
        ("torn", "truncated or no JSON"),
        ("silent", "no answer within 0.1 s"),
    ],
)
def test_after_the_last_try_one_line_says_where_what_and_how_to_go_on(fake, tmp_path, fault, part):
    fake.faults = {0: fault}
    with pytest.raises(FetchError) as error:
        download(Selection("paper"), tmp_path / "out.jsonl", access(fake, timeout=0.1 if fault == "silent" else 5))
    message = str(error.value)
    assert message.startswith(f"{fake.url}/works?")
    assert part in message
    assert message.endswith("4 tries; run the same command again to go on")
    assert "\n" not in message
    assert len(message) < 500
    fake.wait_for(4)  # it may give up before the server has read what it asks
    assert len(fake.seen) == 4


def test_a_server_that_is_not_there_is_named(tmp_path):
    nowhere = Access("http://127.0.0.1:9", tries=2, backoff=0)
    with pytest.raises(FetchError, match=r"127\.0\.0\.1:9/works.*refused.*2 tries"):
        download(Selection("paper"), tmp_path / "out.jsonl", nowhere)


def test_a_certificate_that_is_not_trusted_is_said_at_once(tmp_path, monkeypatch):
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    certificate = tmp_path / "certificate.pem"
    command = "openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run([*command.split(), "-keyout", certificate, "-out", certificate], check=True, capture_output=True)  # noqa: S603
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate)
    with Server(Handler, FakeOpenAlex()) as server:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        client = Client(Access(f"https://localhost:{server.server_port}", requests_per_second=1000, tries=3, backoff=0))
        with pytest.raises(FetchError, match=r"CERTIFICATE_VERIFY_FAILED.*REQUESTS_CA_BUNDLE$"):
            client.get("topics", {"search": "graph"})
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "none.pem"))
        with pytest.raises(FetchError, match=r"topics.*invalid path: .*none.pem"):
            client.get("topics", {"search": "graph"})
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
        assert client.get("topics", {"search": "graph"})["results"]
        server.shutdown()


def test_an_answer_that_does_not_end_is_given_up(fake, monkeypatch):
    monkeypatch.setattr("fetch.client._MAX_ANSWER_BYTES", 1000)
    with pytest.raises(FetchError, match="too long or too slow"):
        Client(access(fake)).get(
            "works", {"filter": "title_and_abstract.search:paper", "select": "id,title", "per_page": "100"}
        )


@pytest.mark.parametrize("status", ["400", "401", "403", "404"])
def test_a_refusal_is_not_tried_again_and_gives_the_api_s_own_message(fake, tmp_path, status):
    fake.faults = {0: status}
    with pytest.raises(FetchError) as error:
        download(Selection("paper"), tmp_path / "out.jsonl", access(fake, api_key="SECRET"))
    assert f"HTTP {status} made-up trouble {status}" in str(error.value)
    assert ("--api-key" in str(error.value)) == (status in ("401", "403"))
    assert "SECRET" not in str(error.value)
    assert len(fake.seen) == 1


def test_requests_keep_their_distance(fake, tmp_path):
    started = time.monotonic()
    download(Selection("paper"), tmp_path / "out.jsonl", access(fake, requests_per_second=20))
    assert time.monotonic() - started >= (len(fake.seen) - 1) / 20


def test_long_waits_are_reported_and_short_ones_only_to_the_log(fake, caplog, monkeypatch):
    monkeypatch.setattr("fetch.client.time.sleep", lambda _: None)
    caplog.set_level(logging.INFO)
    fake.faults = {1: "429 Retry-After=90", 2: "500"}
    Client(access(fake)).get("works", {"filter": "title_and_abstract.search:paper", "select": "id"})
    assert [(r.levelname, "next try in" in r.getMessage()) for r in caplog.records if r.name == "fetch.client"] == [
        ("WARNING", True),
        ("INFO", True),
    ]


def test_another_server_s_json_is_no_page_of_works(fake, tmp_path, monkeypatch):
    monkeypatch.setattr("fake_openalex.Handler.result", lambda *_: (200, {"hello": "world"}))
    with pytest.raises(FetchError, match="the answer has no 'meta'"):
        fetch(fake, tmp_path / "out.jsonl", search="paper")


def test_a_cursor_that_became_a_number_loses_no_work(fake, tmp_path, monkeypatch):
    def numbered(_handler, _path, parameters):
        place = int(parameters["cursor"].replace("*", "0"))
        return 200, {"meta": {"count": 3, "next_cursor": place + 1}, "results": CORPUS[place : min(place + 1, 3)]}

    monkeypatch.setattr("fake_openalex.Handler.result", numbered)
    fetch(fake, tmp_path / "out.jsonl", search="paper")
    assert ids_of(tmp_path / "out.jsonl") == ids(CORPUS[:3])


@pytest.mark.parametrize("cited", [7, "https://openalex.org/W1", {"W1": 1}])
def test_references_of_another_shape_are_said_and_not_lost(fake, tmp_path, monkeypatch, cited):
    page = {"meta": {"count": 1}, "results": [{**CORPUS[6], "referenced_works": cited}]}
    monkeypatch.setattr("fake_openalex.Handler.result", lambda *_: (200, page))
    with pytest.raises(FetchError, match=r"referenced_works of .*/W7 is no list: update citescout"):
        fetch(fake, tmp_path / "out.jsonl", around=(doi_of(7),))


def test_halves_of_surrogate_pairs_do_not_stop_a_download(fake, tmp_path, monkeypatch):
    work = {**CORPUS[0], "title": "Broken \ud83d title"}
    page = {"meta": {"count": 1, "next_cursor": None}, "results": [work, {"no": "id"}, None]}
    monkeypatch.setattr("fake_openalex.Handler.result", lambda *_: (200, page))
    out = tmp_path / "out.jsonl"
    fetch(fake, out, search="paper")
    assert [json.loads(line)["title"] for line in out.read_bytes().splitlines()] == ["Broken ? title"]


def test_a_list_that_turns_in_a_circle_ends_and_the_next_run_goes_on(fake, tmp_path, monkeypatch):
    """The fourth page's cursor leads to the second page."""
    real = Handler.result

    def circling(handler, path, parameters):
        status, answer = real(handler, path, parameters)
        if len(fake.seen) == 4:
            answer = {**answer, "meta": {**answer["meta"], "next_cursor": fake.seen[1][1]["cursor"]}}
        return status, answer

    out = tmp_path / "out.jsonl"
    with monkeypatch.context() as patched:
        patched.setattr("fake_openalex.Handler.result", circling)
        with pytest.raises(FetchError, match="the same page twice; try again later"):
            fetch(fake, out, search="paper")
    assert not out.exists()
    fetch(fake, out, search="paper")
    assert ids_of(out) == ids(CORPUS)
