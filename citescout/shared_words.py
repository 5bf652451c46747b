"""Which words a query shares with a paper that explain why it is found."""

import math
import re
from collections import Counter

from citescout.recommendation import MatchedTerm
from citescout.settings import Settings
from citescout.stop_words import is_stop_word
from encoders.text import Text
from retrieval.first_stage import Pool
from retrieval.interface import SparseRetriever

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # as Lucene's tokeniser: hyphens part words
_MOST = 12
# Of the heaviest word of the query, by how often it stands there × inverse document frequency: what is lighter is no
# reason, however often a paper has it.
_LIGHTEST = 0.15
# Of the heaviest shared word, by what it adds to the BM25 score.
_LEAST = 0.1
# A word that so large a share of the index holds parts nothing from nothing; in a few papers a share means little.
_COMMON, _FEW = 0.25, 10


class SharedWords:
    """The words of one query that BM25 was asked for, and that distinguish papers."""

    def __init__(self, bm25: SparseRetriever, settings: Settings, pool: Pool, query: Text) -> None:
        """Of the query that found `pool` with these settings."""
        self._bm25 = bm25
        self._k1, self._b = settings.bm25 or bm25.parameters
        self._documents = bm25.documents
        self._average_length = bm25.collection_length / max(self._documents, 1)
        searched = pool.term_weights if "bm25" in pool.hits else {}
        if settings.bm25_terms:
            searched = bm25.heaviest(searched, settings.bm25_terms)
        self._surface = _surface_forms(query, bm25)
        worth = {term: weight * bm25.idf(term) for term, weight in searched.items() if self._is_distinctive(term)}
        heaviest = max(worth.values(), default=0.0)
        self._worth = {term: value for term, value in worth.items() if value > 0 and value >= _LIGHTEST * heaviest}

    def of(self, text: Text) -> tuple[MatchedTerm, ...]:
        """Those that a paper shares, as the query writes them, by what they add to its BM25 score."""
        terms = Counter(self._bm25.terms(text.joined()))
        length = self._k1 * (1 - self._b + self._b * terms.total() / max(self._average_length, 1.0))
        matched = []
        for term, worth in self._worth.items():
            if frequency := terms[term]:
                score = worth * frequency / (frequency + length)
                matched.append(MatchedTerm(self._surface.get(term, term), round(score, 4)))
        matched.sort(key=lambda match: (-match.weight, match.term))
        return tuple(match for match in matched[:_MOST] if match.weight >= _LEAST * matched[0].weight)

    def _is_distinctive(self, term: str) -> bool:
        if is_stop_word(self._surface.get(term, term)):
            return False
        # From idf = ln((N + 1) / (n + 0.5)), how many of the N papers hold it.
        holding = (self._documents + 1) * math.exp(-self._bm25.idf(term)) - 0.5
        return holding <= max(_COMMON * self._documents, _FEW)


def _surface_forms(query: Text, bm25: SparseRetriever) -> dict[str, str]:
    """The first word of the query that each term comes from, as it stands there."""
    forms: dict[str, str] = {}
    for word in dict.fromkeys(_WORD.findall(query.joined())):
        for term in bm25.terms(word):
            forms.setdefault(term, word.lower() if word.istitle() else word)
    return forms
