"""How much each kind of evidence adds for a paper: what its reasons begin with, and what the page shows of them."""

from collections.abc import Sequence

from citescout.recommendation import Contribution, Reasons
from rerank.blend import RERANKER
from rerank.context_features import EVERY_FEATURE
from rerank.features import LINKS, MEANING, WORDS

CLOSE_READING = "close reading"  # the cross-encoder's; other groups are those of `rerank.features`

_GROUP_OF = {feature.name: feature.group for feature in EVERY_FEATURE} | {RERANKER: CLOSE_READING}
_SOURCES = {WORDS: "bm25", MEANING: "dense", LINKS: "graph"}


def by_group(contributions: Sequence[Contribution]) -> dict[str, float]:
    """What each group of features adds to a paper's score; only groups that have a say."""
    sums: dict[str, float] = {}
    for one in contributions:
        group = _GROUP_OF[one.feature]
        sums[group] = sums.get(group, 0.0) + one.value
    return sums


def strengths(reasons: Reasons) -> dict[str, float]:
    """How much WORDS, MEANING and LINKS add to the paper's score; without the blend, 1 / its rank by that source.

    What the cross-encoder adds counts as meaning.
    """
    if reasons.contributions:
        added = by_group(reasons.contributions)
        added[MEANING] = added.get(MEANING, 0.0) + added.get(CLOSE_READING, 0.0)
        return {group: added.get(group, 0.0) for group in _SOURCES}
    ranks = {found.source: found.rank for found in reasons.sources}
    return {group: 1 / ranks[source] if source in ranks else 0.0 for group, source in _SOURCES.items()}
