"""Dense retrieval: papers whose vectors point the same way as the query's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.errors import ModelError
from encoders.text import Text
from encoders.transformer import TextEncoder
from indexer.vectors import open_vectors
from retrieval.hits import Allowed, Hits


class Dense:
    """Search in one index of document vectors; the query is encoded like the documents."""

    def __init__(self, path: Path, encoder: TextEncoder) -> None:
        """Open the vectors at `path`.

        Raises:
            IndexDirectoryError: the file is missing or damaged.
            ModelError: the encoder's vectors have another dimension than the index.
        """
        self._index = open_vectors(path)
        self._encoder = encoder
        if self._index.d != encoder.dimension:
            raise ModelError(
                f"the encoder '{encoder.preset.name}' makes vectors of {encoder.dimension} dimensions, "
                f"the index holds {self._index.d}: build the index with this encoder"
            )

    def vectors(self, texts: list[Text]) -> NDArray[np.float32]:
        """Unit vectors of queries, shape (n, dimension)."""
        return self._encoder.encode(texts)

    def search(self, vector: NDArray[np.float32], k: int, allowed: Allowed | None = None) -> Hits:
        """The `k` papers of largest cosine with `vector`, shape (dimension,); only `allowed` ones."""
        import faiss as faiss_module

        faiss: Any = faiss_module  # its stubs know only the C++ signatures
        if k <= 0 or not vector.any():
            return Hits.none()
        parameters = None
        if allowed is not None and not allowed.all():
            # The selector keeps a pointer into the packed array, which must outlive the search.
            packed = np.packbits(allowed, bitorder="little")
            selector = faiss.IDSelectorBitmap(packed)
            parameters = faiss.SearchParameters(sel=selector)
        scores, numbers = self._index.search(vector[None], min(k, self._index.ntotal), params=parameters)
        found = numbers[0] >= 0
        return Hits.best(numbers[0][found], scores[0][found], k)

    def documents(self, numbers: NDArray[np.integer]) -> NDArray[np.float32]:
        """Vectors of given papers as the index holds them, shape (n, dimension)."""
        return np.asarray(self._index.reconstruct_batch(np.asarray(numbers, np.int64)), np.float32)

    def cosines(self, vector: NDArray[np.float32], numbers: NDArray[np.integer]) -> NDArray[np.float32]:
        """Cosine of `vector` with the vectors of given papers, shape (n,)."""
        if not len(numbers):
            return np.zeros(0, np.float32)
        documents = self._index.reconstruct_batch(np.asarray(numbers, np.int64))
        return np.asarray(documents @ vector, np.float32)

    def centre(self, numbers: NDArray[np.integer]) -> NDArray[np.float32]:
        """Unit vector of the middle of given papers' vectors, shape (dimension,); zeros for none."""
        middle = self._index.reconstruct_batch(np.asarray(numbers, np.int64)).mean(axis=0) if len(numbers) else None
        if middle is None or not middle.any():
            return np.zeros(self._index.d, np.float32)
        return np.asarray(middle / np.linalg.norm(middle), np.float32)
