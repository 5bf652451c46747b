"""What the first stage asks of whatever holds an index's texts and vectors: files beside it, or an engine."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from indexer.bm25_parameters import Bm25Parameters
from retrieval.hits import Allowed, Hits


class SparseRetriever(Protocol):
    """BM25 over all papers; safe to share between threads."""

    parameters: Bm25Parameters  # that it scores with where none are asked for
    adjustable: bool  # whether it can score with others
    _counted: int  # papers, for inverse document frequencies

    @property
    def documents(self) -> int:
        """Papers in the index."""

    @property
    def collection_length(self) -> int:
        """Words of all papers together."""

    def terms(self, text: str) -> list[str]:
        """The analysed words of `text` with accents as the index has them, in order, repeats included."""

    def holding(self, term: str) -> int:
        """Papers that hold an analysed term."""

    def idf(self, term: str) -> float:
        """ln(1 + (N − n + 0.5) / (n + 0.5)), with n of N papers that hold the term; 0 for a term of no paper."""
        holding = self.holding(term)
        return float(np.log1p((self._counted - holding + 0.5) / (holding + 0.5))) if holding else 0.0

    def collection_frequency(self, term: str) -> int:
        """How often an analysed term stands in all papers together."""

    def heaviest(
        self, weights: Mapping[str, float], count: int, parameters: Bm25Parameters | None = None
    ) -> dict[str, float]:
        """The `count` terms of a query that can be expected to add most to a score, in the order of the query.

        A term adds its weight × its inverse document frequency × how far its usual frequency in a paper that holds it
        saturates, tf / (tf + k1).
        """
        if len(weights) <= count:
            return dict(weights)
        k1 = (parameters or self.parameters).k1

        def adds(term: str) -> float:
            times, holding = self.collection_frequency(term), self.holding(term)
            return weights[term] * (self.idf(term) * (times / (times + k1 * holding))) if holding else 0.0

        chosen = set(sorted(weights, key=lambda term: (-adds(term), term))[:count])
        return {term: weight for term, weight in weights.items() if term in chosen}

    def search(
        self,
        weights: Mapping[str, float],
        k: int,
        allowed: Allowed | None = None,
        parameters: Bm25Parameters | None = None,
    ) -> Hits:
        """The `k` best papers for analysed terms and how often each stands in the query; only `allowed` ones.

        Scores are Lucene's: without the factor k1 + 1 of the textbook formula.

        Raises:
            QueryError: other parameters than it can score with.
            EngineError: an engine does not answer.
        """

    def close(self) -> None:
        """Let files or connections go; no search may follow."""


class VectorStore(Protocol):
    """One unit vector a paper; safe to share between threads."""

    dimension: int
    most: int  # papers that one search can give

    def nearest(
        self, vector: NDArray[np.float32], k: int, allowed: Allowed | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Numbers and inner products of the `k` papers nearest to `vector`, shape (dimension,); only `allowed` ones.

        Raises:
            EngineError: an engine does not answer.
        """

    def vectors(self, docids: NDArray[np.integer]) -> NDArray[np.float32]:
        """The vectors of given papers, shape (n, dimension).

        Raises:
            EngineError: an engine does not answer.
        """

    def close(self) -> None:
        """Let files or connections go; no search may follow."""
