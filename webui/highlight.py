"""Which words of a text are the shared ones, whatever their ending."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from whoosh.lang.porter import stem

_WORD = re.compile(r"[^\W_]+")


class Segment(NamedTuple):
    """A run of text, in reading order."""

    text: str
    marked: bool


def segments(text: str, terms: Iterable[str]) -> tuple[Segment, ...]:
    """The text cut at the words that share their stem with one of `terms`; joined, the segments are the text."""
    stems = {_stem(word) for term in terms for word in _WORD.findall(term)}
    cut: list[Segment] = []
    end = 0
    for word in _WORD.finditer(text):
        if _stem(word[0]) in stems:
            if word.start() > end:
                cut.append(Segment(text[end : word.start()], False))
            cut.append(Segment(word[0], True))
            end = word.end()
    if end < len(text):
        cut.append(Segment(text[end:], False))
    return tuple(cut)


def _stem(word: str) -> str:
    """Porter's stem, as the BM25 index has it; words of other scripts stand for themselves."""
    lowered = word.lower()
    return str(stem(lowered)) if lowered.isascii() and lowered.isalpha() else lowered
