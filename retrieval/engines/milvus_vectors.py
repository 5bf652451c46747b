"""Document vectors that Milvus holds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from indexer.engines.milvus_collection import FLOATS, MOST_HITS, VECTOR, Collection
from retrieval.engines.milvus_expression import expression
from retrieval.hits import Allowed


class MilvusVectors:
    """Search in the vectors of one collection; safe to share between threads."""

    def __init__(self, collection: Collection, years: NDArray[np.int16], dimension: int, kind: str) -> None:
        """Search in `collection`; `years` are those of all papers by docid, `kind` is of `indexer.vectors`."""
        self.dimension = dimension
        self.most = MOST_HITS
        self._collection = collection
        self._years = years
        self._float = FLOATS[kind]

    def nearest(
        self, vector: NDArray[np.float32], k: int, allowed: Allowed | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Numbers and inner products of the `k` papers nearest to `vector`, shape (dimension,); only `allowed` ones.

        Raises:
            EngineError: Milvus does not answer, or cannot give so many hits.
        """
        wanted = expression(allowed, self._years)
        k = min(k, len(self._years) if allowed is None else int(np.count_nonzero(allowed)))
        if wanted is None or k <= 0:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        parameters = self._collection.milvus.address.search_parameters(k)
        return self._collection.search(VECTOR, vector.astype(self._float), k, wanted, parameters)

    def vectors(self, docids: NDArray[np.integer]) -> NDArray[np.float32]:
        """The vectors of given papers as Milvus holds them, shape (n, dimension).

        Raises:
            EngineError: Milvus does not answer, or lacks one of them.
        """
        return self._collection.vectors(docids.tolist())

    def close(self) -> None:
        """End the connection; no search may follow."""
        self._collection.milvus.close()
