"""Where the papers of a list stand to each other: a column for every year, a line for every citation among them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from citescout.recommendation import Recommendation
from exports.text import one_line
from exports.words import short_reference, surname
from indexer.paper import Paper

_WIDTH = 700  # units that the years share, as far as they need them
_COLUMNS = (84.0, 120.0)  # units between years, at least and at most
_ROW = 46.0
# Neighbouring columns are shifted against each other, so that few lines pass through a paper.
_SHIFTS = (0.0, 0.7, -0.6)  # rows
_BOW = 0.16  # of its length: how far a line swings out
_MARGIN = 44
_RADIUS = 12
_LABELS = 24  # for the years below
_NAME_LETTERS = 12
_FEWEST = 3  # papers with a citation among them that make looking better than reading


@dataclass(frozen=True, slots=True)
class Node:
    """One paper of the list."""

    rank: int
    id: str
    label: str  # "Kipf and Welling 2017"
    name: str  # "Kipf": what stands below it on the map
    title: str
    year: str  # "unknown" where it is
    x: float
    y: float
    cites: tuple[int, ...]  # ranks
    cited_by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Edge:
    """A citation, from the citing to the cited paper."""

    citing: int  # rank
    cited: int
    path: str  # of the SVG


@dataclass(frozen=True, slots=True)
class CitationMap:
    """Nodes and edges with their places."""

    nodes: tuple[Node, ...]
    edges: tuple[Edge, ...]
    years: tuple[tuple[float, str], ...]  # (x, label)
    width: float
    height: float
    radius: int = _RADIUS


def citation_map(recommendations: Sequence[Recommendation]) -> CitationMap | None:
    """The map of a list; None where too few of its papers cite each other.

    Years are columns in their order, papers of unknown year the first; within a column papers stand by rank.
    """
    places = {entry.paper.id: entry.rank for entry in recommendations}
    cites = {
        entry.rank: tuple(sorted({places[paper] for paper in entry.paper.citations if paper in places} - {entry.rank}))
        for entry in recommendations
    }
    cited_by: dict[int, list[int]] = {rank: [] for rank in cites}
    for citing, cited_papers in cites.items():
        for cited in cited_papers:
            cited_by[cited].append(citing)
    if sum(bool(cites[rank] or cited_by[rank]) for rank in cites) < _FEWEST:
        return None
    years = sorted({entry.paper.year or 0 for entry in recommendations})
    columns = {year: [entry for entry in recommendations if (entry.paper.year or 0) == year] for year in years}
    apart = min(max(_WIDTH / max(len(years) - 1, 1), _COLUMNS[0]), _COLUMNS[1])
    deepest = max(map(len, columns.values()))
    nodes: dict[int, Node] = {}
    for column, year in enumerate(years):
        offset = (deepest - len(columns[year])) * _ROW / 2 + (_SHIFTS[column % len(_SHIFTS)] - min(_SHIFTS)) * _ROW
        for row, entry in enumerate(columns[year]):
            nodes[entry.rank] = Node(
                rank=entry.rank,
                id=entry.paper.id,
                label=short_reference(entry.paper),
                name=_name(entry.paper),
                title=one_line(entry.paper.title) or "Untitled",
                year=str(entry.paper.year or "unknown"),
                x=_MARGIN + column * apart,
                y=_MARGIN + offset + row * _ROW,
                cites=cites[entry.rank],
                cited_by=tuple(cited_by[entry.rank]),
            )
    height = 2 * _MARGIN + (deepest - 1 + max(_SHIFTS) - min(_SHIFTS)) * _ROW
    edges = tuple(Edge(a, b, _path(nodes[a], nodes[b])) for a, many in cites.items() for b in many)
    labels = tuple((_MARGIN + column * apart, str(year or "?")) for column, year in enumerate(years))
    width = 2 * _MARGIN + (len(years) - 1) * apart
    return CitationMap(tuple(nodes[rank] for rank in sorted(nodes)), edges, labels, width, height + _LABELS)


def _name(paper: Paper) -> str:
    """The first author's surname, or the beginning of the title."""
    name = surname(paper.authors[0]) if paper.authors else one_line(paper.title)
    return name if len(name) <= _NAME_LETTERS else f"{name[: _NAME_LETTERS - 1]}…"


def _path(citing: Node, cited: Node) -> str:
    """A curve that swings out to one side, downwards if the cited paper stands lower; within a column, to the left."""
    across, down = cited.x - citing.x, cited.y - citing.y
    middle_x, middle_y = citing.x + across / 2, citing.y + down / 2
    if not across:
        middle_x -= 0.4 * abs(down)
    else:
        middle_y += math.copysign(min(_BOW * abs(across), 2 * _ROW), down or -1)
    return f"M{citing.x:.1f} {citing.y:.1f}Q{middle_x:.1f} {middle_y:.1f} {cited.x:.1f} {cited.y:.1f}"
