"""Running the application for real: waitress, a fixed number of threads, and an orderly end."""

from __future__ import annotations

import logging
import os
import re
import signal
import threading
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING

import orjson
from flask import Flask
from waitress.buffers import OverflowableBuffer
from waitress.channel import HTTPChannel
from waitress.parser import HTTPRequestParser
from waitress.server import BaseWSGIServer, create_server
from waitress.task import ErrorTask, Task, WSGITask
from waitress.utilities import Error, RequestEntityTooLarge
from werkzeug.wsgi import ClosingIterator

from citescout.live import warm_up
from common.text import one_line
from webui.answers import Limits
from webui.listening import LOOPBACK, announcement, not_listening
from webui.logs import announce
from webui.site import Site

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_log = logging.getLogger(__name__)

# Beyond those that answer or wait with questions, so that refusals, the page, its files and /health stay quick.
_SPARE_THREADS = 6
_MAX_CONNECTIONS = 200
_OPEN_FILES = 1_024  # connections among them: what the indexes, the sessions and 200 connections take at most
_IDLE_SECONDS = 60  # that a connection is open without activity, and that the head of a request may take
_LOOKED = 10  # seconds between two looks for idle connections
_SLOWEST = 5_000  # bytes a second of a body
_PATIENCE = 5.0  # seconds beyond the deadline, for requests on their way when the server stops
_FLUSH = 0.2  # seconds in which the last bytes leave
_MAX_HEADER = 256 * 1024  # bytes; a question may stand in the address
_MAX_BODY = 16 * 1024 * 1024  # bytes that are kept; the application refuses less
_MOST_READ = 128 * 1024 * 1024  # bytes of a body: who is cut off while sending sees no answer


def serve(app: Flask, host: str = "127.0.0.1", port: int = 8000, prefix: str = "") -> None:
    """Serve until SIGINT or SIGTERM.

    Questions that are being answered then are answered first, within their deadline; others get 503. A second signal
    ends the server at once.

    Port 0 takes a free one. The address goes to standard error once questions are answered. All links of the page begin
    with the `prefix`, a path below which a proxy has it; the proxy may take it off what it asks for, or not.

    Raises:
        CitescoutError: the address cannot be listened on.
    """
    if host in LOOPBACK:
        app.config["TRUSTED_HOSTS"] = [*(app.config.get("TRUSTED_HOSTS") or ()), *LOOPBACK]
    site: Site | None = app.extensions.get("citescout")
    limits = site.answers.limits if site else Limits()
    counted = InFlight(app)
    sockets: dict[int, object] = {}
    try:
        server = create_server(
            counted,
            map=sockets,
            host=host,
            port=port,
            threads=limits.at_once + limits.queue + _SPARE_THREADS,
            connection_limit=_connections(),
            channel_timeout=_IDLE_SECONDS,
            cleanup_interval=_LOOKED,
            max_request_header_size=_MAX_HEADER,
            max_request_body_size=_MOST_READ,
            clear_untrusted_proxy_headers=True,
            url_prefix=prefix,
            ident="citescout",
        )
    except (OSError, ValueError) as error:
        raise not_listening(host, port, error) from None
    for listening in sockets.values():
        if isinstance(listening, BaseWSGIServer):
            listening.channel_class = _Channel
    # Waitress warns of every question that waits for a thread; waiting is what the queue is for.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    for name in ("waitress", app.name):
        logging.getLogger(name).addFilter(_without_path)
    stopping = site.stopping if site else threading.Event()
    closed = bool(app.config.get("TRUSTED_HOSTS") or (site and site.keys))
    with _stopped_by_signals(counted, stopping, limits.deadline), suppress(KeyboardInterrupt):
        for answers in site.indexes.values() if site else ():
            warm_up(answers.recommender)
        announce(announcement(host, _port(server), closed))
        server.run()  # takes a KeyboardInterrupt for the sign to stop, and returns when its threads are done
    server.close()
    announce("citescout has stopped\n")


def _connections() -> int:
    """How many may be open: where a process may open few files, some are left for what answers."""
    try:
        import resource
    except ImportError:  # Windows
        return _MAX_CONNECTIONS
    files, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY or files >= _OPEN_FILES:
        return _MAX_CONNECTIONS
    files = _OPEN_FILES if most == resource.RLIM_INFINITY else min(most, _OPEN_FILES)
    resource.setrlimit(resource.RLIMIT_NOFILE, (files, most))
    if files == _OPEN_FILES:
        return _MAX_CONNECTIONS
    found = min(_MAX_CONNECTIONS, files // 4)
    _log.warning("at most %d connections at once: %d files may be open, not %d (ulimit -n)", found, files, _OPEN_FILES)
    return found


def _without_path(record: logging.LogRecord) -> bool:
    """Let no line of waitress or Flask name the path of a request: names of sessions stand in it."""
    record.msg, record.args = re.sub("(?s)( while serving| on) /.*", r"\1 a request", record.getMessage()), ()
    return True


class _AsJson:
    """An error of waitress in the form of those of the API, whose address it may be."""

    def __init__(self, error: Error) -> None:
        self._error = error

    def to_response(self, _ident: str) -> tuple[str, list[tuple[str, str]], bytes]:
        """Status, headers and body; the error is in the log from then on."""
        status, request_id = f"{self._error.code} {self._error.reason}", uuid.uuid4().hex
        fields = {"event": "refusal", "request_id": request_id, "reason": self._error.reason}
        _log.warning("refused a request that cannot be read: %s", status, extra={"fields": fields})
        body = {"error": f"{self._error.reason.lower()}: {one_line(self._error.body)}", "request_id": request_id}
        headers = [("Content-Type", "application/json"), ("X-Request-ID", request_id)]
        return status, headers, orjson.dumps(body)


class _NoRoom(Error):  # type: ignore[misc]  # waitress has no types
    code, reason = 503, "Service Unavailable"


class _Body(OverflowableBuffer):  # type: ignore[misc]
    """What comes after the head of a request; read to its end, too, where it is too large or no file takes it."""

    lost = False

    def append(self, data: bytes) -> None:
        if self.lost or len(self) >= _MAX_BODY:
            return
        try:
            super().append(data)
        except OSError as error:
            self.lost = True
            reason = error.strerror or error
            _log.error("no temporary file takes what is sent: %s; make room, or name a folder in TMPDIR", reason)

    def close(self) -> None:
        with suppress(OSError):
            super().close()


class _Request(HTTPRequestParser):  # type: ignore[misc]
    error: Error | None

    def parse_header(self, header_plus: bytes) -> None:
        super().parse_header(header_plus)
        if self.body_rcv is not None:
            self.body_rcv.buf = _Body(self.adj.inbuf_overflow)

    def received(self, data: bytes) -> int:
        consumed: int = super().received(data)
        if self.completed and not self.error and self.body_rcv is not None and self.body_rcv.buf.lost:
            self.error = _NoRoom("the server has no room for what was sent: its log says more")
        return consumed


def _refusal(channel: HTTPChannel, request: HTTPRequestParser) -> Task:
    """The answer to a request of which waitress reads no more; one that is too large the application refuses itself."""
    if not isinstance(request.error, RequestEntityTooLarge):
        request.error = _AsJson(request.error)
        return ErrorTask(channel, request)
    request.headers["CONNECTION"] = "close"  # what is left of the body is no next request
    request.headers.setdefault("CONTENT_LENGTH", str(request.body_bytes_received))  # which one in chunks does not say
    return WSGITask(channel, request)


class _Channel(HTTPChannel):  # type: ignore[misc]
    error_task_class = staticmethod(_refusal)
    parser_class = _Request
    last_activity: float  # of `time.time`

    def handle_read(self) -> None:
        """Read on; of a request that has begun, only a body that comes fast enough is activity."""
        coming, active = self.request, self.last_activity
        before = coming.body_bytes_received if coming else 0
        super().handle_read()
        if coming and coming is self.request:  # it has not come to its end
            bought = (coming.body_bytes_received - before) / _SLOWEST
            self.last_activity = min(self.last_activity, active + bought)


class InFlight:
    """A WSGI application that knows how many of its requests are not answered to the last byte."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._changed = threading.Condition()
        self._count = 0

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Pass the request on."""
        with self._changed:
            self._count += 1
        try:
            return ClosingIterator(self._app(environ, start_response), self._leave)
        except BaseException:
            self._leave()
            raise

    def _leave(self) -> None:
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def wait_for_all(self, seconds: float) -> None:
        """Return when no request is being answered any more, or after so many seconds."""
        with self._changed:
            self._changed.wait_for(lambda: self._count == 0, seconds)


def _port(server: object) -> int:
    """The port that is listened on; a name such as localhost may stand for several sockets."""
    listening = getattr(server, "effective_listen", None)
    return int(listening[0][1] if listening else server.effective_port)  # type: ignore[attr-defined]


@contextmanager
def _stopped_by_signals(counted: InFlight, stopping: threading.Event, deadline: float) -> Iterator[None]:
    """Let the first signal stop the server gracefully, and the next one at once."""

    def drain() -> None:
        counted.wait_for_all(_PATIENCE + deadline)
        time.sleep(_FLUSH)
        os.kill(os.getpid(), signal.SIGTERM)  # to the main thread, which waits for connections

    def stop(_number: int, _frame: FrameType | None) -> None:
        if stopping.is_set():
            raise KeyboardInterrupt
        stopping.set()
        threading.Thread(target=drain, daemon=True).start()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
