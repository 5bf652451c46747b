"""Which papers a list may hold. What is left out still votes: a filter is about the list, not about the evidence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.errors import QueryError
from indexer.catalog import Catalog
from indexer.identity.authors import Author, author_of, key_of, may_be
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
            unwanted = _by_key(self.not_by)
            kept[places] = [self._venue_fits(paper) and not _is_by(paper, unwanted) for paper in papers]
        return kept

    def _venue_fits(self, paper: Paper) -> bool:
        if not self.venues:
            return True
        words = _words(paper.venue)
        return any(_stands_in(_words(venue), words) for venue in self.venues)


def _by_key(names: Iterable[str]) -> dict[str, list[Author]]:
    found: dict[str, list[Author]] = {}
    for name in names:
        if key := key_of(name):
            found.setdefault(key, []).append(author_of(name))
    return found


def _is_by(paper: Paper, unwanted: Mapping[str, Sequence[Author]]) -> bool:
    return any(may_be(name, author_of(author)) for author in paper.authors for name in unwanted.get(key_of(author), ()))


def _words(text: str) -> list[str]:
    return _WORD.findall(_folded(text))


def _folded(text: str) -> str:
    """Lower case without accents."""
    parts = unicodedata.normalize("NFKD", text.casefold())
    return "".join(mark for mark in parts if not unicodedata.combining(mark)).strip()


def _stands_in(part: Sequence[str], whole: Sequence[str]) -> bool:
    size = len(part)
    return size > 0 and any(list(whole[start : start + size]) == list(part) for start in range(len(whole) - size + 1))
