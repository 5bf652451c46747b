"""Dense retrieval: papers whose vectors point the same way as the query's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common.errors import ModelError
from encoders.base import Encoder
from encoders.text import Text
from indexer.vector_search import VectorSearch
from retrieval.hits import Allowed, Hits


class Dense:
    """Search in one index of document vectors."""

    def __init__(self, path: Path, encoder: Encoder, structure: Path | None = None, search: str | None = None) -> None:
        """Open the codes at `path`, and the search structure at `structure`, of the kind `search`, if there is one.

        Raises:
            IndexDirectoryError: a file is missing or damaged.
            ModelError: the encoder's vectors have another dimension than the index.
        """
        self._search = VectorSearch(path, structure, search)
        self._encoder = encoder
        if self._search.dimension != encoder.dimension:
            raise ModelError(
                f"the encoder '{encoder.name}' makes vectors of {encoder.dimension} dimensions, "
                f"the index holds {self._search.dimension}: build the index with this encoder"
            )

    def vectors(self, texts: list[Text]) -> NDArray[np.float32]:
        """Unit vectors of queries, shape (n, dimension)."""
        return self._encoder.encode_queries(texts)

    def search(self, vector: NDArray[np.float32], k: int, allowed: Allowed | None = None) -> Hits:
        """The `k` papers of largest inner product with `vector`, shape (dimension,); only `allowed` ones."""
        if k <= 0 or not vector.any():
            return Hits.none()
        numbers, scores = self._search.nearest(vector, k, allowed)
        return Hits.best(numbers, scores, k)

    def documents(self, numbers: NDArray[np.integer]) -> NDArray[np.float32]:
        """Vectors of given papers as the index holds them, shape (n, dimension)."""
        return self._search.vectors(numbers)

    def cosines(self, vectors: Sequence[NDArray[np.float32]], numbers: NDArray[np.integer]) -> NDArray[np.float32]:
        """Cosines of given papers' vectors with each of `vectors`, shape (len(numbers), len(vectors))."""
        if not len(numbers):
            return np.zeros((0, len(vectors)), np.float32)
        # Decoding takes longest, so it is done once. Not by BLAS, whose threads wait for each other on a busy machine
        # for fifty times as long as so small a product takes.
        return np.asarray(np.einsum("nd,vd->nv", self._search.vectors(numbers), np.stack(vectors)), np.float32)

    def centre(self, numbers: NDArray[np.integer]) -> NDArray[np.float32]:
        """The middle of given papers' vectors as a query of length 1, shape (dimension,); zeros for none."""
        middle = self._search.vectors(numbers).mean(axis=0) if len(numbers) else None
        if middle is None or not middle.any():
            return np.zeros(self._search.dimension, np.float32)
        unit = np.asarray(middle / np.linalg.norm(middle), np.float32)
        return np.asarray(self._encoder.as_queries(unit[None])[0])
