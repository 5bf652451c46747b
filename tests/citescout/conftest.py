"""A recommender on the demo corpus for the tests of the front door."""

import pytest

from citescout import Recommender


@pytest.fixture(scope="session")
def recommender(demo_index):
    with_index = Recommender.open(demo_index, reranker="none")
    yield with_index
    with_index.close()
