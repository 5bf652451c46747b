"""Where the papers of a list stand to each other: a column for every year, a line for every citation among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citescout.exports.text import one_line
from citescout.exports.words import short_reference
from citescout.recommendation import Recommendation

_COLUMN = 62  # units between years
_ROW = 34
_MARGIN = 30
_RADIUS = 13
_LABELS = 24  # for the years below
_FEWEST = 3  # papers with a citation among them that make looking better than reading


@dataclass(frozen=True, slots=True)
class Node:
    """One paper of the list."""

    rank: int
    label: str  # "Kipf and Welling 2017"
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
    deepest = max(map(len, columns.values()))
    nodes: dict[int, Node] = {}
    for column, year in enumerate(years):
        # Every other column stands half a row lower, so that a line along a row passes between the papers.
        offset = (deepest - len(columns[year])) * _ROW / 2 + (column % 2) * _ROW / 2
        for row, entry in enumerate(columns[year]):
            nodes[entry.rank] = Node(
                rank=entry.rank,
                label=short_reference(entry.paper),
                title=one_line(entry.paper.title) or "Untitled",
                year=str(entry.paper.year or "unknown"),
                x=_MARGIN + column * _COLUMN,
                y=_MARGIN + offset + row * _ROW,
                cites=cites[entry.rank],
                cited_by=tuple(cited_by[entry.rank]),
            )
    height = 2 * _MARGIN + (deepest - 0.5) * _ROW
    edges = tuple(Edge(a, b, _path(nodes[a], nodes[b])) for a, many in cites.items() for b in many)
    labels = tuple((_MARGIN + column * _COLUMN, str(year or "?")) for column, year in enumerate(years))
    width = 2 * _MARGIN + (len(years) - 1) * _COLUMN
    return CitationMap(tuple(nodes[rank] for rank in sorted(nodes)), edges, labels, width, height + _LABELS)


def _path(citing: Node, cited: Node) -> str:
    """A curve that leaves to the left and arrives from the right; within a column it bows out."""
    if citing.x == cited.x:
        bow = citing.x - _COLUMN * 0.45
        return f"M{citing.x:g} {citing.y:g}C{bow:g} {citing.y:g} {bow:g} {cited.y:g} {cited.x:g} {cited.y:g}"
    half = (citing.x + cited.x) / 2
    return f"M{citing.x:g} {citing.y:g}C{half:g} {citing.y:g} {half:g} {cited.y:g} {cited.x:g} {cited.y:g}"
