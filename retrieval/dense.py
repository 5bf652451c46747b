"""Dense retrieval: papers whose vectors point the same way as the query's."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from common.errors import ModelError
from common.order import SIGNED
from common.recent import RecentlyUsed
from encoders.base import Encoder
from encoders.sentences.encoder import sentence_encoder
from encoders.text import Text
from indexer.query_map import QueryMap
from retrieval.hits import Allowed, Hits, best_hits
from retrieval.interface import VectorStore

# What filters, likes, the systems of an evaluation and every sentence of a manuscript ask again.
_REMEMBERED = 256  # vectors of queries

# Of the query, the middle of what is liked or cited already and that of the disliked; those of Manning, Raghavan and
# Schütze (Introduction to Information Retrieval, 2008, section 9.1.1).
ALPHA, BETA, GAMMA = 1.0, 0.75, 0.15

_Vectors = RecentlyUsed[Text, NDArray[np.float32]]


class Dense:
    """Search in one store of document vectors."""

    def __init__(
        self, store: VectorStore, encoder: Encoder, query_map: QueryMap | None = None, known: _Vectors | None = None
    ) -> None:
        """Search in `store` for what `encoder` makes of queries, where `query_map` leads.

        `known` are vectors that it has made before.

        Raises:
            ModelError: the encoder's vectors have another dimension than the index.
        """
        self._search = store
        self._encoder = encoder
        self.query_map = query_map
        self._known = known or _Vectors(_REMEMBERED)
        if self._search.dimension != encoder.dimension:
            raise ModelError(
                f"the encoder '{encoder.name}' makes vectors of {encoder.dimension} dimensions, "
                f"the index holds {self._search.dimension}: build the index with this encoder"
            )

    def with_query_map(self, query_map: QueryMap | None) -> Dense:
        """The same store and encoder, with queries looked for elsewhere; there is one store to close."""
        return Dense(self._search, self._encoder, query_map, self._known)

    def vectors(self, texts: list[Text]) -> NDArray[np.float32]:
        """Unit vectors of queries, shape (n, dimension); those that were asked for lately are not made again."""
        # Copies: a row would keep all others alive.
        found = self._known.all_of(texts, lambda lacking: map(np.copy, self._encoder.encode_queries(lacking)))
        return np.array(found, np.float32).reshape(len(texts), self._search.dimension)

    def sentence_vector(self, sentence: str, title: str) -> NDArray[np.float32] | None:
        """Where a sentence that is to cite points, shape (dimension,); None without an encoder that has learned it.

        `title` is that of the draft that it stands in, or empty.
        """
        encoder = sentence_encoder(self._encoder.name)
        return encoder.encode_queries([Text(sentence, title)])[0] if encoder else None

    def projected(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Where the index looks for what queries of these vectors cite, in shape and length as they are."""
        return self.query_map(vectors) if self.query_map else vectors

    def search(self, vector: NDArray[np.float32], k: int, allowed: Allowed | None = None) -> Hits:
        """The `k` papers of largest inner product with `vector`, shape (dimension,); only `allowed` ones."""
        if k <= 0 or not vector.any():
            return Hits.none()

        def top(asked: int) -> Hits:
            return Hits.best(*self._search.nearest(vector, asked, allowed), asked, SIGNED)

        return best_hits(k, self._search.most, top, SIGNED)

    def documents(self, docids: NDArray[np.integer]) -> NDArray[np.float32]:
        """Vectors of given papers as the index holds them, shape (n, dimension)."""
        return self._search.vectors(docids)

    def cosines(self, vectors: NDArray[np.float32], docids: NDArray[np.integer]) -> NDArray[np.float32]:
        """Cosines of the vectors of given papers with `vectors`, shape (m, dimension) → (n, m)."""
        if not len(docids):
            return np.zeros((0, len(vectors)), np.float32)
        # Decoding takes longest, so it is done once. Not by BLAS, whose threads wait for each other on a busy machine
        # for fifty times as long as so small a product takes.
        return np.asarray(np.einsum("nd,md->nm", self._search.vectors(docids), vectors), np.float32)

    def centre(self, docids: NDArray[np.integer], weights: NDArray[np.floating] | None = None) -> NDArray[np.float32]:
        """The middle of given papers' vectors as a query of length 1, shape (dimension,); zeros for none.

        `weights`, shape (len(docids),), say how much each counts; without, all alike.
        """
        middle = np.average(self._search.vectors(docids), axis=0, weights=weights) if len(docids) else None
        if middle is None or not middle.any():
            return np.zeros(self._search.dimension, np.float32)
        unit = np.asarray(middle / np.linalg.norm(middle), np.float32)
        return np.asarray(self._encoder.as_queries(unit[None])[0])

    def close(self) -> None:
        """Let the store go; no search may follow."""
        self._search.close()


def rocchio(
    query: NDArray[np.float32], liked: NDArray[np.float32], disliked: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Relevance feedback (Rocchio 1971): the query moved by what its author thinks of papers.

    The unit vector of α·query + β·liked − γ·disliked, all of shape (dimension,); zeros stand for no paper.
    """
    moved = ALPHA * query + BETA * liked - GAMMA * disliked
    length = float(np.linalg.norm(moved))
    return np.asarray(moved / length, np.float32) if length else query
