"""Recommendations as the page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from citescout.exports.formats.bibtex import BibtexWriter
from citescout.exports.links import safe_link
from citescout.exports.text import one_line
from citescout.exports.words import found_by, short_reference
from citescout.recommendation import Recommendation
from indexer.paper import Paper
from webui.highlight import Segment, segments

_SHOWN_AUTHORS = 8
_SHOWN_TERMS = 6


@dataclass(frozen=True, slots=True)
class Linked:
    """A short reference, and where to read the paper ("" if not known)."""

    text: str
    title: str
    link: str


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the list."""

    rank: int
    id: str
    title: str
    link: str  # http or https, or ""
    authors: str
    year: int | None
    venue: str
    score: str  # as a number
    share: float  # 0–1: the length of the score bar
    abstract: tuple[Segment, ...]
    shared: tuple[str, ...]  # words
    found_by: tuple[str, ...]  # "BM25 #3"
    cited_by: tuple[Linked, ...]
    relevance: int | None  # percent: probability of the cross-encoder
    bibtex: str


def results(recommendations: Sequence[Recommendation]) -> list[Result]:
    """The list for the page; BibTeX keys are unique within it."""
    writer = BibtexWriter()
    shares = score_shares([recommendation.score for recommendation in recommendations])
    return [
        _result(recommendation, share, writer) for recommendation, share in zip(recommendations, shares, strict=True)
    ]


def score_shares(scores: Sequence[float]) -> list[float]:
    """Scores as parts of the best one, from 0 to 1.

    Scores below zero have no such part: then the weakest of the list is a twentieth, and the best is 1.
    """
    if not scores:
        return []
    low, high = min(scores), max(scores)
    if low >= 0:
        return [score / high if high else 0.0 for score in scores]
    span = high - low
    return [0.05 + 0.95 * (score - low) / span if span else 1.0 for score in scores]


def _result(recommendation: Recommendation, share: float, writer: BibtexWriter) -> Result:
    paper, reasons = recommendation.paper, recommendation.reasons
    terms = list(dict.fromkeys(match.term for match in reasons.matched_terms))
    return Result(
        rank=recommendation.rank,
        id=paper.id,
        title=one_line(paper.title) or "Untitled",
        link=safe_link(paper),
        authors=_authors(paper),
        year=paper.year,
        venue=one_line(paper.venue),
        score=f"{recommendation.score:.3g}",
        share=share,
        abstract=segments(one_line(paper.abstract), terms),
        shared=tuple(terms[:_SHOWN_TERMS]),
        found_by=tuple(found_by(reasons)),
        cited_by=tuple(Linked(short_reference(by), one_line(by.title), safe_link(by)) for by in reasons.cited_by),
        relevance=None if reasons.reranker_score is None else round(100 * reasons.reranker_score),
        bibtex=writer.entry(paper),
    )


def _authors(paper: Paper) -> str:
    names = [one_line(author) for author in paper.authors if one_line(author)]
    if len(names) > _SHOWN_AUTHORS:
        kept = _SHOWN_AUTHORS - 2
        return f"{', '.join(names[:kept])} and {len(names) - kept} more"
    return ", ".join(names)
