"""Figures of a reference list: how old it is, and how much of it the authors wrote themselves."""

from collections.abc import Sequence

import numpy as np

from citescout.review.entries import Cited
from citescout.review.review_parts import Ages, SelfCitations
from indexer.identity.authors import agreement, author_of
from manuscripts.reference_lines import year_of

_RECENT = 5  # years


def ages(cited: Sequence[Cited], year: int) -> Ages | None:
    """How old the works are in `year`, by their entries, else by the index; later ones count as new. None without any.

    Of an entry that is printed, which may name several works, the year is looked for in its text.
    Quartiles interpolate linearly between ages.
    """
    years = [found for one in cited if (found := _year(one)) is not None]
    if not years:
        return None
    old = np.maximum(year - np.asarray(years), 0)
    first, median, third = np.percentile(old, (25, 50, 75)).tolist()
    recent = float(np.mean(old <= _RECENT))
    return Ages(year, len(years), len(cited) - len(years), median, (first, third), recent)


def self_citations(cited: Sequence[Cited], authors: Sequence[str]) -> SelfCitations | None:
    """The works that one of these authors wrote, as far as names show; None where none is named.

    Initials are enough, as reference lists have no more.
    """
    writers = [author_of(name) for name in authors if name.strip()]
    if not writers:
        return None
    own: list[str] = []
    known = 0
    for one in cited:
        names = _authors(one)
        known += bool(names)
        if any(agreement(author_of(name), writer) for name in names for writer in writers):
            own.append(one.entry.key)
    return SelfCitations(tuple(authors), tuple(own), known, len(cited) - known)


def _year(cited: Cited) -> int | None:
    stated = next((paper.year for paper in cited.entry.readings if paper.year), None)
    matched = cited.match.paper.year if cited.match.paper else None
    return stated or matched or (year_of(cited.entry.source) if len(cited.entry.readings) > 1 else None)


def _authors(cited: Cited) -> tuple[str, ...]:
    """Those of the index, which has all of them, and of the entry."""
    stated = next((paper.authors for paper in cited.entry.readings if paper.authors), ())
    return (*(cited.match.paper.authors if cited.match.paper else ()), *stated)
