"""Running the application for real: waitress, a fixed number of threads, and an orderly end."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from flask import Flask
from waitress.server import create_server

from citescout.settings import Settings
from common.errors import CitescoutError
from retrieval.query import Query
from webui.site import Site

# More than are answered at once, so that the page, its files and /health stay quick while questions wait.
_THREADS = 8
_MAX_CONNECTIONS = 200
_IDLE_SECONDS = 60
_MAX_HEADER = 256 * 1024  # bytes; a question may stand in the address
_MAX_BODY = 16 * 1024 * 1024  # bytes; the application itself refuses far less, with a proper message
LOOPBACK = ("127.0.0.1", "localhost", "::1", "[::1]")


def serve(app: Flask, host: str = "127.0.0.1", port: int = 8000) -> None:
    """Serve until SIGINT or SIGTERM; questions that are being answered then are answered first (5 s at most).

    Port 0 takes a free one. The address goes to standard error once questions are answered.

    Raises:
        CitescoutError: the address cannot be listened on.
    """
    if host in LOOPBACK and app.config.get("TRUSTED_HOSTS") is None:
        app.config["TRUSTED_HOSTS"] = list(LOOPBACK)
    try:
        server = create_server(
            app,
            host=host,
            port=port,
            threads=_THREADS,
            connection_limit=_MAX_CONNECTIONS,
            channel_timeout=_IDLE_SECONDS,
            max_request_header_size=_MAX_HEADER,
            max_request_body_size=_MAX_BODY,
            clear_untrusted_proxy_headers=True,
            ident="citescout",
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise CitescoutError(f"cannot listen on {host}:{port}: {reason}; choose another --host or --port") from None
    # Waitress warns of every question that waits for a thread; waiting is what the queue is for.
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)
    shown = f"[{host}]" if ":" in host else host
    with _stopped_by_signals(), suppress(KeyboardInterrupt):
        _warm_up(app)
        sys.stderr.write(f"citescout is at http://{shown}:{_port(server)}/ (stop with Ctrl+C)\n")
        sys.stderr.flush()
        server.run()  # takes a KeyboardInterrupt for the sign to stop, and returns when its threads are done
    server.close()
    sys.stderr.write("citescout has stopped\n")


def _warm_up(app: Flask) -> None:
    """Ask a first question: models are loaded and compiled on first use, for which no visitor should wait."""
    site = app.extensions.get("citescout")
    if isinstance(site, Site):
        site.answers.answer(Query(title="citation recommendation"), Settings())


def _port(server: object) -> int:
    """The port that is listened on; a name such as localhost may stand for several sockets."""
    listening = getattr(server, "effective_listen", None)
    return int(listening[0][1] if listening else server.effective_port)  # type: ignore[attr-defined]


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
