"""What tests read of an index directory."""

from pathlib import Path

from indexer.generations import open_generation
from indexer.paper import Paper


def papers_of(directory: Path) -> dict[str, Paper]:
    """The papers of an index by id, as many as its manifest says."""
    with open_generation(directory) as generation:
        found = {paper.id: paper for paper in generation.catalog.all_papers()}
        assert generation.manifest.papers == len(found)
        return found
