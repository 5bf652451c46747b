"""The sentence of a paper's abstract that is nearest to the sentence it is to be cited for."""

import math
import re
from collections.abc import Iterable

from retrieval.interface import SparseRetriever

# After a full stop that ends a sentence: not that of "et al.", "e.g." or an initial.
_END = re.compile(r"(?<!\bal)(?<!\be\.g)(?<!\bi\.e)(?<!\b[A-Z])(?<=[.!?])\s+(?=[^a-z])")


class Support:
    """Of one context: compares by the words they share, each worth its inverse document frequency."""

    def __init__(self, context: str, bm25: SparseRetriever) -> None:
        """Of a context without marks."""
        self._bm25 = bm25
        self._wanted = self._squares(bm25.terms(context))

    def of(self, abstract: str) -> str:
        """The sentence of largest cosine with the context, the first of equals; "" where none shares a word."""
        best, nearest = "", 0.0
        sentences = [(sentence, dict.fromkeys(self._bm25.terms(sentence))) for sentence in _END.split(abstract)]
        shared = [sum(self._wanted.get(term, 0.0) for term in terms) for _, terms in sentences]
        for place in sorted(range(len(sentences)), key=lambda place: -shared[place]):
            # A sentence of nothing else has the cosine sqrt(shared): what cannot be nearer is not looked at word by
            # word, because how many papers hold a word is asked of Java.
            if math.sqrt(shared[place]) <= nearest:
                break
            sentence, terms = sentences[place]
            cosine = shared[place] / math.sqrt(sum(self._squares(terms).values()))
            if cosine > nearest:
                best, nearest = " ".join(sentence.split()), cosine
        return best

    def _squares(self, terms: Iterable[str]) -> dict[str, float]:
        return {term: self._bm25.idf(term) ** 2 for term in terms}
