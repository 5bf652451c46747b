"""Works outside the index, as files and the page name them."""

from collections.abc import Sequence

from citescout.recommendation import OutsideWork
from common.names import joined
from common.text import one_line
from common.words import counted
from exports.citation import title_line
from exports.reason_sentences import short_reference
from indexer.paper import Paper

_SHOWN = 2  # papers that cite a work


def outside_heading(works: Sequence[OutsideWork]) -> str:
    """Such as "12 works that are not in this index and that the nearest papers cite"."""
    return f"{counted(len(works), 'work that is', 'works that are')} not in this index and that the nearest papers cite"


def outside_name(work: Paper) -> str:
    """Its title, or else its id, or what a reference says of it: "Small, H (1973), vol. 24, p. 265"."""
    if title := title_line(work):
        return title
    author = one_line(work.authors[0]) if work.authors else ""
    described = ", ".join(filter(None, (joined(author, f"({work.year})" if work.year else ""), one_line(work.venue))))
    return one_line(work.id) or described


def outside_why(work: OutsideWork) -> str:
    """Such as "Cited by 9 of the nearest papers, such as Luo et al. (2012), and by 19 of the index."."""
    index = f"{work.times_cited:,} of the index"
    if not work.cited_by:
        return f"Cited together with the nearest papers, by {index}."
    named = " and ".join(short_reference(paper) for paper in work.cited_by[:_SHOWN])
    if work.cited_by_count > len(work.cited_by[:_SHOWN]):
        named = f"{work.cited_by_count:,} of the nearest papers, such as {named}"
    return f"Cited by {named}, and by {index}."
