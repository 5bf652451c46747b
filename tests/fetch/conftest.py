import threading
from contextlib import contextmanager
from http.server import ThreadingHTTPServer

import pytest
import world
from fake_openalex import FakeOpenAlex, Handler


class Server(ThreadingHTTPServer):
    def handle_error(self, *_):
        """A client that was killed or gave up is part of the tests."""


@contextmanager
def serving(handler):
    server = Server(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def fake():
    with serving(Handler) as server:
        server.fake = FakeOpenAlex(url=f"http://127.0.0.1:{server.server_port}")
        yield server.fake


@pytest.fixture
def openalex(fake):
    """OpenAlex with the papers of the demo."""
    fake.corpus = world.openalex_works()
    return fake


@pytest.fixture
def apis():
    """The other APIs with the papers of the demo."""
    with serving(world.Handler) as server:
        server.apis = world.Apis(url=f"http://127.0.0.1:{server.server_port}")
        yield server.apis
