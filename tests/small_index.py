"""Indexes of a few papers, as tests ask them."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from citescout.recommender import Recommender
from indexer.builds import build_index
from indexer.paper import Paper


def recommender_of(papers: Iterable[Paper], directory: Path) -> Recommender:
    """Of an index of these papers without vectors, which is made in that directory."""
    build_index(papers, directory, None)
    return Recommender.open(directory)


def recommender_fixture(papers: Iterable[Paper]) -> Any:
    """The same as a fixture of a module."""

    @pytest.fixture(scope="module")
    def recommender(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recommender]:
        with recommender_of(papers, tmp_path_factory.mktemp("small") / "index") as opened:
            yield opened

    return recommender
