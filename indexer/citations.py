"""The citation graph, in both directions, as compressed sparse rows in memory-mapped files."""

from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from common.arrays import ordered
from common.errors import IndexDirectoryError

Docids = NDArray[np.int32]

# numpy parses the head of a file as Python; before 3.11.8 this failed at times when two threads did (gh-106905).
_ONE_AT_A_TIME = Lock()
_DIRECTIONS, _PARTS = ("cites", "cited-by"), ("offsets", "papers")  # of which the names of a graph's files are made


class Adjacency(NamedTuple):
    """Neighbours of every paper in one direction."""

    offsets: NDArray[np.int64]  # (papers + 1,)
    neighbours: Docids  # (edges,), ascending within a paper

    @classmethod
    def from_edges(cls, sources: Docids, targets: Docids, papers: int) -> Self:
        """Rows `sources[i] → targets[i]`."""
        packed = np.sort(ordered(sources, targets))  # a tenth of the time of sorting by two keys
        offsets = np.zeros(papers + 1, np.int64)
        np.cumsum(np.bincount(sources, minlength=papers), out=offsets[1:])
        return cls(offsets, (packed & 0xFFFFFFFF).astype(np.int32))

    def of(self, paper: int) -> Docids:
        """Neighbours of one paper."""
        return self.neighbours[self.offsets[paper] : self.offsets[paper + 1]]

    def of_all(self, papers: NDArray[np.integer]) -> tuple[NDArray[np.int64], Docids]:
        """(position in `papers`, neighbour) of every edge that leaves one of `papers`."""
        starts, ends = self.offsets[papers], self.offsets[np.asarray(papers) + 1]
        sizes = ends - starts
        positions = np.repeat(np.arange(len(papers)), sizes)
        within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return positions, self.neighbours[np.repeat(starts, sizes) + within]


class CitationGraph(NamedTuple):
    """Who cites whom."""

    cites: Adjacency
    cited_by: Adjacency

    @classmethod
    def from_edges(cls, edges: Docids, papers: int, works: int | None = None) -> Self:
        """The graph of (citing, cited) rows, shape (n, 2), among papers, or from papers to that many works."""
        citing, cited = edges[:, 0], edges[:, 1]
        works = papers if works is None else works
        return cls(Adjacency.from_edges(citing, cited, papers), Adjacency.from_edges(cited, citing, works))

    def save(self, folder: Path) -> None:
        """Write four .npy files into `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        for direction, adjacency in zip(_DIRECTIONS, self, strict=True):
            np.save(folder / f"{direction}-{_PARTS[0]}.npy", adjacency.offsets)
            np.save(folder / f"{direction}-{_PARTS[1]}.npy", adjacency.neighbours)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Memory-map what `save` wrote.

        Raises:
            IndexDirectoryError: a file is missing or damaged.
        """
        arrays = [[load_array(folder / f"{direction}-{part}.npy") for part in _PARTS] for direction in _DIRECTIONS]
        return cls(*(Adjacency(*both) for both in arrays))


def there_by(graph: CitationGraph, years: NDArray[np.int16]) -> NDArray[np.int16]:
    """The year in which each paper was there for certain, (papers,), from `years`, which are 0 where unknown.

    A paper of unknown year is no newer than what cites it, and than the newest of all.
    """
    unknown = np.flatnonzero(years == 0)
    if not len(unknown):
        return years
    latest = years.copy()
    latest[unknown] = years.max(initial=0)
    positions, citing = graph.cited_by.of_all(unknown)
    dated = years[citing] > 0
    np.minimum.at(latest, unknown[positions[dated]], years[citing[dated]])
    return latest


def load_array(path: Path) -> NDArray[Any]:
    """Memory-map a .npy file.

    Raises:
        IndexDirectoryError: the file is damaged or cannot be read.
    """
    try:
        with _ONE_AT_A_TIME:
            array: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        return array
    except OSError as error:
        raise IndexDirectoryError(f"cannot read {path}: {error.strerror or error}") from None
    except Exception as error:  # noqa: BLE001 - of a damaged header numpy raises what its parser happens to raise
        raise IndexDirectoryError(f"{path} is damaged ({error}): build the index again") from None
