"""A recommendation as JSON: the lines of `--format jsonl`, and what the web API answers."""

from __future__ import annotations

from typing import Any

from citescout.recommendation import Known, Reasons, Recommendation
from exports.citation import citation_line
from exports.links import safe_link
from exports.reason_sentences import known_words, why
from indexer.paper import Paper
from rerank.calibration import Fit


def recommendation_record(recommendation: Recommendation) -> dict[str, Any]:
    """Rank, score, likelihood, the paper's fields, the reasons, whether the query's authors know it; a note if any."""
    return {
        "rank": recommendation.rank,
        "score": recommendation.score,
        "likelihood": recommendation.likelihood,
        **paper_record(recommendation.paper),
        "reasons": _reasons_record(recommendation.reasons),
        "known": _known_record(recommendation.known),
        **({"note": recommendation.note} if recommendation.note else {}),
    }


def fit_record(fit: Fit | None) -> dict[str, Any] | None:
    """Whether the index has anything on a query: the chance, 0 to 1, and the verdict."""
    return None if fit is None else {"chance": fit.chance, "verdict": fit.verdict}


def paper_record(paper: Paper) -> dict[str, Any]:
    """The paper's fields, and the line that cites it."""
    return {
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "year": paper.year,
        "authors": list(paper.authors),
        "venue": paper.venue,
        "doi": paper.doi,
        "arxiv": paper.arxiv,
        "url": safe_link(paper),
        "retracted": paper.retracted,
        "citation": citation_line(paper),
    }


def _known_record(known: Known | None) -> dict[str, Any] | None:
    if known is None:
        return None
    return {"how": known.how, "by": _linked(known.by) if known.by else None, "words": known_words(known)}


def _reasons_record(reasons: Reasons) -> dict[str, Any]:
    together = reasons.cited_with
    return {
        "why": why(reasons),
        "matched_terms": [{"term": match.term, "weight": match.weight} for match in reasons.matched_terms],
        "sources": [{"source": found.source, "rank": found.rank, "score": found.score} for found in reasons.sources],
        "cited_by": list(map(_linked, reasons.cited_by)),
        "cited_by_count": reasons.cited_by_count,
        "cites": list(map(_linked, reasons.cites)),
        "cited_with": {**_linked(together.paper), "together": together.together} if together else None,
        "reranker_score": reasons.reranker_score,
        "support": reasons.support,
    }


def _linked(paper: Paper) -> dict[str, Any]:
    return {"id": paper.id, "title": paper.title, "year": paper.year}
