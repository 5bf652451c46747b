import pytest
import world
from fake_openalex import FakeOpenAlex, Handler
from fake_zotero import FakeZotero, running
from local_server import serving
from small_index import recommender_of

from indexer.paper import Paper


@pytest.fixture
def fake():
    fake = FakeOpenAlex()
    with serving(Handler, fake):
        yield fake


@pytest.fixture
def openalex(fake):
    """OpenAlex with the papers of the demo."""
    fake.corpus = world.openalex_works()
    return fake


@pytest.fixture
def apis():
    """The other APIs with the papers of the demo."""
    apis = world.Apis()
    with serving(world.Handler, apis):
        yield apis


@pytest.fixture
def zotero():
    return FakeZotero()


@pytest.fixture
def address(zotero):
    """Where the played Zotero listens."""
    with running(zotero) as found:
        yield found


@pytest.fixture(scope="module")
def recommender(tmp_path_factory):
    return recommender_of([Paper("bread", "Baking bread with a slow dough")], tmp_path_factory.mktemp("served"))
