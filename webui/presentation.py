"""Recommendations as the page shows them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citescout.exports.formats.bibtex import BibtexWriter
from citescout.exports.links import safe_link
from citescout.exports.text import one_line
from citescout.exports.words import found_by, known_words, shared_words, short_reference
from citescout.recommendation import CITED_BY, CITED_WITH, CITES, HowLinked, OwnLink, Reasons, Recommendation
from indexer.paper import Paper
from webui.contributions import Feature, kinds_of
from webui.highlight import Segment, levels_of, segments

_SHOWN_AUTHORS = 8
_SHOWN_TERMS = 6
_OWN_WORDS: dict[HowLinked, str] = {
    CITES: "Cited by your",
    CITED_BY: "Cites your",
    CITED_WITH: "Cited together with your",
}


@dataclass(frozen=True, slots=True)
class Linked:
    """A short reference, and where to read the paper ("" if not known)."""

    text: str
    title: str
    link: str


@dataclass(frozen=True, slots=True)
class SharedWord:
    """A word of the query that the paper shares."""

    text: str
    weight: int  # 1–3
    score: str  # what it adds to the BM25 score


@dataclass(frozen=True, slots=True)
class OwnLinked:
    """A paper that the user cites already, or likes, and how it is linked with a result."""

    how: str  # "Cited by your"
    paper: Linked
    note: str  # ", by 7 papers"


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
    marked_title: tuple[Segment, ...]
    abstract: tuple[Segment, ...]
    shared: tuple[SharedWord, ...]
    found_by: tuple[str, ...]  # "BM25 #3"
    known: str  # "Yours", "You cited it in …", or ""
    own: tuple[OwnLinked, ...]
    cited_by: tuple[Linked, ...]
    relevance: int | None  # percent: probability of the cross-encoder
    bibtex: str
    contributions: tuple[Feature, ...]  # to the blend's score, the heaviest first; may be empty


def results(recommendations: Sequence[Recommendation], blended: bool = True) -> list[Result]:
    """The list for the page; BibTeX keys are unique within it. `blended`: the scores are those of the blend."""
    writer = BibtexWriter()
    scores = [recommendation.score for recommendation in recommendations]
    shares = pairwise_shares(scores) if blended else ratios(scores)
    return [
        _result(recommendation, share, writer) for recommendation, share in zip(recommendations, shares, strict=True)
    ]


def pairwise_shares(scores: Sequence[float]) -> list[float]:
    """How each score holds up against the first: 1 for an even chance to be the better paper, towards 0 for none.

    The blend is trained on pairs (LambdaMART), so that the logistic function of a difference of its scores is the
    chance that the one paper belongs above the other; an even chance, one half, fills the bar.
    """
    return [min(1.0, 2.0 / (1.0 + math.exp(min(scores[0] - score, 700.0)))) for score in scores]


def ratios(scores: Sequence[float]) -> list[float]:
    """Scores that are no less than 0 (probabilities, sums of reciprocal ranks) as parts of the best."""
    best = max(scores, default=0.0)
    return [score / best if best > 0 else 0.0 for score in scores]


def _result(recommendation: Recommendation, share: float, writer: BibtexWriter) -> Result:
    paper, reasons = recommendation.paper, recommendation.reasons
    title = one_line(paper.title) or "Untitled"
    weights = {match.term: match.weight for match in reasons.matched_terms}
    return Result(
        rank=recommendation.rank,
        id=paper.id,
        title=title,
        link=safe_link(paper),
        authors=_authors(paper),
        year=paper.year,
        venue=one_line(paper.venue),
        score=f"{recommendation.score:.2f}".replace("-", "−"),
        share=share,
        marked_title=segments(title, weights),
        abstract=segments(one_line(paper.abstract), weights),
        shared=_shared(reasons, weights),
        found_by=tuple(found_by(reasons.sources)),
        known=_capital(known_words(recommendation.known)),
        own=tuple(map(_own, reasons.own)),
        cited_by=tuple(map(_linked, reasons.cited_by)),
        relevance=None if reasons.reranker_score is None else round(100 * reasons.reranker_score),
        bibtex=writer.entry(paper),
        contributions=kinds_of(reasons.contributions),
    )


def _shared(reasons: Reasons, weights: Mapping[str, float]) -> tuple[SharedWord, ...]:
    levels = {one_line(term): level for term, level in levels_of(weights).items()}
    scores = {one_line(term): weight for term, weight in weights.items()}
    return tuple(SharedWord(word, levels[word], f"{scores[word]:.1f}") for word in shared_words(reasons, _SHOWN_TERMS))


def _linked(paper: Paper) -> Linked:
    return Linked(short_reference(paper), one_line(paper.title), safe_link(paper))


def _own(link: OwnLink) -> OwnLinked:
    note = f", by {link.together} {'papers' if link.together > 1 else 'paper'}" if link.how == CITED_WITH else ""
    return OwnLinked(_OWN_WORDS[link.how], _linked(link.paper), note)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _authors(paper: Paper) -> str:
    names = [one_line(author) for author in paper.authors if one_line(author)]
    if len(names) > _SHOWN_AUTHORS:
        kept = _SHOWN_AUTHORS - 2
        return f"{', '.join(names[:kept])} and {len(names) - kept} more"
    return ", ".join(names)
