"""Answers as JSON, to be written with orjson: the lines of `--format jsonl`, and what the web API answers."""

from typing import Any

from citescout.recommendation import Answer, OutsideWork, Reasons, Recommendation
from common.names import shown_names
from exports.citation import citation_line
from exports.links import safe_link
from exports.outside import outside_why
from exports.reason_sentences import known_words, why
from indexer.paper import Paper


def answer_record(answer: Answer) -> dict[str, Any]:
    """Whether the index has anything on the query, the list, what of the query is not there, and works outside."""
    return {
        "fit": answer.fit,
        "recommendations": list(map(_recommendation, answer.recommendations)),
        "unknown": answer.unknown,
        "named_already": [entry.paper.id for entry in answer.named_already],
        "did_you_mean": answer.did_you_mean,
        "same_title": [paper.id for paper in answer.same_title],
        "beyond": list(map(_outside, answer.beyond)),
    }


def paper_record(paper: Paper) -> dict[str, Any]:
    """The paper's fields, and the line that cites it."""
    return {
        "id": paper.id,
        "title": paper.title,
        "abstract": paper.abstract,
        "year": paper.year,
        "authors": shown_names(paper.authors),
        "venue": paper.venue,
        "doi": paper.doi,
        "arxiv": paper.arxiv,
        "url": safe_link(paper),
        "retracted": paper.retracted,
        "citation": citation_line(paper),
    }


def _recommendation(entry: Recommendation) -> dict[str, Any]:
    known = entry.known
    return {
        "rank": entry.rank,
        "score": entry.score,
        "likelihood": entry.likelihood,
        **paper_record(entry.paper),
        "reasons": _reasons(entry.reasons),
        "known": {"how": known.how, "by": known.by and _linked(known.by), "words": known_words(known)}
        if known
        else None,
        **({"note": entry.note} if entry.note else {}),
    }


def _reasons(reasons: Reasons) -> dict[str, Any]:
    together = reasons.cited_with
    return {
        "why": why(reasons),
        "matched_terms": reasons.matched_terms,
        "sources": reasons.sources,
        "cited_by": list(map(_linked, reasons.cited_by)),
        "cited_by_count": reasons.cited_by_count,
        "cites": list(map(_linked, reasons.cites)),
        "cited_with": {**_linked(together.paper), "together": together.together} if together else None,
        "reranker_score": reasons.reranker_score,
        "support": reasons.support,
    }


def _outside(work: OutsideWork) -> dict[str, Any]:
    paper = work.paper
    return {
        "id": paper.id,
        "doi": paper.doi,
        "arxiv": paper.arxiv,
        "title": paper.title,
        "author": paper.authors[0] if paper.authors else "",
        "year": paper.year,
        "url": safe_link(paper),
        "score": work.score,
        "cited_by": list(map(_linked, work.cited_by)),
        "cited_by_count": work.cited_by_count,
        "times_cited": work.times_cited,
        "why": outside_why(work),
    }


def _linked(paper: Paper) -> dict[str, Any]:
    return {"id": paper.id, "title": paper.title, "year": paper.year}
