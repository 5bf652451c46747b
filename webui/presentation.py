"""Recommendations as the page shows them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from citescout.contributions import by_group
from citescout.recommendation import Contribution, Reasons, Recommendation
from common.names import goes_on, shown_names
from common.text import one_line
from common.words import counted
from exports.citation import citation, shown_title
from exports.links import doi_link, pdf_link, safe_link
from exports.outside import outside_heading, outside_name, outside_why
from exports.reason_sentences import byline, found_by, groups, in_percent, known_mark, percent, retraction, sentences
from indexer.paper import Paper
from webui.highlight import levels_of, segments

_SHOWN_AUTHORS = 3
# Other orders than that of the list, and what they are called.
SORTS = {"year": "Year", "citations": "Citations"}


@dataclass(frozen=True, slots=True)
class GroupContribution:
    """What one kind of evidence does to a score."""

    name: str
    value: str  # with its sign
    share: float  # −1 to 1: of the largest of this paper


def shown_groups(recommendations: Sequence[Recommendation], sort: str) -> list[tuple[str, list[Recommendation]]]:
    """The list cut where papers become less likely, the name of each part before it.

    By "year" or "citations", the most first, it is not cut; equal ones stay in the order of the list.
    """
    if sort not in SORTS:
        return groups(recommendations)
    by_year = sort == "year"
    return [("", sorted(recommendations, key=lambda one: -((one.paper.year if by_year else one.times_cited) or 0)))]


def term_weights(reasons: Reasons) -> dict[str, float]:
    """What each word that query and paper share adds to the BM25 score."""
    return {one_line(match.term): match.weight for match in reasons.matched_terms}


def without_support(reasons: Reasons) -> Reasons:
    """The reasons without what the abstract says to a context, where that has a place of its own."""
    return replace(reasons, support="")


def kinds_of(contributions: Sequence[Contribution]) -> tuple[GroupContribution, ...]:
    """What moved a paper up or down the learned order, summed to what a reader can distinguish, the heaviest first.

    Nothing for a list that the blend did not order.
    """
    sums = by_group(contributions)
    most = max(map(abs, sums.values()), default=0.0)
    ordered = sorted(sums.items(), key=lambda item: (-abs(item[1]), item[0]))
    return tuple(
        GroupContribution(kind, f"{value:+.2f}".replace("-", "−"), value / most)
        for kind, value in ordered
        if abs(value) >= 0.005
    )


def author_line(paper: Paper) -> str:
    """The first authors, and how many more there are."""
    names = shown_names(paper.authors)
    if len(names) > _SHOWN_AUTHORS and goes_on(paper.authors):
        return ", ".join([*names[:_SHOWN_AUTHORS], "et al."])
    if len(names) > _SHOWN_AUTHORS:
        kept = _SHOWN_AUTHORS - 1
        return f"{', '.join(names[:kept])} and {len(names) - kept} more"
    return ", ".join(names)


_OF_PAPERS = (author_line, byline, citation, doi_link, one_line, pdf_link, retraction, safe_link, shown_title)
_OF_RECOMMENDATIONS = (
    found_by,
    in_percent,
    kinds_of,
    known_mark,
    levels_of,
    percent,
    segments,
    sentences,
    term_weights,
    without_support,
)
_OF_OTHERS = (counted, outside_heading, outside_name, outside_why)
# What templates ask of papers, recommendations, numbers, and works that are not in the index.
FILTERS = {one.__name__: one for one in (*_OF_PAPERS, *_OF_RECOMMENDATIONS, *_OF_OTHERS)}
