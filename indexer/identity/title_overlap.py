"""Titles that share most of their words: all that reach a Jaccard coefficient, found without comparing every pair.

Nogueira et al. (BIR 2020) keep a paper out of training if its title, a set of words without special characters, has a
Jaccard coefficient of 0.7 or more with a title of the test set. The search is exact: the prefix filter of set
similarity joins (Chaudhuri et al., ICDE 2006; Bayardo et al., WWW 2007).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction

from indexer.identity.titles import title_words

LEAKING = 0.7  # the threshold of Nogueira et al.

# Scripts that put no space between words: each character is a word of its own.
_UNSPACED = r"\u3005\u3006\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_UNIGRAM = re.compile(f"[{_UNSPACED}]|[^{_UNSPACED}]+")


def unigrams(title: str) -> frozenset[str]:
    """The different words of a title by `title_words`; Chinese characters and kana count as words."""
    words = title_words(title)
    if title.isascii():
        return frozenset(words)
    return frozenset(unigram for word in words for unigram in _UNIGRAM.findall(word))


def jaccard(one: str, other: str) -> float:
    """Shared words of two titles / all their words; 0 where neither has a word."""
    words, other_words = unigrams(one), unigrams(other)
    return len(words & other_words) / max(len(words | other_words), 1)


@dataclass(frozen=True, slots=True)
class Overlap:
    """An indexed title that reaches the threshold."""

    number: int  # place of the title among those that were indexed, from 0
    jaccard: float  # from the threshold to 1


class TitleOverlaps:
    """Titles by their rarest words; finds those that share enough words with another title.

    Two sets of x and y words with a Jaccard coefficient of at least t share at least t · max(x, y) words. If each is
    sorted by one order, its first x − ⌈t · x⌉ + 1 words therefore hold a word of the other's first ones: only these are
    indexed and looked up. Rare words come first, so that few titles share one. A title without words overlaps with
    none.
    """

    def __init__(self, titles: Iterable[str], threshold: float = LEAKING) -> None:
        """Index the titles; takes memory for their words alone.

        Raises:
            ValueError: the threshold is not above 0 and at most 1.
        """
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold {threshold} is not above 0 and at most 1")
        exact = Fraction(str(threshold))  # 0.7 is 7/10, whatever the binary number nearest to it
        self._numerator, self._denominator = exact.numerator, exact.denominator
        self.compared = 0  # pairs that were counted word by word
        sets = [unigrams(title) for title in titles]
        frequency = Counter(word for words in sets for word in words)
        by_rarity = sorted(frequency, key=lambda word: (frequency[word], word))
        self._rarity = {word: place for place, word in enumerate(by_rarity)}
        self._titles: list[tuple[int, ...]] = []  # each as the rarities of its words
        self._postings: dict[int, list[int]] = {}  # rarity → numbers of the titles that have it in their prefix
        for number, words in enumerate(sets):
            rarities = sorted(map(self._rarity.__getitem__, words))
            self._titles.append(tuple(rarities))
            for rarity in rarities[: self._prefix(len(rarities), len(rarities))]:
                self._postings.setdefault(rarity, []).append(number)

    def __len__(self) -> int:
        return len(self._titles)

    def of(self, title: str) -> Iterator[Overlap]:
        """All indexed titles that reach the threshold with this one, in the order of their numbers."""
        words = unigrams(title)
        # Words of no indexed title are the rarest of all: they take up the prefix, and have no postings.
        known = {self._rarity[word] for word in words if word in self._rarity}
        prefix = sorted(known)[: self._prefix(len(words), len(known))]
        candidates = {number for rarity in prefix for number in self._postings.get(rarity, ())}
        for number in sorted(candidates):
            other = self._titles[number]
            if len(other) < self._least(len(words)) or len(words) < self._least(len(other)):
                continue
            self.compared += 1
            shared = len(known.intersection(other))
            union = len(words) + len(other) - shared
            if shared * self._denominator >= self._numerator * union:
                yield Overlap(number, shared / union)

    def has(self, title: str) -> bool:
        """Does any indexed title reach the threshold with this one?"""
        return next(self.of(title), None) is not None

    def _least(self, size: int) -> int:
        """Words that a set of this size must share, at the very least: ⌈t · size⌉."""
        return -(-self._numerator * size // self._denominator)

    def _prefix(self, size: int, known: int) -> int:
        """How many of the `known` words, the commonest of a set of this size, lie in its prefix."""
        return max(0, known - self._least(size) + 1) if size else 0
