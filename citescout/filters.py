"""Which papers a list may hold. What is left out still votes: a filter is about the list, not about the evidence."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Annotated

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from common.schema import FieldError, Given, Names, record
from common.text import words_set_apart
from indexer.catalog import Catalog
from indexer.duplicates import records_of
from indexer.generations import OpenGeneration
from indexer.identity.authors import Author, author_of, key_of, may_be
from retrieval.first_stage import Pool
from retrieval.hits import Allowed
from retrieval.query import FIRST_YEAR, LAST_YEAR


@record
class Filters:
    """Conditions that all papers of a list meet; the default is none.

    Raises:
        QueryError: a value out of range.
    """

    from_year: Annotated[int | None, Given(label="Published from")] = Field(
        default=None,
        ge=FIRST_YEAR,
        le=LAST_YEAR,
        description="Only papers from this year on are recommended; one of unknown year meets no condition on years.",
    )
    to_year: int | None = Field(
        default=None,
        ge=FIRST_YEAR,
        le=LAST_YEAR,
        description="Only papers up to this year are recommended; newer ones still are evidence.",
    )
    venues: Annotated[Names, Given("--venue", "NAME", "Venue contains")] = Field(
        default=(),
        description="Only papers whose venue has one of these names in it, word for word; case does not matter.",
    )
    min_citations: Annotated[int, Given(label="Minimum citations (in this index)")] = Field(
        default=0, ge=0, le=1_000_000_000, description="Fewest citations of a paper by papers of the index."
    )
    not_by: Annotated[Names, Given(metavar="AUTHOR", label="Not by these authors")] = Field(
        default=(), description='Authors whose papers are left out: "Ada Lovelace", "A. Lovelace" or "Lovelace".'
    )

    def __post_init__(self) -> None:
        if self.from_year is not None and self.to_year is not None and self.from_year > self.to_year:
            raise FieldError(("from_year",), f"{self.from_year} is after {{other}} {self.to_year}", "to_year")

    def kept(self, pool: Pool, catalog: Catalog) -> NDArray[np.bool_]:
        """Which candidates of a pool meet all conditions, shape (len(pool),)."""
        kept = self._in_numbers(pool.citations, pool.years)
        if self.not_by:
            unwanted = _by_key(self.not_by)
            bylines = catalog.bylines(pool.docids)
            theirs = pool.docids[[_is_by(authors, unwanted) for authors, _ in bylines]].tolist()
            others = records_of(catalog, catalog.papers(theirs))  # may have fewer names, as "and others" does
            kept &= ~np.isin(pool.docids, [*theirs, *chain.from_iterable(others)])
        if self.venues:
            places = np.flatnonzero(kept)
            kept[places] = [self._venue_fits(venue) for _, venue in catalog.bylines(pool.docids[places])]
        return kept

    def possible(self, generation: OpenGeneration) -> Allowed:
        """Which papers of an index may meet all conditions, by docid: no other one does, nor all that `not_by` have."""
        possible = self._in_numbers(np.diff(generation.graph.cited_by.offsets), generation.years)
        if self.venues:
            venues = generation.catalog.by_venue
            there = [docids for venue, docids in venues.items() if self._venue_fits(venue)]
            possible &= np.isin(np.arange(len(possible)), list(chain.from_iterable(there)))
        return possible

    def _in_numbers(self, citations: NDArray[np.integer], years: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which papers, cited so often and of these years, are cited often enough and of the right years."""
        kept = citations >= self.min_citations
        if self.from_year is not None:
            kept &= years >= self.from_year
        if self.to_year is not None:
            kept &= (years > 0) & (years <= self.to_year)
        return kept

    def strangers(self, catalog: Catalog) -> tuple[str, ...]:
        """Those of `not_by` who can be the author of no paper, so that nothing is left out for them."""
        papers = {name: catalog.authors({key_of(name)}) for name in self.not_by}
        return tuple(
            name
            for name, rows in papers.items()
            if not any(may_be(author_of(name), author_of(author)) for _, authors in rows for author in authors)
        )

    def _venue_fits(self, venue: str) -> bool:
        words = words_set_apart(venue)
        return any(name in words for name in filter(str.strip, map(words_set_apart, self.venues)))


def _by_key(names: Iterable[str]) -> dict[str, list[Author]]:
    found: dict[str, list[Author]] = {}
    for name in names:
        if key := key_of(name):
            found.setdefault(key, []).append(author_of(name))
    return found


def _is_by(authors: Iterable[str], unwanted: Mapping[str, Sequence[Author]]) -> bool:
    return any(may_be(name, author_of(author)) for author in authors for name in unwanted.get(key_of(author), ()))
