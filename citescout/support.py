"""The sentence of a paper's abstract that is nearest to the sentence it is to be cited for."""

import math
import re
from collections.abc import Iterable

from citescout.stop_words import is_stop_word
from common.sentences import sentences
from retrieval.interface import SparseRetriever

_WORD = re.compile(r"\w+")


class Support:
    """Of one context: compares by the words they share, each worth its inverse document frequency.

    A sentence that shares stop words alone supports nothing.
    """

    def __init__(self, context: str, bm25: SparseRetriever) -> None:
        """Of a context without marks."""
        self._bm25 = bm25
        self._wanted = self._squares(bm25.terms(context))
        self._content = self._content_terms(context)

    def of(self, abstract: str) -> str:
        """The sentence of largest cosine with the context, the first of equals; "" where none shares a content word."""
        best, nearest = "", 0.0
        every = [(sentence, dict.fromkeys(self._bm25.terms(sentence))) for sentence in sentences(abstract)]
        shared = [sum(self._wanted.get(term, 0.0) for term in terms) for _, terms in every]
        for place in sorted(range(len(every)), key=lambda place: -shared[place]):
            # A sentence of nothing else has the cosine sqrt(shared): what cannot be nearer is not looked at word by
            # word, because how many papers hold a word is asked of Java.
            if math.sqrt(shared[place]) <= nearest:
                break
            sentence, terms = every[place]
            cosine = shared[place] / math.sqrt(sum(self._squares(terms).values()))
            if cosine > nearest and not self._content.isdisjoint(self._content_terms(sentence)):
                best, nearest = " ".join(sentence.split()), cosine
        return best

    def _content_terms(self, text: str) -> frozenset[str]:
        """Of a context, and of a sentence as well: the stem of "news" is the stop word "new"."""
        return frozenset(self._bm25.terms(" ".join(word for word in _WORD.findall(text) if not is_stop_word(word))))

    def _squares(self, terms: Iterable[str]) -> dict[str, float]:
        return {term: self._bm25.idf(term) ** 2 for term in terms}
