"""One index of the demo corpus for the tests of the front door."""

import pytest

from citescout import Recommender
from demo import CORPUS
from indexer.builds import build_index
from indexer.readers import read_papers


@pytest.fixture(scope="session")
def demo_directory(tmp_path_factory):
    directory = tmp_path_factory.mktemp("demo") / "index"
    build_index(read_papers([str(CORPUS)], strict=True), directory)
    return directory


@pytest.fixture(scope="session")
def recommender(demo_directory):
    with_index = Recommender.open(demo_directory, reranker="none")
    yield with_index
    with_index.close()
