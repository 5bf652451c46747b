import threading
from http.server import ThreadingHTTPServer

import pytest
from fake_openalex import FakeOpenAlex, Handler


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        """A client that was killed or gave up is part of the tests."""


@pytest.fixture
def fake():
    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.fake = FakeOpenAlex(url=f"http://127.0.0.1:{server.server_port}")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server.fake
    server.shutdown()
    server.server_close()
