"""Accents: a word of a query is searched as an index writes it."""

import re
from collections.abc import Callable
from math import inf

from common.text import unaccented

_WORD = re.compile(r"[^\W_]+")


def as_indexed(text: str, terms: Callable[[str], list[str]], idf: Callable[[str], float]) -> str:
    """The text with those words unaccented that more papers have so, such as "Niño" where all have "Nino".

    `terms` analyses a text; `idf` is what a term weighs, 0 for one of no paper.
    """

    def rarity(word: str) -> float:
        return max((idf(term) or inf for term in terms(word)), default=inf)

    def spelling(found: re.Match[str]) -> str:
        word = found[0]
        plain = unaccented(word)
        return plain if plain != word and rarity(plain) < rarity(word) else word

    return text if text.isascii() else _WORD.sub(spelling, text)
