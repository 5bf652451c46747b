"""What several test files need: a mangled bibliography, and the small index that reviews ask."""

import sys
from pathlib import Path

import pytest
from mangled import BIBLIOGRAPHY, STRANGERS
from reviewed import PAPERS

from citescout import Recommender
from indexer.builds import build_index

sys.path.append(str(Path(__file__).parents[1] / "manuscripts"))


@pytest.fixture(scope="module")
def small_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("reviewed") / "index"
    build_index(PAPERS, directory, None)
    return directory


@pytest.fixture(scope="module")
def small(small_index: Path):
    with Recommender.open(small_index, reranker="none") as opened:
        yield opened


@pytest.fixture
def references(tmp_path):
    path = tmp_path / "refs.bib"
    path.write_text(BIBLIOGRAPHY + STRANGERS)
    return path
