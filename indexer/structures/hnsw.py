"""Hierarchical navigable small worlds (Malkov and Yashunin, 2018): a graph of near neighbours over the codes.

The file holds the links only; the codes are those of the flat index. Threads insert side by side, so two builds of the
same codes link a few papers differently.
"""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from indexer.structures.base import Structure, add_codes
from indexer.vectors import Codes, Coding, empty_index

LINKS = 32  # a paper on the upper levels, twice as many on the lowest
BUILD_BREADTH = 100
SEARCH_BREADTH = 2  # candidates kept a wanted hit
LEAST_BREADTH = 500
_BYTES = 272  # of links a paper, measured


class Hnsw(Structure):
    """Links between near papers, followed from one to the next."""

    name: ClassVar[str] = "hnsw"
    minimum: int = 1
    maps_codes: ClassVar[bool] = False  # it reads some at every step

    def memory(self, papers: int, dimension: int) -> int:
        """Bytes of the links."""
        return papers * _BYTES

    def build(self, codes: Codes, coding: Coding) -> Any:
        """A graph of all codes."""
        import faiss

        storage = empty_index(coding)  # which the graph only points to
        index = faiss.IndexHNSW(storage, LINKS)
        index.hnsw.efConstruction = BUILD_BREADTH
        add_codes(index, codes, coding)
        return index

    def attach(self, index: Any, storage: Any) -> None:
        """Compare with the codes of `storage`, and link what is added as in a build."""
        index.storage = storage
        index.own_fields = False
        index.hnsw.efConstruction = BUILD_BREADTH

    def search(
        self, index: Any, storage: Any, vector: NDArray[np.float32], k: int, selector: Any | None, share: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Walk the graph; what `selector` does not let pass is walked through but not counted."""
        import faiss

        breadth = int(max(SEARCH_BREADTH * k, LEAST_BREADTH) / share)
        parameters = faiss.SearchParametersHNSW(efSearch=breadth, sel=selector)
        scores, docids = index.search(vector[None], k, params=parameters)
        return docids[0], scores[0]
