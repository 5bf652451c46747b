"""What the learned order of papers for one place of a text looks at: the one table of its features.

As in `rerank.features` nothing is absolute: scores count against those of the same pool, citations as places among the
pool's, so that trees fitted on one field's sentences say nothing of how large an index is or how often it cites.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rerank.features import AGE, LINKS, MEANING, TOGETHER, WORDS, Direction, Features, shares_of_best, standardised
from retrieval.first_stage import Pool

Column = NDArray[np.floating]

# How slowly a place in a list loses its worth, in reciprocal rank fusion over the pool.
_RANK_CONSTANT = 20


class ContextCandidates:
    """One query's pool, with the columns of `retrieval.context.COLUMNS`."""

    def __init__(self, pool: Pool, year: int) -> None:
        """`year` is the query's, or the newest of the index. A ValueError for a pool of a query without a context."""
        if pool.context is None:
            raise ValueError("the query of this pool has no context")
        self._columns: Mapping[str, NDArray[np.float32]] = pool.context
        self._citations = pool.citations.astype(np.float64)
        years = pool.years.astype(np.float64)
        self.age = np.asarray(year - np.where(years > 0, years, np.nan))

    def raw(self, name: str) -> Column:
        """A column as it was found; NaN where the query has no such part."""
        return self._columns[name].astype(np.float64)

    def share(self, name: str) -> Column:
        """Of the largest of the pool, from 0 to 1."""
        return shares_of_best(self.raw(name))

    def standard(self, name: str) -> Column:
        """In standard deviations, see `standardised`."""
        return standardised(self.raw(name))

    def rate(self, name: str) -> Column:
        """Votes against how often the paper is cited and papers of the pool are on average, as a share of the best."""
        usual = self._citations.mean() if len(self._citations) else 0.0
        return shares_of_best(self.raw(name) / np.maximum(self._citations + usual, 1e-9))

    def places(self, *names: str) -> Column:
        """Reciprocal ranks of the pool by these columns, summed, as a share of the best; NaN without any of them."""
        total, asked = np.zeros(len(self.age)), False
        for name in names:
            column = self.raw(name)
            if np.isnan(column).all():
                continue
            asked = True
            ordered = np.sort(column)
            higher = len(column) - np.searchsorted(ordered, column, side="right")
            total += np.where(column > 0, 1 / (_RANK_CONSTANT + 1 + higher), 0)
        return shares_of_best(total) if asked else np.full(len(self.age), np.nan)

    def often_cited(self) -> Column:
        """The place among the pool's citation counts, from 0 to 1; that of equals is the middle."""
        ordered = np.sort(self._citations)
        below, upto = (np.searchsorted(ordered, self._citations, side=side) for side in ("left", "right"))
        return np.asarray((below + upto) / (2 * max(len(ordered), 1)))


@dataclass(frozen=True, slots=True)
class ContextFeature:
    """One column."""

    name: str
    group: str  # what the page calls what it looks at
    direction: Direction  # as in `rerank.features.Feature`
    values: Callable[[ContextCandidates], Column]  # (candidates,); NaN where unknown


_BY_SENTENCE = ("bm25", "near", "cosine")
_BY_DRAFT = ("draft_bm25", "draft_cosine", "draft_cocited", "draft_cited_by_seeds")
_BY_LINKS = ("context_cocited", "context_cited_by_seeds", "both_cocited", "own_cocited", "own_coupling")
_BY_OWN = ("own_cocited", "own_coupling", "own_cosine", "own_cites_seeds", "own_cited_by_seeds")
_BY_ALL = ("bm25", "near", "cosine", "draft_bm25", "draft_cosine", "context_cocited", "both_cocited", *_BY_OWN[:2])

CONTEXT_FEATURES = (
    ContextFeature("sentence_share", WORDS, 1, lambda c: c.share("bm25")),
    ContextFeature("sentence_words", WORDS, 1, lambda c: c.standard("bm25")),
    ContextFeature("near_share", WORDS, 1, lambda c: c.share("near")),
    ContextFeature("draft_share", WORDS, 1, lambda c: c.share("draft_bm25")),
    ContextFeature("sentence_meaning", MEANING, 1, lambda c: c.standard("cosine")),
    ContextFeature("draft_meaning", MEANING, 1, lambda c: c.standard("draft_cosine")),
    ContextFeature("own_meaning", MEANING, 1, lambda c: c.standard("own_cosine")),
    # How near the papers are that cite it.
    ContextFeature("citers_meaning", MEANING, 1, lambda c: c.standard("citers")),
    ContextFeature("draft_citers_meaning", MEANING, 1, lambda c: c.standard("draft_citers")),
    ContextFeature("sentence_places", TOGETHER, 1, lambda c: c.places(*_BY_SENTENCE)),
    ContextFeature("draft_places", TOGETHER, 1, lambda c: c.places(*_BY_DRAFT)),
    ContextFeature("all_places", TOGETHER, 1, lambda c: c.places(*_BY_ALL)),
    ContextFeature("link_places", LINKS, 1, lambda c: c.places(*_BY_LINKS)),
    ContextFeature("own_places", LINKS, 1, lambda c: c.places(*_BY_OWN)),
    ContextFeature("sentence_cited", LINKS, 1, lambda c: c.share("context_cited_by_seeds")),
    ContextFeature("sentence_cited_rate", LINKS, 1, lambda c: c.rate("context_cited_by_seeds")),
    ContextFeature("sentence_cocited", LINKS, 1, lambda c: c.share("context_cocited")),
    ContextFeature("draft_cited", LINKS, 1, lambda c: c.share("draft_cited_by_seeds")),
    ContextFeature("draft_cited_rate", LINKS, 1, lambda c: c.rate("draft_cited_by_seeds")),
    ContextFeature("draft_cocited", LINKS, 1, lambda c: c.share("draft_cocited")),
    ContextFeature("both_cited", LINKS, 1, lambda c: c.share("both_cited_by_seeds")),
    ContextFeature("both_cocited", LINKS, 1, lambda c: c.share("both_cocited")),
    ContextFeature("own_cocited", LINKS, 1, lambda c: c.share("own_cocited")),
    ContextFeature("own_coupling", LINKS, 1, lambda c: c.share("own_coupling")),
    ContextFeature("own_cites", LINKS, 1, lambda c: c.share("own_cites_seeds")),
    ContextFeature("own_cited", LINKS, 1, lambda c: c.share("own_cited_by_seeds")),
    ContextFeature("often_cited", LINKS, 1, lambda c: c.often_cited()),
    ContextFeature("years_before", AGE, 0, lambda c: c.age),
)
CONTEXT_NAMES = tuple(feature.name for feature in CONTEXT_FEATURES)


def context_matrix(pool: Pool, year: int, features: Sequence[ContextFeature] = CONTEXT_FEATURES) -> Features:
    """Features of a pool's candidates, shape (len(pool), len(features)); NaN where unknown.

    `year` is the query's, or the newest of the index.
    """
    candidates = ContextCandidates(pool, year)
    return np.stack([feature.values(candidates) for feature in features], axis=1).astype(np.float32)
