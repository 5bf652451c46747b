"""Which papers a list may hold. What is left out still votes: a filter is about the list, not about the evidence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citescout.exports.words import surname
from common.errors import QueryError
from indexer.catalog import Catalog
from indexer.paper import Paper
from retrieval.first_stage import Pool

_YEARS = range(1000, 2201)
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions that all papers of a list meet; the default is none."""

    from_year: int | None = None  # a paper of unknown year meets no condition on years
    to_year: int | None = None  # of the list only; `Query.year` also keeps newer papers from serving as evidence
    venues: tuple[str, ...] = ()  # one of them stands, word for word, in the paper's venue; case does not matter
    min_citations: int = 0  # by papers of the index
    not_by: tuple[str, ...] = ()  # authors whose papers are left out: "Ada Lovelace", "A. Lovelace" or "Lovelace"

    def checked(self) -> Filters:
        """The filters themselves.

        Raises:
            QueryError: a value out of range.
        """
        for name, year in (("from_year", self.from_year), ("to_year", self.to_year)):
            if year is not None and year not in _YEARS:
                raise QueryError(f"{name} must be from {_YEARS[0]} to {_YEARS[-1]}, not {year}")
        if self.from_year is not None and self.to_year is not None and self.from_year > self.to_year:
            raise QueryError(f"from_year {self.from_year} is after to_year {self.to_year}")
        if self.min_citations < 0:
            raise QueryError(f"min_citations must not be negative, not {self.min_citations}")
        return self

    def kept(self, pool: Pool, catalog: Catalog) -> NDArray[np.bool_]:
        """Which candidates of a pool meet all conditions, shape (len(pool),)."""
        kept = pool.citations >= self.min_citations
        if self.from_year is not None:
            kept &= pool.years >= self.from_year
        if self.to_year is not None:
            kept &= (pool.years > 0) & (pool.years <= self.to_year)
        if self.venues or self.not_by:
            places = np.flatnonzero(kept)
            papers = catalog.papers(pool.numbers[places])
            kept[places] = [self._venue_fits(paper) and not self._is_by(paper) for paper in papers]
        return kept

    def _venue_fits(self, paper: Paper) -> bool:
        if not self.venues:
            return True
        words = _words(paper.venue)
        return any(_stands_in(_words(venue), words) for venue in self.venues)

    def _is_by(self, paper: Paper) -> bool:
        return any(is_author(name, author) for name in self.not_by for author in paper.authors)


def is_author(name: str, author: str) -> bool:
    """May both be the same person? Surnames agree, and given names or their initials as far as both have them.

    A name without the given names is enough, whatever its particles and parts: "van der Waals", "Spärck Jones".
    """
    words = _words(name)
    if words and _in_order(author)[-len(words) :] == words:
        return True
    one, other = _folded(surname(name)), _folded(surname(author))
    if not one or one != other:
        return False
    given, other_given = _given(name), _given(author)
    if not given or not other_given:
        return True
    short = min(len(given[0]), len(other_given[0]))
    return given[0] == other_given[0] if short > 1 else given[0][0] == other_given[0][0]


def _given(author: str) -> list[str]:
    first, comma, rest = author.partition(",")
    if comma and rest.strip():
        return _words(rest)
    family = _words(surname(author))
    return _words(first)[: -len(family)] if family else []


def _in_order(author: str) -> list[str]:
    """All words of a name, the surname last."""
    first, _, rest = author.partition(",")
    return [*_words(rest), *_words(first)]


def _words(text: str) -> list[str]:
    return _WORD.findall(_folded(text))


def _folded(text: str) -> str:
    """Lower case without accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(mark for mark in parts if not unicodedata.combining(mark)).strip()


def _stands_in(part: Sequence[str], whole: Sequence[str]) -> bool:
    size = len(part)
    return size > 0 and any(list(whole[start : start + size]) == list(part) for start in range(len(whole) - size + 1))
