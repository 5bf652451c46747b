"""BM25 by Milvus' full-text function.

Milvus is asked with a text, which it analyses itself. The terms of a query therefore go back into words, each as it
stands in some paper, and as often as the term weighs.
"""

from collections.abc import Mapping
from functools import lru_cache, partial

import numpy as np
from numpy.typing import NDArray

from common.errors import QueryError
from indexer.bm25_parameters import Bm25Parameters
from indexer.engines import english
from indexer.engines.milvus_collection import BM25, MOST_HITS, Collection
from indexer.engines.term_table import TermFacts, TermTable
from retrieval.bm25 import KNOWN_TERMS, MAX_TERMS
from retrieval.engines.milvus_vectors import expression
from retrieval.hits import Allowed, Hits, best_hits
from retrieval.interface import SparseRetriever
from retrieval.spelling import ACCENTED, Spelling

_OF_NO_PAPER = TermFacts("", 0, 0)


class MilvusBm25(SparseRetriever):
    """Search in the texts of one collection; safe to share between threads."""

    adjustable = False

    def __init__(self, collection: Collection, table: TermTable, years: NDArray[np.int16]) -> None:
        """Search in `collection`; `years` are those of all papers by docid."""
        self._collection = collection
        self._table = table
        self._years = years
        self._counted = int(table.papers)  # as Milvus counts: those without a word, too
        address = collection.milvus.address
        self.parameters = Bm25Parameters(address.k1, address.b)
        accented = partial(table.terms_like, f"*{ACCENTED}*")
        self._facts = lru_cache(KNOWN_TERMS)(lambda term: table.look_up([term]).get(term, _OF_NO_PAPER))
        self._spelling = Spelling(english.terms, english.term, self.holding, accented)

    @property
    def documents(self) -> int:
        """Papers in the index."""
        return self._counted

    @property
    def collection_length(self) -> int:
        """Words of all papers together."""
        return int(self._table.occurrences)

    def terms(self, text: str) -> list[str]:
        """The analysed words of `text` with accents as the index has them, in order, repeats included."""
        return self._spelling.terms(text)

    def holding(self, term: str) -> int:
        """Papers that hold an analysed term."""
        return self._facts(term).papers

    def collection_frequency(self, term: str) -> int:
        """How often an analysed term stands in all papers together."""
        return self._facts(term).occurrences

    def search(
        self,
        weights: Mapping[str, float],
        k: int,
        allowed: Allowed | None = None,
        parameters: Bm25Parameters | None = None,
    ) -> Hits:
        """The `k` best papers for analysed terms and how often each stands in the query; only `allowed` ones.

        Raises:
            QueryError: other parameters than the collection was made with.
            EngineError: Milvus does not answer, or cannot give so many hits.
        """
        if parameters not in {None, self.parameters}:
            raise QueryError(
                f"BM25 in Milvus scores with k1 {self.parameters.k1:g} and b {self.parameters.b:g}, as the index was "
                "built: for others, build one with ?k1=…&b=… in --engine"
            )
        wanted = expression(allowed, self._years)
        text = self._query(weights)
        if not text or k <= 0 or wanted is None:
            return Hits.none()

        def top(asked: int) -> Hits:
            docids, scores = self._collection.search(BM25, text, asked, wanted, {})
            # Milvus keeps the textbook's factor, Lucene does not.
            return Hits.best(docids, scores / np.float32(self.parameters.k1 + 1), asked)

        return best_hits(k, MOST_HITS, top)

    def close(self) -> None:
        """End the connection; no search may follow."""
        self._collection.milvus.close()

    def _query(self, weights: Mapping[str, float]) -> str:
        """A text of which Milvus makes these terms, each as often as it weighs; those of no paper are left out."""
        known = self._table.look_up(self.heaviest(weights, MAX_TERMS))
        if any(weights[term] != int(weights[term]) for term in known):
            raise ValueError("Milvus weighs a term by how often it stands in the query: weights are whole numbers")
        return " ".join(" ".join([facts.word] * int(weights[term])) for term, facts in sorted(known.items()))
