"""The citation graph, in both directions, as compressed sparse rows in memory-mapped files."""

from pathlib import Path
from threading import Lock
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from common.errors import IndexDirectoryError

Docids = NDArray[np.int32]

# numpy parses the head of a file as Python; before 3.11.8 this failed at times when two threads did (gh-106905).
_ONE_AT_A_TIME = Lock()


class Adjacency:
    """Neighbours of every paper in one direction."""

    def __init__(self, offsets: NDArray[np.int64], neighbours: Docids) -> None:
        self.offsets = offsets  # (papers + 1,)
        self.neighbours = neighbours  # (edges,), ascending within a paper

    @classmethod
    def from_edges(cls, sources: Docids, targets: Docids, papers: int) -> Self:
        """Rows `sources[i] → targets[i]`."""
        packed = np.sort(sources.astype(np.int64) << 32 | targets)  # a tenth of the time of sorting by two keys
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


class CitationGraph:
    """Who cites whom."""

    def __init__(self, cites: Adjacency, cited_by: Adjacency) -> None:
        self.cites = cites
        self.cited_by = cited_by

    @property
    def edges(self) -> int:
        """Number of citations within the corpus."""
        return len(self.cites.neighbours)

    @classmethod
    def from_edges(cls, edges: Docids, papers: int) -> Self:
        """The graph of (citing, cited) rows, shape (n, 2)."""
        citing, cited = edges[:, 0], edges[:, 1]
        return cls(Adjacency.from_edges(citing, cited, papers), Adjacency.from_edges(cited, citing, papers))

    def save(self, folder: Path) -> None:
        """Write four .npy files into `folder`."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, adjacency in (("cites", self.cites), ("cited-by", self.cited_by)):
            np.save(folder / f"{name}-offsets.npy", adjacency.offsets)
            np.save(folder / f"{name}-papers.npy", adjacency.neighbours)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Memory-map what `save` wrote.

        Raises:
            IndexDirectoryError: a file is missing or damaged.
        """
        names = ("cites", "cited-by")
        cites, cited_by = (
            Adjacency(load_array(folder / f"{name}-offsets.npy"), load_array(folder / f"{name}-papers.npy"))
            for name in names
        )
        return cls(cites, cited_by)


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
        IndexDirectoryError: the file is missing or damaged.
    """
    with _ONE_AT_A_TIME:
        return _load_array(path)


def _load_array(path: Path) -> NDArray[Any]:
    try:
        # An empty array cannot be mapped.
        mapped: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
        return mapped
    except OSError as error:
        raise IndexDirectoryError(f"cannot read {path} ({error.strerror or error}): build the index again") from None
    except Exception:  # noqa: BLE001 - numpy's reading of a damaged header raises what its parser happens to raise
        try:
            array: NDArray[Any] = np.load(path, allow_pickle=False)
        except Exception as error:  # noqa: BLE001
            raise IndexDirectoryError(f"{path} is damaged ({error}): build the index again") from None
        if array.size:
            raise IndexDirectoryError(f"{path} is damaged: build the index again") from None
        return array
