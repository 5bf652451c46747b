"""How near the papers of an index are to each other, by their vectors: the scale on which a query's neighbours count.

Cosines mean other things with other encoders and in other fields. A query that is about what an index holds finds
papers about as near as the papers of the index find each other.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common.arrays import unit_rows
from indexer.citations import load_array
from indexer.layout import LAYOUT
from indexer.query_map import Vectors

NEAREST = (10, 50)  # papers whose mean cosine is taken
_SAMPLE = 300  # papers that look for their nearest
_BLOCK = 20_000  # vectors at a time
_SEED = 0


def write_nearness(folder: Path, vectors: Vectors) -> None:
    """Measure a generation whose years are written."""
    path = folder / LAYOUT.nearness
    path.parent.mkdir(exist_ok=True)  # where an engine has the vectors, nothing else made it
    np.save(path, measure(vectors, len(load_array(folder / LAYOUT.years))))


def read_nearness(folder: Path) -> NDArray[np.float64] | None:
    """What `measure` returned; None for an index without vectors.

    Raises:
        IndexDirectoryError: the file is damaged.
    """
    path = folder / LAYOUT.nearness
    return np.asarray(load_array(path), np.float64) if path.exists() else None


def measure(vectors: Vectors, papers: int) -> NDArray[np.float64]:
    """Mean and standard deviation, over a sample of papers, of the mean cosine with their nearest; shape (2, 2).

    A row for each of `NEAREST`; what an index of fewer papers lacks counts as 0.
    """
    sample = np.random.default_rng(_SEED).permutation(papers)[:_SAMPLE]
    asking = unit_rows(vectors(sample))
    most = max(NEAREST)
    best = np.zeros((len(sample), most), np.float32)
    for start in range(0, papers, _BLOCK):
        docids = np.arange(start, min(start + _BLOCK, papers))
        cosines = asking @ unit_rows(vectors(docids)).T
        cosines[sample[:, None] == docids[None, :]] = -1  # itself
        best = np.sort(np.concatenate([best, cosines], axis=1), axis=1)[:, -most:]
    means = np.stack([best[:, -count:].mean(axis=1) for count in NEAREST], axis=1)
    return np.stack([means.mean(axis=0), means.std(axis=0)], axis=1).astype(np.float64)
