"""Small indexes cut out of a large one, to learn what lists look like where there are few papers.

In a small index everything is about much the same, so that citations say less of a paper than its text. Trees that
were fitted on large indexes alone do not know that; docs/experiments.md has what it is worth.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexer.changes import compact_index, remove_papers
from indexer.citations import CitationGraph
from indexer.generations import open_generation

# Papers of the two, and of an index that is large enough for them to differ from it.
_MOST_CITED, _LINKED, _LARGE = 400, 1_000, 3_000


def small_indexes(directory: Path, into: Path) -> list[Path]:
    """NAME-cited and NAME-linked in the folder `into`, cut out of an index NAME; none of a small one.

    The first holds the most cited papers, which cite each other little. The second grows from the most cited one by
    the paper that shares most citations, in either direction, with those that it holds. Nothing is encoded anew.

    Raises:
        IndexDirectoryError: no index there, or a damaged one.
    """
    with open_generation(directory) as generation:
        if generation.manifest.engine or generation.manifest.papers < _LARGE:
            return []
        graph, present = generation.graph, np.flatnonzero(~generation.removed)
        made = []
        for name, chosen in (("cited", _most_cited(graph, present)), ("linked", _linked(graph))):
            ids = generation.catalog.ids(np.setdiff1d(present, chosen))
            target = into / f"{directory.name}-{name}"
            shutil.copytree(directory, target)
            remove_papers(ids, target)
            compact_index(target)
            made.append(target)
        return made


def _most_cited(graph: CitationGraph, present: NDArray[np.integer]) -> NDArray[np.integer]:
    times = np.diff(graph.cited_by.offsets)[present]
    return present[np.lexsort((present, -times))[:_MOST_CITED]]


def _linked(graph: CitationGraph) -> NDArray[np.integer]:
    links = np.diff(graph.cited_by.offsets)  # with the papers that are taken; at first, with all
    taken: list[int] = []
    while len(taken) < _LINKED and links.max() > 0:
        paper = int(links.argmax())
        if not taken:
            links = np.zeros_like(links)
        taken.append(paper)
        np.add.at(links, np.concatenate([graph.cites.of(paper), graph.cited_by.of(paper)]), 1)
        links[taken] = 0
    return np.asarray(taken)
