"""When a work that was found by its title is the one of an entry: a strict rule, since what it lets in is cited.

The titles are the same, or differ by slips (`identity.similar`); the first authors agree, where the entry names any;
the years are at most one apart (two with one first author). An entry without authors needs a distinctive title that is
exactly the same, and a year. Several records of one work are one; where several works fit, none is taken.
docs/corpus.md has the measured precision.
"""

from collections.abc import Sequence

from fetch.corpus.interface import Work
from indexer.identity.agreement import first_authors_agree, title_holds, years_agree
from indexer.identity.similar import SIMILAR, likeness, similarity
from indexer.identity.titles import is_distinctive, title_key
from indexer.paper import Paper

NONE, SEVERAL = "none", "several"


def chosen(entry: Paper, found: Sequence[Work]) -> Work | str:
    """The work that the entry is, or NONE, or SEVERAL where that many fit."""
    fitting = [work for work in found if fits(entry, work.paper)]
    if not fitting:
        return NONE
    key = title_key(entry.title)
    exact = [work for work in fitting if title_key(work.paper.title) == key]
    rivals = exact or fitting
    first = rivals[0].paper
    if any(not _same_work(first, other.paper) for other in rivals[1:]):
        return SEVERAL
    return max(rivals, key=lambda work: (*_nearness(entry, work.paper), work.times_cited))


def fits(entry: Paper, paper: Paper) -> bool:
    """Whether a paper that a search by title found may be the entry."""
    if not title_holds(entry, paper):
        return False
    exactly = title_key(entry.title) == title_key(paper.title)
    if not entry.authors:
        return exactly and is_distinctive(title_key(entry.title)) and None not in (entry.year, paper.year)
    return first_authors_agree(entry, paper) is True and (exactly or similarity(entry.title, paper.title) >= SIMILAR)


def _same_work(one: Paper, other: Paper) -> bool:
    """Whether two papers that fit one entry are records of one work, such as a preprint and its publication."""
    same_title = title_key(one.title) == title_key(other.title)
    return same_title and first_authors_agree(one, other) is not False and years_agree(one, other)


def _nearness(entry: Paper, paper: Paper) -> tuple[float, int, bool, int]:
    apart = abs(entry.year - paper.year) if entry.year and paper.year else 0
    return likeness(entry.title, paper.title), -apart, bool(paper.citations), len(paper.citations)
