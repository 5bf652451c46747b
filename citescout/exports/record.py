"""A recommendation as JSON: the lines of `--format jsonl`, and what the web API answers."""

from __future__ import annotations

from typing import Any

from citescout.exports.citation import citation_line
from citescout.exports.links import safe_link
from citescout.exports.words import known_words
from citescout.recommendation import Known, Reasons, Recommendation
from indexer.paper import Paper


def recommendation_record(recommendation: Recommendation) -> dict[str, Any]:
    """Rank, score, the paper's fields, the reasons, and whether the query's authors know it."""
    return {
        "rank": recommendation.rank,
        "score": recommendation.score,
        **paper_record(recommendation.paper),
        "reasons": _reasons_record(recommendation.reasons),
        "known": _known_record(recommendation.known),
    }


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
        "citation": citation_line(paper),
    }


def _known_record(known: Known | None) -> dict[str, Any] | None:
    if known is None:
        return None
    by = known.by and {"id": known.by.id, "title": known.by.title, "year": known.by.year}
    return {"how": known.how, "by": by, "words": known_words(known)}


def _reasons_record(reasons: Reasons) -> dict[str, Any]:
    return {
        "matched_terms": [{"term": match.term, "weight": match.weight} for match in reasons.matched_terms],
        "sources": [{"source": found.source, "rank": found.rank, "score": found.score} for found in reasons.sources],
        "cited_by": [{"id": paper.id, "title": paper.title, "year": paper.year} for paper in reasons.cited_by],
        "reranker_score": reasons.reranker_score,
    }
