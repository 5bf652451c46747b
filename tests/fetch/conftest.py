import pytest
import world
from bibliography import addresses, write_bibliography
from fake_openalex import FakeOpenAlex, Handler
from fake_zotero import FakeZotero, running
from local_server import serving
from small_index import recommender_fixture

from fetch.corpus.answers import Answers
from fetch.corpus.apis import ApiOptions
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


@pytest.fixture
def answers(tmp_path):
    """What APIs answered, none yet."""
    with Answers.kept_in(tmp_path / "fetched", 10_000) as kept:
        yield kept


@pytest.fixture
def api_options(openalex, apis):
    """The played APIs, asked without a key."""
    urls = {name: f"{apis.url}/{name}" for name in ("crossref", "opencitations", "arxiv")}
    urls |= {"openalex": openalex.url, "semantic-scholar": f"{apis.url}/s2"}
    return ApiOptions({}, base_urls=urls, requests_per_second=1000, backoff=0, tries=3, timeout=5)


recommender = recommender_fixture([Paper("bread", "Baking bread with a slow dough")])


@pytest.fixture
def refs(tmp_path):
    return write_bibliography(tmp_path / "refs.bib")


@pytest.fixture
def directory(tmp_path):
    """Where an index is built."""
    return tmp_path / "index"


@pytest.fixture
def where(openalex, apis):
    """The addresses of all APIs, as options."""
    return addresses(openalex, apis)
