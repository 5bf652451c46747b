"""The demo corpus in Milvus Lite, beside the same corpus in a local index; and what tests of single builds need."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from milvus_tools import Counting, use

from citescout.recommender import Recommender
from demo import CORPUS
from indexer.engines import milvus_ingest
from indexer.engines.address import EngineAddress
from indexer.engines.builds import build_on_engine
from indexer.engines.milvus_connection import Milvus
from indexer.readers import read_papers


@pytest.fixture(scope="session")
def lite(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a Milvus Lite."""
    pytest.importorskip("milvus_lite", reason="the extra milvus is not installed: make test-cluster installs it")
    pytest.importorskip("pymilvus", reason="the extra milvus is not installed: make test-cluster installs it")
    return f"milvus-lite:{tmp_path_factory.mktemp('lite') / 'papers.db'}"


@pytest.fixture(scope="session")
def milvus_index(lite: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo corpus with its texts and vectors in Milvus Lite."""
    directory = tmp_path_factory.mktemp("milvus") / "index"
    build_on_engine(read_papers([str(CORPUS)]), directory, lite)
    return directory


@pytest.fixture(scope="session")
def in_milvus(milvus_index: Path) -> Iterator[Recommender]:
    recommender = Recommender.open(milvus_index)
    yield recommender
    recommender.close()


@pytest.fixture(scope="session")
def local(demo_index: Path) -> Iterator[Recommender]:
    recommender = Recommender.open(demo_index)
    yield recommender
    recommender.close()


@pytest.fixture
def engine(lite: str, tmp_path: Path) -> str:
    """A Milvus Lite of this test's own."""
    return f"milvus-lite:{tmp_path / 'own.db'}"


@pytest.fixture
def encoder(monkeypatch: pytest.MonkeyPatch) -> Counting:
    one = Counting()
    use(monkeypatch, one)
    monkeypatch.setattr(milvus_ingest, "BATCH", 16)
    return one


@pytest.fixture
def milvus(engine: str) -> Iterator[Milvus]:
    with Milvus(EngineAddress.parsed(engine)) as connection:
        yield connection
