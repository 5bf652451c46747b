"""Accents: a word of a query is searched as an index writes it."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cached_property

from common.text import unaccented

ACCENTED = "[À-ɏḀ-ỿ]"  # letters of the Latin alphabet beyond ASCII, in every syntax of patterns
_WORD = re.compile(r"[^\W_]+")
_TRANSCRIBED = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ø": "oe", "å": "aa"})
# A word without accents may be an English one, such as "resume": it has to be this many times as frequent with them.
_TIMES = 10


class Spelling:
    """How the papers of one index write words that can have accents; safe to share between threads."""

    def __init__(
        self,
        analysed: Callable[[str], list[str]],
        stem: Callable[[str], str],
        papers: Callable[[str], int],
        accented: Callable[[], Iterable[str]],
    ) -> None:
        """`analysed` gives a text's terms, `stem` that of a word in ASCII, `papers` how many hold a term.

        `accented` gives all terms of the index that have an `ACCENTED` letter; it is asked once, at the first text.
        """
        self._analysed, self._stem, self._papers, self._accented = analysed, stem, papers, accented

    def terms(self, text: str) -> list[str]:
        """The terms of a text, in order, repeats included.

        "Niño" is asked as "Nino" where more papers write that, and "nino" as "niño" where nearly all do.
        """
        plain = text if text.isascii() else _WORD.sub(lambda found: self._most_common(found[0]), text)
        return [self._with_accents(term) if term in self._spellings else term for term in self._analysed(plain)]

    def _most_common(self, word: str) -> str:
        if word.isascii():
            return word
        return max([word, *_without_accents(word)], key=self._holding)  # of equals the first

    def _holding(self, word: str) -> int:
        return min(map(self._papers, self._analysed(word)), default=0)

    def _with_accents(self, term: str) -> str:
        found = max(self._spellings[term], key=self._papers)
        return found if self._papers(found) >= _TIMES * self._papers(term) else term

    @cached_property
    def _spellings(self) -> dict[str, list[str]]:
        """Terms without accents, and those of the index that are the same words with them."""
        found = defaultdict(list)
        for term in self._accented():
            for plain in _without_accents(term):
                found[self._stem(plain)].append(term)
        return dict(found)


def _without_accents(word: str) -> list[str]:
    """As English writes a word, and as German does where it has no accents: Müller as Muller and Mueller."""
    plain = unaccented(word)
    return list(dict.fromkeys([plain, unaccented(word.lower().translate(_TRANSCRIBED))])) if plain != word else []
