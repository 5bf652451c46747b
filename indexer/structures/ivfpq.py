"""Inverted lists of product-quantised residuals (Jégou et al., 2011), re-scored with the codes.

In memory a paper takes an eighth of its dimension and 8 bytes; the codes of the best candidates are read from the
memory-mapped flat index, which gives every hit the score that a scan would give it. Centroids are trained on the
papers of a build or compaction, and papers that are added later go to the nearest of them.
"""

import math
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from common.arrays import evenly
from common.order import SIGNED, best_first
from indexer.structures.base import Structure, add_codes
from indexer.vectors import Codes, Coding, dequantise

LISTS = 4  # × √papers
PROBES = 256  # lists that a search reads
RESCORED = 4  # candidates whose codes are read, a wanted hit
LEAST_RESCORED = 500
_BITS, _CENTROIDS = 8, 256  # of a byte
_COORDINATES = 8  # to one byte
_SAMPLE = 64  # papers that a centroid is trained on
_LEAST_SAMPLE = 39  # faiss asks for as many


class IvfPq(Structure):
    """Short codes in lists around centroids."""

    name: ClassVar[str] = "ivfpq"
    minimum: int = 10_000  # fewer are scanned in a millisecond, and do not train 256 centroids a byte
    maps_codes: ClassVar[bool] = True

    def memory(self, papers: int, dimension: int) -> int:
        """Bytes of short codes, numbers and centroids."""
        centroids = (_lists(papers) + _CENTROIDS) * dimension * 4
        return papers * (_subspaces(dimension) + 8) + centroids

    def build(self, codes: Codes, coding: Coding) -> Any:
        """Train on an even sample and add all codes."""
        import faiss

        dimension = coding.dimension
        lists = _lists(len(codes))
        index = faiss.IndexIVFPQ(
            faiss.IndexFlatIP(dimension), dimension, lists, _subspaces(dimension), _BITS, faiss.METRIC_INNER_PRODUCT
        )
        index.cp.spherical = True
        index.cp.max_points_per_centroid = _SAMPLE
        sample = max(_SAMPLE * lists, _SAMPLE * _CENTROIDS)
        index.train(dequantise(codes[evenly(len(codes), sample)], coding))
        add_codes(index, codes, coding)
        return index

    def search(
        self, index: Any, storage: Any, vector: NDArray[np.float32], k: int, selector: Any | None, share: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Read the lists nearest to `vector`, then the codes of the best."""
        import faiss

        parameters = faiss.SearchParametersIVF(nprobe=min(int(PROBES / share), index.nlist), sel=selector)
        _, docids = index.search(vector[None], min(max(RESCORED * k, LEAST_RESCORED), index.ntotal), params=parameters)
        found = np.sort(docids[0][docids[0] >= 0])
        if not len(found):
            return found, np.zeros(0, np.float32)
        scores = (storage.reconstruct_batch(found) @ vector).astype(np.float32)
        best = best_first(scores, found, SIGNED)[:k]
        return found[best], scores[best]


def _lists(papers: int) -> int:
    return max(1, min(round(LISTS * math.sqrt(papers)), papers // _LEAST_SAMPLE))


def _subspaces(dimension: int) -> int:
    """The largest number of equal parts that are no smaller than wanted."""
    return max(parts for parts in range(1, max(1, dimension // _COORDINATES) + 1) if dimension % parts == 0)
