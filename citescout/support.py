"""The sentence of a paper's abstract that is nearest to the sentence it is to be cited for."""

import math
import re

from retrieval.interface import SparseRetriever

# After a full stop that ends a sentence: not that of "et al.", "e.g." or an initial.
_END = re.compile(r"(?<!\bal)(?<!\be\.g)(?<!\bi\.e)(?<!\b[A-Z])(?<=[.!?])\s+(?=[^a-z])")


class Support:
    """Of one context: compares by the words they share, each worth its inverse document frequency."""

    def __init__(self, context: str, bm25: SparseRetriever) -> None:
        """Of a context without marks."""
        self._bm25 = bm25
        self._wanted = self._worth(context)

    def of(self, abstract: str) -> str:
        """The sentence of largest cosine with the context, the first of equals; "" where none shares a word."""
        best, nearest = "", 0.0
        for sentence in _END.split(abstract):
            worth = self._worth(sentence)
            length = math.sqrt(sum(value * value for value in worth.values()))
            shared = sum(value * value for term, value in worth.items() if term in self._wanted)
            if shared and shared / length > nearest:
                best, nearest = " ".join(sentence.split()), shared / length
        return best

    def _worth(self, text: str) -> dict[str, float]:
        return {term: self._bm25.idf(term) for term in self._bm25.terms(text)}
