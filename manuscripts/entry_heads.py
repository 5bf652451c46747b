"""Entries of a list by what citations name of them: who wrote them, and when."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from common.names import PARTICLE, family_first
from indexer.identity.cited_names import NO_YEAR, YEAR
from indexer.identity.titles import title_words

_ANY_YEAR = re.compile(rf"(?<!\d){YEAR}(?:[a-z]|/\d\d(?![\d/]))?(?!\w)|\b{NO_YEAR}")
_MOST_LED = 4  # words before a first author's name in an entry: initials, given names
_LONGEST_HEAD = 60  # words of an entry that may be its authors
_SMALL_WORDS = frozenset(
    ("of", "for", "the", "and", "on", "de", "du", "des", "la", "del", "da", "do", "e", "y", "et", "für", "und")
)
_NAME_ENDS = re.compile(r"(?<=[^\W\d_]{2})\.\s")
_SURNAME_FIRST = re.compile(r"[^\s,]+,\s")  # "Bauer, Emil, and Rita Tang", who are no institution
_FEWEST_LETTERS = 3  # of what an institution is called in short
_LONGEST_NAME = 8  # words of what it is called in full


def year_key(year: str) -> str:
    """In one spelling: "o. J." as "o.j."."""
    return "".join(year.lower().split())


@dataclass(frozen=True, slots=True)
class EntryHead:
    """An entry of the list as citations name it."""

    key: str
    head: tuple[str, ...]  # its first words, among them its authors
    named: int  # how many of them, at most, name an institution; 0 where they name people
    years: frozenset[str]  # "2003", "2003a", "1848/49", "n.d.", "inpress"

    @classmethod
    def of(cls, key: str, text: str) -> "EntryHead":
        """By the text of the entry, with its authors and without addresses."""
        years = list(_ANY_YEAR.finditer(text))
        # Authors stand before the first year, where that is not the end of the entry, or its number.
        head = text[: years[0].start()] if years and years[0].start() > 1 else text
        words = [word for word in title_words(head) if not word.isdecimal()][:_LONGEST_HEAD]
        named = 0 if _SURNAME_FIRST.match(head) else len(title_words(_NAME_ENDS.split(head, maxsplit=1)[0]))
        return cls(key, tuple(words), named, frozenset(year_key(year[0]) for year in years))

    def rank(
        self, authors: Sequence[list[str]], others: bool, year: str, short: str = ""
    ) -> tuple[bool, int, int] | None:
        """How far it is from what these authors and this year mean; None where they mean another work.

        `short` is what is typed in their place, such as "WHO".
        """
        if year[4:] and year[:4].isdecimal() and not self.years & {year, year[:4]}:  # another letter
            return None
        places = [self._place(author) for author in authors[:2]]
        if short and places == [None] and self._is_called(short.lower()):
            return year not in self.years, _MOST_LED, len(self.head)
        if not places or places[0] is None or places[0] > _MOST_LED or None in places:
            return None
        # "Doe (2020)" is the shorter of two lists that begin with Doe, "Doe et al." the longer.
        return year not in self.years, places[0], -len(self.head) if others else len(self.head)

    def _is_called(self, short: str) -> bool:
        """Whether its institution is called so: beside its name, or by the first letters of its words.

        They are those of all words, of those before an "of", as of "FAO", or before "and" and one more, as of "CDC", or
        of the first, the last and some between.
        """
        words = [word for word in self.head[: self.named] if word not in _SMALL_WORDS]
        if not words or min(map(len, words)) == 1:  # initials
            return False
        if short in words:
            return True
        if not _FEWEST_LETTERS <= len(short) <= len(words) <= _LONGEST_NAME:
            return False
        initials = "".join(word[0] for word in words)
        behind = self.head[self.head.index(words[len(short) - 1]) + 1 : self.named]
        if initials.startswith(short) and (behind[:1] == ("of",) or (behind[:1] == ("and",) and len(behind) == 2)):
            return True
        rest = iter(initials)
        return initials[-1] == short[-1] and initials[0] == short[0] and all(letter in rest for letter in short)

    def _place(self, words: list[str]) -> int | None:
        """Where the name of these words stands in its head; "von Savigny" also as "Savigny, Friedrich Carl von"."""
        if family_first(words[0] if words else ""):  # 丸山 also in 丸山眞男, and that also as 丸山, 眞男
            rests = ("".join(self.head[place:]) for place in range(len(self.head)))
            return next((place for place, rest in enumerate(rests) if rest.startswith("".join(words))), None)
        place = self._first(words)
        particles = list(takewhile(PARTICLE.fullmatch, words[:-1]))
        if place is None and particles:
            surname = words[len(particles) :]
            place = self._first(surname)
            given = 0 if place is None else place + len(surname)
            if self._first(particles, given, given + _MOST_LED) is None:
                return None
        return place

    def _first(self, words: list[str], start: int = 0, last: int = _LONGEST_HEAD) -> int | None:
        """The first place from `start` to `last` where these words stand in its head."""
        size = len(words)
        if not words or words[0] not in self.head:  # as of most entries
            return None
        places = range(start, min(last, len(self.head) - size) + 1)
        return next((place for place in places if list(self.head[place : place + size]) == words), None)
