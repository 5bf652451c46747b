"""Document vectors that Milvus holds, and which papers are allowed in its filter language."""

import numpy as np
from numpy.typing import NDArray

from indexer.engines.milvus_collection import FLOATS, MOST_HITS, NUMBER, VECTOR, YEAR, Collection
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


def expression(allowed: Allowed | None, years: NDArray[np.int16]) -> str | None:
    """An expression of Milvus that holds for exactly the `allowed` papers; "" for all of them, None for none.

    A mask is usually made of a year and some exceptions, and so is the expression; whatever else it may be, the
    exceptions are named one by one, or those that are left where they are fewer.
    """
    if allowed is None or allowed.all():
        return ""
    if not allowed.any():
        return None
    newest = int(years[allowed].max())
    within = years <= newest
    excluded = np.flatnonzero(within & ~allowed)
    left = np.count_nonzero(allowed)
    if len(excluded) > left:
        return f"{NUMBER} in {np.flatnonzero(allowed).tolist()}"
    parts = [] if within.all() else [f"{YEAR} <= {newest}"]
    if len(excluded):
        parts.append(f"{NUMBER} not in {excluded.tolist()}")
    return " and ".join(parts)
