"""Titles that share most of their words: all that reach a Jaccard coefficient, found without comparing every pair.

Nogueira et al. (BIR 2020) keep a paper out of training if its title, a set of words without special characters, has a
Jaccard coefficient of 0.7 or more with a title of the test set. The search is exact: the prefix filter of set
similarity joins (Chaudhuri et al., ICDE 2006; Bayardo et al., WWW 2007).

Copies of a paper, such as a preprint, a meeting abstract, the same paper under another id, are found by it: a system
that is asked for a paper's citations must not read them in another record of it. The rule also takes parts of a
series for copies, which costs less than to overlook one. Titles that say nothing, such as "Editorial", have no copies.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from indexer.identity.titles import is_generic, title_key, title_words

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

    Sets of x and y words reach the Jaccard coefficient t if they share at least n = ⌈t · (x + y) / (1 + t)⌉ words. If
    both are sorted by one order, the first x − n + 1 words of the one then hold a word of the first y − n + 1 of the
    other. Rare words come first, so that few titles share one of these. A title without words overlaps with none.
    """

    def __init__(self, titles: Iterable[str], threshold: float = LEAKING) -> None:
        """Index the titles; only their words stay in memory.

        Raises:
            ValueError: the threshold is not above 0 and at most 1.
        """
        if not 0 < threshold <= 1:
            raise ValueError(f"threshold {threshold} is not above 0 and at most 1")
        # 0.7 is 7/10, whatever the binary number nearest to it.
        self._numerator, self._denominator = Fraction(str(threshold)).as_integer_ratio()
        self.compared = 0  # pairs that were counted word by word
        sets = [unigrams(title) for title in titles]
        frequency = Counter(word for words in sets for word in words)
        by_rarity = sorted(frequency, key=lambda word: (frequency[word], word))
        self._rarity = {word: place for place, word in enumerate(by_rarity)}
        self._titles: list[tuple[int, ...]] = []  # each as the rarities of its words
        # (words of a title, rarity of one of its first) → numbers of such titles
        self._postings: dict[tuple[int, int], list[int]] = {}
        for number, words in enumerate(sets):
            rarities = tuple(sorted(map(self._rarity.__getitem__, words)))
            self._titles.append(rarities)
            shortest, _ = self._sizes(len(rarities))
            for rarity in rarities[: len(rarities) - self._needed(len(rarities), shortest) + 1]:
                self._postings.setdefault((len(rarities), rarity), []).append(number)

    def __len__(self) -> int:
        return len(self._titles)

    def of(self, title: str) -> list[Overlap]:
        """All indexed titles that reach the threshold with this one, in the order of their docids."""
        words = unigrams(title)
        rarities = sorted(self._rarity[word] for word in words if word in self._rarity)
        known = frozenset(rarities)
        found = []
        shortest, longest = self._sizes(len(words))
        for size in range(shortest, longest + 1):
            needed = self._needed(len(words), size)
            # The other words are in no indexed title, and so the rarest of all: they fill the first places.
            prefix = rarities[: max(0, len(rarities) - needed + 1)]
            candidates = {number for rarity in prefix for number in self._postings.get((size, rarity), ())}
            self.compared += len(candidates)
            for number in candidates:
                shared = len(known.intersection(self._titles[number]))
                if shared >= needed:
                    found.append(Overlap(number, shared / (len(words) + size - shared)))
        return sorted(found, key=lambda overlap: overlap.number)

    def _sizes(self, size: int) -> tuple[int, int]:
        """The fewest and the most words of a title that can reach the threshold with one of `size` words."""
        return -(-self._numerator * size // self._denominator), size * self._denominator // self._numerator

    def _needed(self, size: int, other: int) -> int:
        """The words that two titles must share to reach the threshold."""
        return -(-self._numerator * (size + other) // (self._numerator + self._denominator))


def is_copy(title: str, other: str) -> bool:
    """Whether a record of the title `other` may be another record of the paper of this title."""
    return jaccard(title, other) >= LEAKING and not is_generic(title_key(title))


def copies_by_title(titles: Sequence[str], others: Iterable[tuple[int, str]]) -> list[list[int]]:
    """For each of `titles`, the docids of all `others`, (docid, title), that `is_copy`, in their order."""
    overlaps = TitleOverlaps("" if is_generic(title_key(title)) else title for title in titles)
    copies: list[list[int]] = [[] for _ in titles]
    for docid, other in others:
        for overlap in overlaps.of(other):
            copies[overlap.number].append(docid)
    return copies
