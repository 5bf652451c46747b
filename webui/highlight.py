"""Which words of a text are the shared ones, whatever their ending."""

import re
from collections.abc import Mapping
from typing import NamedTuple

from whoosh.lang.porter import stem

from common.formulas import WORD
from common.text import on_the_line, unaccented

_WORD = re.compile(r"[^\W_]+")


class Segment(NamedTuple):
    """A run of text, in reading order."""

    text: str
    marked: bool
    weight: int = 0  # of a marked word: 3 for the heaviest third of the weights, down to 1


def segments(text: str, terms: Mapping[str, float]) -> tuple[Segment, ...]:
    """The text cut at the words that share their stem with one of `terms`; joined, the segments are the text.

    By the weights of `terms` the marks are distinguished.
    """
    stems: dict[str, int] = {}
    for term, level in levels_of(terms).items():
        for stem_of_term in _stems(term):
            stems[stem_of_term] = max(level, stems.get(stem_of_term, 0))
    cut: list[Segment] = []
    end = 0
    for word in WORD.finditer(text):
        found = max((stems[one] for one in _stems(word[0]) if one in stems), default=None)
        if found is not None:
            if word.start() > end:
                cut.append(Segment(text[end : word.start()], False))
            cut.append(Segment(word[0], True, found))
            end = word.end()
    if end < len(text):
        cut.append(Segment(text[end:], False))
    return tuple(cut)


def levels_of(weights: Mapping[str, float]) -> dict[str, int]:
    """1, 2 or 3 for each term: in which third of the way to the heaviest its weight lies."""
    most = max(weights.values(), default=0.0)
    return {term: min(3, 1 + int(3 * weight / most)) if most > 0 else 1 for term, weight in weights.items()}


def _stems(text: str) -> list[str]:
    """Porter's stems in plain letters, as the BM25 index has them; words of other scripts stand for themselves."""
    lowered = _WORD.findall(unaccented(on_the_line(text)).lower())
    return [str(stem(word)) if word.isascii() and word.isalpha() else word for word in lowered]
