"""Indexes of a few papers, as tests ask them."""

from collections.abc import Iterable
from pathlib import Path

from citescout.recommender import Recommender
from indexer.builds import build_index
from indexer.paper import Paper


def recommender_of(papers: Iterable[Paper], directory: Path) -> Recommender:
    """Of an index of these papers without vectors, which is made in that directory."""
    build_index(papers, directory, None)
    return Recommender.open(directory)
