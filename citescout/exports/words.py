"""Reasons in words."""

from __future__ import annotations

from collections.abc import Sequence

from citescout.exports.text import one_line, shortened
from citescout.recommendation import Known, Reasons, Recommendation, SourceRank
from common.names import parse_name
from indexer.paper import Paper

# What a reader of the list calls each source of candidates.
_SOURCE_NAMES = {"bm25": "BM25", "dense": "meaning", "graph": "citations", "fused": "all together"}

_SHORT_TITLE = 60  # columns
_SHOWN_WORDS = 6


def why(reasons: Reasons) -> str:
    """One line such as "shares graph, kernel; found by BM25 #3, meaning #1; cited by Kipf 2017"; may be empty."""
    parts = []
    if shared := shared_words(reasons, _SHOWN_WORDS):
        parts.append(f"shares {', '.join(shared)}")
    if found := found_by(reasons.sources):
        parts.append(f"found by {', '.join(found)}")
    if reasons.cited_by:
        parts.append(f"cited by {', '.join(short_reference(paper) for paper in reasons.cited_by)}")
    return "; ".join(parts)


def remarks(entry: Recommendation) -> str:
    """What the authors of the query know of the paper, and why it is there, on one line; may be empty."""
    return "; ".join(filter(None, (known_words(entry.known), why(entry.reasons))))


def known_words(known: Known | None) -> str:
    """Such as "yours" or "you cited it in Semi-supervised classification (2017)"; "" for a paper that is not known."""
    if known is None or known.by is None:
        return known.how if known else ""
    title = shortened(one_line(known.by.title), _SHORT_TITLE) or one_line(known.by.id)
    return f"you cited it in {title} ({known.by.year})" if known.by.year else f"you cited it in {title}"


def shared_words(reasons: Reasons, count: int) -> list[str]:
    """The heaviest matched words; each once, though several terms of the index may come from one word."""
    return list(dict.fromkeys(one_line(match.term) for match in reasons.matched_terms))[:count]


def found_by(sources: Sequence[SourceRank]) -> list[str]:
    """Each source that found the paper, with its rank there: "BM25 #3"."""
    return [f"{_SOURCE_NAMES.get(found.source, found.source)} #{found.rank}" for found in sources]


def short_reference(paper: Paper) -> str:
    """The way one refers to a paper in passing: "Kipf and Welling 2017", or its title where no author is known."""
    title = shortened(one_line(paper.title), _SHORT_TITLE)
    name = short_authors(paper.authors) or (f"“{title}”" if title else one_line(paper.id))
    return f"{name} {paper.year}" if paper.year else name


def short_authors(authors: Sequence[str]) -> str:
    """Surnames of one or two authors, else the first "et al."; "" for none."""
    surnames = [surname(author) for author in authors if one_line(author)]
    if len(surnames) > 2:
        return f"{surnames[0]} et al."
    return " and ".join(surnames)


def surname(author: str) -> str:
    """The family name of "First Last" or "Last, First"; particles ("van der", "de") belong to it."""
    return parse_name(author).surname
