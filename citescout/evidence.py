"""Which kind of evidence speaks most for a paper: what its reasons begin with."""

from __future__ import annotations

from typing import Literal

from citescout.recommendation import Reasons

Evidence = Literal["words", "meaning", "citations"]

# The blend's features by the reason that puts them into words, see `rerank.features`; of others no reason speaks.
FEATURES_OF: dict[Evidence, tuple[str, ...]] = {
    "words": ("bm25_share", "bm25_rank", "title_in_query", "query_title_overlap"),
    "meaning": ("cosine", "cosine_gap", "likeness", "dense_rank", "text_centre", "pool_centre", "reranker"),
    "citations": (
        "cited_by_seeds",
        "cites_seeds",
        "cocited",
        "graph_rank",
        "cited_by_few",
        "cites_few",
        "cocited_with_few",
        "cited_by_many",
        "cocited_with_many",
        "cited_by_near",
        "cites_near",
        "cocited_with_near",
        "cited_by_seeds_rarely",
        "cited_by_seeds_only",
    ),
}
_SOURCES: dict[Evidence, str] = {"words": "bm25", "meaning": "dense", "citations": "graph"}


def strengths(reasons: Reasons) -> dict[Evidence, float]:
    """How much each kind of evidence added to the paper's score; where no blend tells, 1 / its rank by that source."""
    if reasons.contributions:
        added = {one.feature: one.value for one in reasons.contributions}
        return {kind: sum(added.get(feature, 0.0) for feature in FEATURES_OF[kind]) for kind in FEATURES_OF}
    ranks = {found.source: found.rank for found in reasons.sources}
    return {kind: 1 / ranks[source] if source in ranks else 0.0 for kind, source in _SOURCES.items()}
