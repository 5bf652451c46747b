"""Which words a query shares with a paper that explain why it is found."""

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping
from itertools import takewhile

from citescout.recommendation import MatchedTerm
from citescout.settings import Settings
from citescout.stop_words import function_words, is_stop_word
from common.text import folded, with_names_of_letters
from encoders.text import Text
from retrieval.first_stage import Pool
from retrieval.interface import SparseRetriever

_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々"
_KATAKANA, _HIRAGANA = "\u30a0-\u30ff", "\u3040-\u309f"
_OTHER = rf"[^\W_{_HAN}{_HIRAGANA}{_KATAKANA}]+"
# As Lucene's tokeniser: hyphens part words, each character of Han and Hiragana is one.
_WORD = re.compile(rf"[{_HAN}{_HIRAGANA}]|[{_KATAKANA}]+|{_OTHER}(?:['’]{_OTHER})*")
_RUN = re.compile(rf"[{_HAN}]{{2,}}")
_CHARACTER = re.compile(rf"[{_HAN}{_HIRAGANA}]")
_MOST = 12
# Of the heaviest word of the query, by how often it stands there × inverse document frequency: what is lighter is no
# reason, however often a paper has it.
_LIGHTEST = 0.15
# Of the heaviest shared word, by what it adds to the BM25 score.
_LEAST = 0.1
# How forms of one word end. What else a stem takes together, as "universe" and "university", need not mean the same.
_ENDINGS = frozenset(("", "s", "es", "'s", "’s", "e", "ed", "d", "ing", "y", "ies", "ied", "ying", "ly", "ily"))
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
            searched = bm25.heaviest(searched, settings.bm25_terms, settings.bm25)
        words = _WORD.findall(query.joined())
        self._surface = _surface_forms(words, bm25)
        self._function_words = function_words(words)
        self._runs = list(dict.fromkeys(_RUN.findall(query.joined())))
        worth = {term: weight * bm25.idf(term) for term, weight in searched.items() if self._is_distinctive(term)}
        heaviest = max(worth.values(), default=0.0)
        self._worth = {term: value for term, value in worth.items() if value > 0 and value >= _LIGHTEST * heaviest}

    def of(self, text: Text) -> tuple[MatchedTerm, ...]:
        """Those that a paper shares, by what they add to its BM25 score.

        They are written as in the query, or as in the paper where that has no form of the query's word. Of scripts
        without spaces between words, these are the longest runs of Han characters that both have.
        """
        terms = Counter(self._bm25.terms(text.joined()))
        length = self._k1 * (1 - self._b + self._b * terms.total() / max(self._average_length, 1.0))
        scores = {
            term: worth * frequency / (frequency + length)
            for term, worth in self._worth.items()
            if (frequency := terms[term])
        }
        words = _WORD.findall(text.joined())
        written = {folded(word): word for word in words}
        empty = function_words(words)
        shared: dict[str, float] = {}
        for term, score in scores.items():
            word = "" if _CHARACTER.match(term) else self._shared(term, written)
            if word and word.lower() not in empty:
                shared[word] = shared.get(word, 0.0) + score
        for run in _shared_runs(self._runs, text.joined(), scores):
            shared[run] = sum(scores.get(character, 0.0) for character in set(run))
        matched = [MatchedTerm(term, round(score, 4)) for term, score in shared.items()]
        matched.sort(key=lambda match: (-match.weight, match.term))
        return tuple(match for match in matched[:_MOST] if match.weight >= _LEAST * matched[0].weight)

    def _shared(self, term: str, written: Mapping[str, str]) -> str:
        """The query's word where a paper of these words has a form of it, else the paper's; "" for an empty word."""
        word = self._surface.get(term, term)
        asked, start = folded(word), folded(term[:3])  # no stem begins otherwise than its word, but of TNFα
        if asked in written:
            return word
        near = {
            other: one
            for other, one in written.items()
            if other.startswith(start) or (not other.isascii() and with_names_of_letters(other) != other)
        }
        if any(_same_word(asked, other) and not self._is_empty(one) for other, one in near.items()):
            return word
        own = next((_in_a_sentence(one) for one in near.values() if term in self._bm25.terms(one)), word)
        return "" if self._is_empty(own) else own

    def _is_empty(self, word: str) -> bool:
        return is_stop_word(word) or word.lower() in self._function_words

    def _is_distinctive(self, term: str) -> bool:
        if self._is_empty(self._surface.get(term, term)):
            return False
        return self._bm25.holding(term) <= max(_COMMON * self._documents, _FEW)


def _shared_runs(runs: Iterable[str], text: str, worth: Container[str]) -> list[str]:
    """The longest parts of these runs that the text has, of two characters or more, between two that have a worth."""
    found: set[str] = set()
    for run in runs:
        start = 0
        while start < len(run) - 1:
            end = start + 1
            while end < len(run) and run[start : end + 1] in text:
                end += 1
            worthy = [place for place in range(start, end) if run[place] in worth]
            if len(worthy) > 1:
                found.add(run[worthy[0] : worthy[-1] + 1])
            start = end
    return [run for run in found if not any(run != other and run in other for other in found)]


def _surface_forms(words: Iterable[str], bm25: SparseRetriever) -> dict[str, str]:
    """The first word of the query that each term comes from, as it stands there."""
    forms: dict[str, str] = {}
    for word in dict.fromkeys(words):
        for term in bm25.terms(word):
            forms.setdefault(term, _in_a_sentence(word))
    return forms


def _in_a_sentence(word: str) -> str:
    return word.lower() if word.istitle() else word


def _same_word(one: str, other: str) -> bool:
    """Whether both are forms of one word, such as "map" and "mapping"."""
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    rests = one[same:], other[same:]
    return all(rest in _ENDINGS or rest.removeprefix(one[same - 1 : same]) in {"ed", "ing"} for rest in rests)
