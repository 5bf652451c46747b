"""A review as JSON: its fields are those of `citescout.review.review_parts`, papers as in every other answer."""

from dataclasses import asdict
from typing import Any

from citescout.review.review_parts import Finding, Review, Suggestion
from exports.recommendation_json import paper_record
from exports.reviews.review_sentences import CUES, finding_words, summary
from indexer.paper import Paper


def review_record(review: Review) -> dict[str, Any]:
    """The review as JSON has it; docs/review.md has its fields."""
    ages, own = review.ages, review.self_citations
    return {
        "title": review.title,
        "summary": summary(review),
        "sentences": review.sentences,
        "citations": review.citations,
        "entries": review.entries,
        "entries_left": review.entries_left,
        "counts": review.counts(),
        "findings": list(map(_finding, review.findings)),
        "claims": [
            {
                "location": asdict(claim.location),
                "sentence": claim.sentence,
                "cue": claim.cue,
                "words": CUES[claim.cue],
                "suggestions": list(map(_suggestion, claim.suggestions)),
            }
            for claim in review.claims
        ],
        "claims_left": review.claims_left,
        "missing": list(map(_suggestion, review.missing)),
        "references": [asdict(reference) for reference in review.references],
        "self_citations": {**asdict(own), "share": own.share} if own else None,
        "ages": asdict(ages) if ages else None,
        "unread": list(review.unread),
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": finding.kind,
        "keys": list(finding.keys),
        "locations": [asdict(location) for location in finding.locations],
        "field": finding.field,
        "here": finding.here,
        "index": finding.index,
        "paper": _paper(finding.paper) if finding.paper else None,
        "words": finding_words(finding),
    }


def _suggestion(one: Suggestion) -> dict[str, Any]:
    return {"chance": one.chance, "support": one.support, "key": one.key, "paper": _paper(one.paper)}


def _paper(paper: Paper) -> dict[str, Any]:
    record = paper_record(paper)
    del record["abstract"]
    return record
