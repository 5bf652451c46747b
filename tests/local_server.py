"""HTTP servers that play others in tests: silent, each on a port of its own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def send(self, status, body, headers=None, part=1.0):
        """An answer of known length; of its body only a `part` is sent, and nothing for HEAD."""
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[: int(len(body) * part)])


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, handler, played):
        super().__init__(("127.0.0.1", 0), handler)
        self.played = played
        played.url = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_):
        """A client that was killed or gave up is part of the tests."""


@contextmanager
def serving(handler: type[Handler], played: object) -> Iterator[None]:
    """A server of `played`, which gets its address as `url`; handlers find it as `self.server.played`."""
    server = Server(handler, played)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
