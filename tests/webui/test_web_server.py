"""The server itself: its end, its address, and requests that it refuses before the application sees them."""

import json
import logging
import re
import signal
import socket
import threading
import time
import urllib.error
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
from command_line import refused, running

from common.errors import CitescoutError
from webui import serve
from webui.listening import announcement
from webui.server import _without_path

PATIENCE = 120  # seconds, for what never comes; a busy machine may need many for what takes a moment

# A server whose only answer takes a second, without an index: what is tested is the serving.
PROGRAM = """
import time
from flask import Flask
from webui.server import serve
app = Flask("slow")
@app.get("/")
def slow():
    print("asked", flush=True)
    time.sleep(1)
    return "answered"
serve(app, "127.0.0.1", 0)
"""
READING = PROGRAM.replace("get(", "post(").replace("time.sleep(1)", "flask.request.get_data()")


# One that says what it was asked.
ECHO = """
from webui import serve
from flask import Flask
app = Flask("bare")
@app.post("/")
def echo():
    from flask import request
    return f"{request.method} {len(request.get_data())} {request.remote_addr} {request.headers.get('X-Forwarded-For')}"
serve(app, "127.0.0.1", 0)
"""


@pytest.fixture(scope="module")
def port():
    with running(ECHO) as process:
        yield port_of(process)


def address(process):
    return re.search(r"http://127\.0\.0\.1:[0-9]+/", process.stderr.readline())[0]


def port_of(process):
    return int(address(process).rstrip("/").rpartition(":")[2])


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_signal_ends_the_server_after_the_answers_on_their_way(number):
    body = []
    with running(PROGRAM) as server:
        url = address(server)
        asking = threading.Thread(target=lambda: body.append(urllib.request.urlopen(url, timeout=PATIENCE).read()))  # noqa: S310
        asking.start()
        assert server.stdout.readline() == "asked\n"
        server.send_signal(number)
        asking.join(PATIENCE)
        assert body == [b"answered"]
        assert server.wait(PATIENCE) == 0
        assert server.stderr.read() == "citescout has stopped\n"


def test_other_host_names_are_refused_on_the_loopback(port):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/", headers={"Host": "attacker.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=PATIENCE)  # noqa: S310
    assert refused.value.code == 400


def test_the_address_that_is_announced_on_the_loopback_of_ipv6_is_answered():
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 here")
    program = PROGRAM.replace('"127.0.0.1"', '"::1"')
    with running(program) as process:
        url = re.search(r"http://\[::1\]:[0-9]+/", process.stderr.readline())[0]
        assert urllib.request.urlopen(url, timeout=PATIENCE).read() == b"answered"  # noqa: S310
        for name in ("attacker.example", "[::2]", "[2001:db8::1]:80"):
            with pytest.raises(urllib.error.HTTPError, match="400"):
                urllib.request.urlopen(urllib.request.Request(url, headers={"Host": name}), timeout=PATIENCE)  # noqa: S310


@pytest.mark.parametrize(
    "header, body", [("Content-Length: 17000000", b""), ("Transfer-Encoding: chunked", b"1000000\r\n".ljust(16 << 20))]
)
def test_a_body_of_which_no_more_is_read_is_refused_by_the_application(header, body):
    program = f"import flask, webui.server\nwebui.server._MOST_READ = 16 << 20\n{READING}"
    program = program.replace("@app", "app.config['MAX_CONTENT_LENGTH'] = 9\n@app")
    with running(program) as process:
        port = port_of(process)
        with socket.create_connection(("127.0.0.1", port), PATIENCE) as client:
            client.sendall(f"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\n{header}\r\n\r\n".encode() + body)
            answer = client.makefile("rb").read()  # to the end of the connection
        assert answer.startswith(b"HTTP/1.1 413 ")
        assert b"exceeds the capacity limit" in answer, "Flask's own words"


def test_who_sends_too_much_reads_why():
    program = f"import flask\n{READING}".replace("@app", "app.config['MAX_CONTENT_LENGTH'] = 9\n@app")
    with running(program) as process:
        url = address(process)
        for body in (bytes(50_000_000), iter([bytes(1_000_000)] * 50)):  # as whole, and in chunks
            with pytest.raises(urllib.error.HTTPError, match="413"):
                urllib.request.urlopen(url, body, timeout=PATIENCE)  # noqa: S310


def test_a_body_that_no_temporary_file_takes_is_refused_in_words_and_logged(tmp_path):
    program = PROGRAM.replace("get(", "post(").replace("time.sleep(1)", "")
    program = f"import tempfile\ntempfile.tempdir = {str(tmp_path / 'missing')!r}\n{program}"
    with running(program) as process:
        url = address(process)
        for body in (bytes(3_000_000), iter([bytes(600_000)] * 3)):  # of a length that is told before, and in chunks
            with pytest.raises(urllib.error.HTTPError, match="503") as refused:
                urllib.request.urlopen(url, body, timeout=PATIENCE)  # noqa: S310
            assert "has no room for what was sent" in json.load(refused.value)["error"]
        assert urllib.request.urlopen(url, b"small", timeout=PATIENCE).read() == b"answered"  # noqa: S310
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=PATIENCE)[1].splitlines()
        reason = (
            "no temporary file takes what is sent: No such file or directory; make room, or name a folder in TMPDIR"
        )
        assert said[:-1] == 2 * [reason, "refused a request that cannot be read: 503 Service Unavailable"]


@pytest.mark.long
def test_a_request_that_comes_too_slowly_is_given_up_and_a_long_one_is_not():
    """A connection is idle after two seconds here: no byte of a head renews them, of a body only 1,000 a second."""
    limits = "webui.server._IDLE_SECONDS, webui.server._LOOKED, webui.server._SLOWEST = 2, 0, 1000"
    program = f"import flask, webui.server\n{limits}\n{READING}"
    head = b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: "
    with running(program) as process:
        port = port_of(process)
        slow_head, slow_body, long_body = (socket.create_connection(("127.0.0.1", port), PATIENCE) for _ in range(3))
        slow_body.sendall(head + b"20000\r\n\r\n")
        long_body.sendall(head + b"20000\r\n\r\n")
        closed = {}
        for second in range(10):
            for name, client, part in (("head", slow_head, b"G"), ("body", slow_body, b"x")):
                with suppress(OSError):
                    client.sendall(part)
                client.setblocking(False)
                with suppress(BlockingIOError, ConnectionError):
                    if not client.recv(1):
                        closed.setdefault(name, second)
                client.setblocking(True)
            long_body.sendall(2000 * b"x")
            time.sleep(0.6)
        assert b" 200 OK" in long_body.makefile("rb").readline()
        assert closed.keys() == {"head", "body"}
        assert min(closed.values()) * 0.6 > 1


def test_who_listens_to_others_is_reported_an_address_that_they_can_open_and_that_nothing_is_asked_of_them():
    program = PROGRAM.replace('"127.0.0.1"', '"0.0.0.0"')
    with running(program) as process:
        url = re.search(r"http://([0-9.]+):[0-9]+/", process.stderr.readline())
        assert url[1] != "0.0.0.0"  # noqa: S104
        assert urllib.request.urlopen(url[0], timeout=PATIENCE).read() == b"answered"  # noqa: S310
        assert "--api-keys closes it" in process.stderr.readline()


def test_links_stay_below_the_path_of_a_proxy_that_takes_it_off_or_leaves_it():
    program = PROGRAM.replace('return "answered"', 'return flask.url_for("slow")').replace("time.sleep(1)", "")
    program = f"import flask\n{program}".replace("0)\n", "0, '/cite')\n")
    with running(program) as process:
        url = address(process)
        for asked in (url, f"{url}cite/"):
            assert urllib.request.urlopen(asked, timeout=PATIENCE).read() == b"/cite/"  # noqa: S310


def test_no_log_names_the_path_of_a_request_that_fails_inside():
    program = PROGRAM.replace('get("/")', 'get("/<path:where>")').replace("def slow()", "def slow(where)")
    for failing in ("raise ValueError", "return (1 / 0 for _ in '1')"):
        code = program.replace("time.sleep(1)", failing)
        with running(code) as process:
            with pytest.raises(urllib.error.HTTPError, match="500"):
                urllib.request.urlopen(f"{address(process)}s/secret", timeout=PATIENCE)  # noqa: S310
            process.send_signal(signal.SIGTERM)
            said = process.communicate(timeout=PATIENCE)[1]
            assert re.search("^(Exception .* a request|.* Exception on a request)", said, re.M)
            assert "Error" in said
            assert "secret" not in said


def test_nobody_is_warned_of_a_server_that_is_closed_or_alone():
    assert "--api-keys" in announcement("192.0.2.7", 80, closed=False)
    assert announcement("192.0.2.7", 80, closed=True) == "citescout is at http://192.0.2.7:80/ (stop with Ctrl+C)\n"
    assert announcement("::1", 80, closed=False) == "citescout is at http://[::1]:80/ (stop with Ctrl+C)\n"


def test_taken_port_is_one_clear_error(port, app):
    with pytest.raises(CitescoutError, match=f"cannot listen on 127.0.0.1:{port}: .*choose another"):
        serve(app, "127.0.0.1", port)


def test_what_would_be_refused_is_refused_before_an_index_is_opened(tmp_path, monkeypatch):
    def opened(*_arguments, **_options):
        raise AssertionError("an index was opened")

    monkeypatch.setattr("citescout.live.LiveRecommender.open", opened)
    monkeypatch.setenv("CITESCOUT_DATA", str(tmp_path / "data"))
    file = tmp_path / "file"
    file.write_text("nonsense")
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        for options, said in (
            (["--port", str(port)], f"cannot listen on 127.0.0.1:{port}: "),
            (["--host", "192.0.2.1"], "cannot listen on 192.0.2.1:0: "),
            (["--host", "[2001:db8::1]"], "cannot listen on 2001:db8::1:0: "),
            (["--sessions", str(file / "sessions")], "cannot store sessions in "),
            (["--permalinks", str(file / "links")], "cannot store "),
            (["--api-keys", str(file)], "file"),
            (["--build-to", str(file / "built")], "cannot make the folder "),
            (["--build-to", "/proc"], "cannot write into /proc" if Path("/proc").is_dir() else "/proc"),
        ):
            assert said in refused("serve", "--index", tmp_path, "--port", 0, *options)


def test_few_open_files_leave_connections_waiting_and_the_log_short():
    program = f"import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))\n{PROGRAM}"
    with running(program) as process:
        said = process.stderr.readline()
        assert said == "at most 16 connections at once: 64 files may be open, not 1024 (ulimit -n)\n"
        url = address(process)
        place = ("127.0.0.1", int(url.rstrip("/").rpartition(":")[2]))
        others = [socket.create_connection(place) for _ in range(80)]
        time.sleep(0.5)
        for one in others:
            one.close()
        assert urllib.request.urlopen(url, timeout=PATIENCE).read() == b"answered"  # noqa: S310
        process.kill()
        assert len(process.communicate()[1].splitlines()) < 100


@pytest.mark.parametrize(
    ("status", "head"),
    [
        (431, "POST /api/v1/recommend HTTP/1.1\r\nX: " + "x" * 300_000),
        (400, "POST /api/v1/recommend HTTP/1.1\r\nContent-Length: 7x"),
        (400, "GET /api/v1/papers/\xe9 HTTP/1.1"),
        (501, "POST /api/v1/recommend HTTP/1.1\r\nTransfer-Encoding: gzip"),
    ],
)
def test_what_cannot_be_read_is_an_error_as_others_are(port, status, head):
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        request = f"{head}\r\nHost: 127.0.0.1\r\n\r\n".encode("latin-1")
        connection.sendall(request[: 256 * 1024])  # what comes after would be lost, and the connection be reset
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))
    start, _, body = answer.partition(b"\r\n\r\n")
    record = json.loads(body)
    assert start.startswith(f"HTTP/1.1 {status} ".encode()) or start.startswith(f"HTTP/1.0 {status} ".encode())
    assert b"Content-Type: application/json" in start
    assert list(record) == ["error", "request_id"]
    assert f"X-Request-ID: {record['request_id']}".encode().lower() in start.lower()


def raw(port, *lines, body=b""):
    """The first line of the answer, and all of it."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode() + body)
        received = b""
        with suppress(ConnectionResetError):
            while part := connection.recv(65536):
                received += part
    return received.decode("latin-1").partition("\r\n")[0], received.decode("latin-1")


def test_the_bounds_of_a_message_are_not_ambiguous(port):
    hidden = b"0\r\n\r\nGET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n"
    first, whole = raw(
        port, "POST / HTTP/1.1", "Host: localhost", f"Content-Length: {len(hidden)}", "Transfer-Encoding: chunked",
        "Connection: close", body=hidden,
    )  # fmt: skip
    assert whole.count("HTTP/1.1 ") == 1, whole
    for bad in ("Content-Length: 5, 6", "Content-Length: +5", "Transfer-Encoding: x", "Bad Header: x", "X: a\rb"):
        first, whole = raw(port, "POST / HTTP/1.1", "Host: localhost", bad, body=b"hello")
        assert re.match(r"HTTP/1.[01] (400|501)", first), (bad, first)


def test_oversized_heads_are_refused_and_the_server_has_no_version(port):
    first, whole = raw(port, "POST / HTTP/1.1", "Host: localhost", "X-Large: " + "x" * 300_000)
    # The rest of the head may still be on its way when the connection is closed; then the refusal is lost.
    assert not first or re.match(r"HTTP/1.[01] 4(00|31)", first), first
    assert "POST" not in whole
    _, whole = raw(port, "POST / HTTP/1.1", "Host: localhost", "X-Forwarded-For: 1.2.3.4", "Connection: close")
    assert "POST 0 127.0.0.1 None" in whole
    assert re.findall("Server: (.*)\r", whole) == ["citescout"]


@pytest.mark.parametrize(
    ("message", "values", "logged"),
    [
        ("Exception while serving %s", ("/s/secret/",), "Exception while serving a request"),
        ("Exception on %s [%s]", ("/s/secret/", "GET"), "Exception on a request"),
        (ValueError("bad"), (), "bad"),
        ("%d%% on time", (5,), "5% on time"),
    ],
)
def test_no_line_names_the_path_of_a_request_whatever_is_logged(message, values, logged):
    record = logging.LogRecord("waitress", logging.ERROR, __file__, 1, message, values, None)
    assert _without_path(record)
    assert record.getMessage() == logged
