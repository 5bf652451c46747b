"""How similar two titles are that differ by more than case and punctuation."""

import re
from collections import Counter
from collections.abc import Collection
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import OSA
from rapidfuzz.fuzz import ratio

from indexer.identity.titles import is_distinctive, title_key, title_words

# From here on two titles count as the same. docs/resolve.md has the precision and recall of this and other thresholds.
SIMILAR = 0.90

_ROMAN = {roman: str(number) for number, roman in enumerate(["i", "ii", "iii", "iv", "v", "vi", "vii", "viii"], 1)}
_DIGITS = re.compile(r"\d+")
_SUBTITLE = re.compile(r"\s*(?::\s|\s[-–—]+\s|[?!.]\s|—)\s*")
_ABBREVIATED = re.compile(r"(\w{2,})\.(?=\s|$)")
# Words that may be missing on one side. "not", "without", "versus" and their like change what a title says.
_LIGHT = frozenset(
    ["a", "an", "the", "of", "in", "on", "for", "and", "to", "with", "by", "from", "at", "as", "its", "is", "are"]
)
_SUBTITLE_LOST = 0.95
_SHORTEST_TYPO = 4  # letters of a word in which one may be wrong
_LONGEST = 100  # words of titles that are compared: the time grows with their cube where they repeat themselves


def likeness(first: str, second: str) -> float:
    """Share of letters that two titles have in common in order (normalised indel similarity), from 0 to 1."""
    return ratio(" ".join(title_words(first)), " ".join(title_words(second))) / 100


class _Title(NamedTuple):
    """A title by what is compared of it."""

    words: list[str]
    text: str  # these words
    numbers: Counter[str]
    parts: list[str]  # itself, or what stands before its subtitle, and that


def similarity(first: str, second: str, least: float = SIMILAR) -> float:
    """How likely two titles are spellings of one, from 0 to 1; below `least`, the lowest that matters, it may be 0.

    It is the titles' `likeness`, but 0 where they differ in a number, or in a word by more than a typing error: no
    share of letters distinguishes "in men" from "in women". If only one side has a subtitle, and what stands before it
    is distinctive, the rest is compared, for a little less.
    """
    one, other = _read(first), _read(second)
    if one.numbers != other.numbers:
        return 0.0
    mains = None if len(one.parts) == len(other.parts) else (_read(one.parts[0]), _read(other.parts[0]))
    whole, main = _likeness(one, other, least), _SUBTITLE_LOST * _likeness(*mains, least) if mains else 0.0
    if max(whole, main) < least:  # as of most titles; to compare their words takes longer
        return 0.0
    short = {word for title in (first, second) for found in _ABBREVIATED.findall(title) for word in title_words(found)}
    if _slips(one.words, other.words, short):
        return whole
    if not mains or not all(is_distinctive(title_key(title.parts[0])) for title in (one, other)):
        return 0.0
    return main if _slips(mains[0].words, mains[1].words, short) else 0.0


@lru_cache(maxsize=1_024)  # a title is compared with many, and many are compared with each part of a printed reference
def _read(title: str) -> _Title:
    words = [_ROMAN.get(word, word) for word in title_words(title)]
    return _Title(words, " ".join(words), _numbers(words), _SUBTITLE.split(title.strip(), maxsplit=1))


def _likeness(one: _Title, other: _Title, least: float) -> float:
    """As `likeness`; 0 below `least`."""
    return ratio(one.text, other.text, score_cutoff=100 * least) / 100


def numbers_differ(first: str, second: str) -> bool:
    """Whether two titles differ in a number, as those of the parts of one work do."""
    return _numbers(title_words(first)) != _numbers(title_words(second))


def _slips(words: list[str], other: list[str], short: Collection[str]) -> bool:
    """May all differences between two titles be slips? `short` holds the words that end in a period."""
    if words == other or max(len(words), len(other)) > _LONGEST:
        return words == other
    words, other = sorted((words, other))  # it matches repeated words by their order
    changes = SequenceMatcher(None, words, other, autojunk=False).get_opcodes()
    return all(kind == "equal" or _slip(words[a:b], other[c:d], short) for kind, a, b, c, d in changes)


def _slip(one: list[str], other: list[str], short: Collection[str]) -> bool:
    """May one run of words be a slip for the other: a wrong letter, a wrong space, a light word, an abbreviation?"""
    if len(one) == len(other) and all(_same_word(*pair, short) for pair in zip(one, other, strict=True)):
        return True
    heavy, other_heavy = ([word for word in words if word not in _LIGHT] for words in (one, other))
    return _same_word("".join(one), "".join(other)) or _same_word("".join(heavy), "".join(other_heavy))


def _same_word(one: str, other: str, short: Collection[str] = ()) -> bool:
    if one == other:
        return True
    brief, full = sorted((one, other), key=len)
    if brief in short and full.startswith(brief):
        return True
    if OSA.distance(one, other, score_cutoff=1) > 1:
        return False
    if one in _LIGHT or other in _LIGHT:
        return True
    # A letter more at the beginning makes another word: typical, atypical.
    return len(full) >= _SHORTEST_TYPO and (one[:1] == other[:1] or len(one) == len(other) > _SHORTEST_TYPO)


def _numbers(words: list[str]) -> Counter[str]:
    """The numbers of a title: years, parts and editions are what distinguishes the papers of a series."""
    return Counter(digits.lstrip("0") for word in words for digits in _DIGITS.findall(_ROMAN.get(word, word)))
