"""Recommendations as the page shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from citescout.recommendation import Reasons, Recommendation
from common.text import one_line
from exports.citation import citation, shown_title
from exports.formats.bibtex import BibtexWriter
from exports.links import doi_link, pdf_link, safe_link
from exports.outside import outside_heading, outside_name, outside_why
from exports.reason_sentences import (
    Sentence,
    byline,
    found_by,
    groups,
    known_mark,
    percent,
    retraction,
    sentences,
)
from indexer.paper import Paper
from webui.contributions import Feature, kinds_of
from webui.highlight import Segment, levels_of, segments

_SHOWN_AUTHORS = 3
# What templates ask of papers, and of works that are not in the index.
_OF_PAPERS = (byline, citation, doi_link, one_line, pdf_link, retraction, safe_link, shown_title)
FILTERS = {one.__name__: one for one in (*_OF_PAPERS, outside_heading, outside_name, outside_why)}
# Other orders than that of the list, and what they are called.
SORTS = {"year": "Year", "citations": "Citations"}


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of a reason: plain, a shared word, or what another paper is called."""

    text: str
    weight: int = 0  # of a shared word: 1–3; 0 for none
    title: str = ""  # what the text stands for: another paper's title, or what a word adds to the BM25 score
    link: str = ""  # http or https: where to read the other paper


@dataclass(frozen=True, slots=True)
class Reason:
    """One sentence of why a paper is there."""

    parts: tuple[Part, ...]
    own: bool  # it is about a paper that the user cites already, or likes


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
    citations: int | None  # by papers of the index; None where not counted
    doi: str  # address, or ""
    pdf: str  # address, or ""
    percent: str  # the chance that the query cites it, "62 %"; "" where it is unknown
    share: float  # 0–1: that chance, the length of the bar
    marked_title: tuple[Segment, ...]
    abstract: tuple[Segment, ...]
    why: tuple[Reason, ...]  # what moved it most first
    found_by: tuple[str, ...]  # "words (2nd)"
    retracted: str  # "Retracted", or ""
    known: str  # "Yours", "You cited it in …", or ""
    relevance: int | None  # percent: probability of the cross-encoder
    bibtex: str
    contributions: tuple[Feature, ...]  # to the blend's score, the heaviest first; may be empty


@dataclass(frozen=True, slots=True)
class Group:
    """The results between two cuts of the list."""

    name: str  # "Likely"; "" for a list without cuts
    results: tuple[Result, ...]


def result_groups(recommendations: Sequence[Recommendation], sort: str = "") -> list[Group]:
    """The list for the page, cut where papers become less likely; BibTeX keys are unique within it.

    By "year" or "citations", the most first, it is not cut; equal ones stay in the order of the list.
    """
    writer = BibtexWriter()
    if sort in SORTS:
        results = [_result(recommendation, writer) for recommendation in recommendations]
        results.sort(key=lambda result: -((result.year if sort == "year" else result.citations) or 0))
        return [Group("", tuple(results))] if results else []
    return [
        Group(name, tuple(_result(recommendation, writer) for recommendation in part))
        for name, part in groups(recommendations)
    ]


def _result(recommendation: Recommendation, writer: BibtexWriter) -> Result:
    paper, reasons = recommendation.paper, recommendation.reasons
    title = shown_title(paper)
    weights = {match.term: match.weight for match in reasons.matched_terms}
    return Result(
        rank=recommendation.rank,
        id=paper.id,
        title=title,
        link=safe_link(paper),
        authors=_authors(paper),
        year=paper.year,
        venue=one_line(paper.venue),
        citations=recommendation.times_cited,
        doi=doi_link(paper),
        pdf=pdf_link(paper),
        percent=percent(recommendation),
        share=0.0 if recommendation.likelihood is None else recommendation.score / 100,
        marked_title=segments(title, weights),
        abstract=segments(one_line(paper.abstract), weights),
        why=_why(reasons, weights),
        found_by=tuple(found_by(reasons.sources)),
        retracted=retraction(paper),
        known=known_mark(recommendation.known),
        relevance=None if reasons.reranker_score is None else round(100 * reasons.reranker_score),
        bibtex=writer.entry(paper),
        contributions=kinds_of(reasons.contributions),
    )


def _why(reasons: Reasons, weights: Mapping[str, float]) -> tuple[Reason, ...]:
    levels = {one_line(term): level for term, level in levels_of(weights).items()}
    scores = {one_line(term): weight for term, weight in weights.items()}

    def parts(sentence: Sentence) -> Iterator[Part]:
        for piece in sentence.pieces:
            if piece.is_word:
                yield Part(piece.text, levels[piece.text], f"{scores[piece.text]:.1f} of the BM25 score")
            elif piece.paper:
                yield Part(piece.text, 0, one_line(piece.paper.title), safe_link(piece.paper))
            else:
                yield Part(piece.text)

    return tuple(Reason(tuple(parts(sentence)), sentence.own) for sentence in sentences(reasons))


def _authors(paper: Paper) -> str:
    names = [one_line(author) for author in paper.authors if one_line(author)]
    if len(names) > _SHOWN_AUTHORS:
        kept = _SHOWN_AUTHORS - 1
        return f"{', '.join(names[:kept])} and {len(names) - kept} more"
    return ", ".join(names)
