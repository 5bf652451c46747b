"""A recommendation as JSON: the lines of `--format jsonl`, and what the web API answers."""

from __future__ import annotations

from typing import Any

from citescout.exports.citation import citation_line
from citescout.exports.links import safe_link
from citescout.recommendation import Reasons, Recommendation
from indexer.paper import Paper


def recommendation_record(recommendation: Recommendation) -> dict[str, Any]:
    """Rank, score, the paper's fields, and the reasons."""
    return {
        "rank": recommendation.rank,
        "score": recommendation.score,
        **paper_record(recommendation.paper),
        "reasons": _reasons_record(recommendation.reasons),
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


def _reasons_record(reasons: Reasons) -> dict[str, Any]:
    return {
        "matched_terms": [{"term": match.term, "weight": match.weight} for match in reasons.matched_terms],
        "sources": [{"source": found.source, "rank": found.rank, "score": found.score} for found in reasons.sources],
        "cited_by": [{"id": paper.id, "title": paper.title, "year": paper.year} for paper in reasons.cited_by],
        "reranker_score": reasons.reranker_score,
    }
