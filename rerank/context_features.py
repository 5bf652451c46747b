"""What the learned order of papers for one place of a text looks at: the one table of its features.

As in `rerank.features` nothing is absolute: scores count against those of the same pool, citations as places among the
pool's, so that trees fitted on one field's sentences say nothing of how large an index is or how often it cites.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from rerank.features import (
    AGE,
    FEATURES,
    LINKS,
    MEANING,
    TOGETHER,
    WORDS,
    Column,
    Feature,
    Features,
    age,
    columns_of,
    gap,
    shares,
    shares_of_best,
    standardised,
    words,
    years_of,
)
from retrieval.citation_marks import near_marks, without_marks
from retrieval.first_stage import Pool

# How slowly a place in a list loses its worth, in reciprocal rank fusion over the pool.
_RANK_CONSTANT = 20
# Words of sentence and draft together: shares of the best BM25 score of each, the draft's for half.
_BOTH_WORDS, _WORTH_OF_DRAFT = "both_words", 0.5


class ContextCandidates:
    """One query's pool, with the columns of `retrieval.context.COLUMNS`."""

    def __init__(self, pool: Pool, context: str, year: int, titles: Sequence[frozenset[str]]) -> None:
        """`year` is the query's, or the newest of the index; `titles` the words of candidates in the pool's order.

        A ValueError for a pool of a query without a context.
        """
        if pool.context is None:
            raise ValueError("the query of this pool has no context")
        self._columns: dict[str, Column] = dict(pool.context)
        self.citations = pool.citations.astype(np.float64)
        self.years = years_of(pool)
        self.age = age(self.years, year)
        draft = self.share("draft_bm25")
        self.rare_words = pool.rare_words
        self.titles = titles
        self.context_words = words(without_marks(context))
        self.near_words = words(" ".join(near_marks(context)))
        self._columns[_BOTH_WORDS] = self.share("bm25") + _WORTH_OF_DRAFT * np.where(np.isnan(draft), 0, draft)

    def raw(self, name: str) -> Column:
        """A column as it was found, or `_BOTH_WORDS`; NaN where the query has no such part."""
        return self._columns[name].astype(np.float64)

    def share(self, name: str) -> Column:
        """Of the largest of the pool, from 0 to 1."""
        return shares_of_best(self.raw(name))

    def standard(self, name: str) -> Column:
        """In standard deviations, see `standardised`."""
        return standardised(self.raw(name))

    def rate(self, name: str) -> Column:
        """Votes against how often the paper is cited and papers of the pool are on average, as a share of the best."""
        usual = self.citations.mean() if len(self.citations) else 0.0
        return shares_of_best(self.raw(name) / np.maximum(self.citations + usual, 1e-9))

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


_BY_SENTENCE = ("bm25", "near", "cosine")
_BY_DRAFT = ("draft_bm25", "draft_cosine", "draft_cocited", "draft_cited_by_seeds")
_BY_LINKS = ("context_cocited", "context_cited_by_seeds", "both_cocited", "own_cocited", "own_coupling")
_BY_OWN = ("own_cocited", "own_coupling", "own_cosine", "own_cites_seeds", "own_cited_by_seeds")
_BY_PARTS = (
    *("bm25", "near", "projected", "draft_bm25", "draft_projected", "context_cocited", "both_cocited"),
    *_BY_OWN[:2],
)
_BY_ALL = ("bm25", "near", _BOTH_WORDS, "projected", "both_projected", "both_projected", *_BY_OWN[:2])

CONTEXT_FEATURES: tuple[Feature[ContextCandidates], ...] = (
    Feature("sentence_share", WORDS, 1, lambda c: c.share("bm25")),
    Feature("near_share", WORDS, 1, lambda c: c.share("near")),
    Feature("sentence_rare_words", WORDS, 1, lambda c: c.rare_words),
    Feature("draft_share", WORDS, 1, lambda c: c.share("draft_bm25")),
    # What share of the title's words stand in the sentence, and near a mark of it.
    Feature("title_in_sentence", WORDS, 1, lambda c: shares(c.titles, c.context_words)),
    Feature("title_near", WORDS, 1, lambda c: shares(c.titles, c.near_words)),
    Feature("both_words", WORDS, 1, lambda c: c.standard(_BOTH_WORDS)),
    Feature("sentence_meaning", MEANING, 1, lambda c: c.standard("cosine")),
    Feature("draft_meaning", MEANING, 1, lambda c: c.standard("draft_cosine")),
    Feature("own_meaning", MEANING, 1, lambda c: c.standard("own_cosine")),
    # How near the nearest paper is that cites it.
    Feature("nearest_citer", MEANING, 1, lambda c: c.standard("nearest_citer")),
    # With sentence, draft and both where the index looks for what such texts cite.
    Feature("sentence_projected", MEANING, 1, lambda c: c.standard("projected")),
    Feature("draft_projected", MEANING, 1, lambda c: c.standard("draft_projected")),
    Feature("both_projected", MEANING, 1, lambda c: c.standard("both_projected")),
    # The same with what has been learned from sentences that cite.
    Feature("learned_meaning", MEANING, 1, lambda c: c.standard("learned")),
    Feature("own_near_meaning", MEANING, 1, lambda c: c.standard("own_near")),
    Feature("sentence_places", TOGETHER, 1, lambda c: c.places(*_BY_SENTENCE)),
    Feature("draft_places", TOGETHER, 1, lambda c: c.places(*_BY_DRAFT)),
    Feature("part_places", TOGETHER, 1, lambda c: c.places(*_BY_PARTS)),
    Feature("all_places", TOGETHER, 1, lambda c: c.places(*_BY_ALL)),
    Feature("link_places", LINKS, 1, lambda c: c.places(*_BY_LINKS)),
    Feature("own_places", LINKS, 1, lambda c: c.places(*_BY_OWN)),
    Feature("sentence_cited_rate", LINKS, 1, lambda c: c.rate("context_cited_by_seeds")),
    Feature("sentence_cocited", LINKS, 1, lambda c: c.share("context_cocited")),
    Feature("draft_cited_rate", LINKS, 1, lambda c: c.rate("draft_cited_by_seeds")),
    Feature("draft_cocited", LINKS, 1, lambda c: c.share("draft_cocited")),
    Feature("both_cocited", LINKS, 1, lambda c: c.share("both_cocited")),
    Feature("own_cocited", LINKS, 1, lambda c: c.share("own_cocited")),
    Feature("own_coupling", LINKS, 1, lambda c: c.share("own_coupling")),
    Feature("own_cites", LINKS, 1, lambda c: c.share("own_cites_seeds")),
    Feature("own_cited", LINKS, 1, lambda c: c.share("own_cited_by_seeds")),
    Feature("often_cited", LINKS, 1, lambda c: _place(c.citations)),
    Feature("often_cited_lately", LINKS, 1, lambda c: _place(c.raw("recent"))),
    Feature("cited_lately_rate", LINKS, 0, lambda c: c.rate("recent")),
    Feature("pool_gap", AGE, 0, lambda c: gap(c.years)),
    Feature("years_before", AGE, 0, lambda c: c.age),
)
CONTEXT_NAMES = tuple(feature.name for feature in CONTEXT_FEATURES)
TEXT_CONTEXT_NAMES = tuple(feature.name for feature in CONTEXT_FEATURES if feature.group != LINKS)
EVERY_FEATURE: tuple[Feature[Any], ...] = (*FEATURES, *CONTEXT_FEATURES)  # of lists with and without a context


def _place(values: Column) -> Column:
    """The place of each among the pool's, from 0 to 1; that of equals is the middle."""
    ordered = np.sort(values)
    below, upto = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray((below + upto) / (2 * max(len(ordered), 1)))


def context_matrix(pool: Pool, context: str, year: int, titles: Sequence[frozenset[str]]) -> Features:
    """Features of a pool's candidates, shape (len(pool), len(CONTEXT_FEATURES)); NaN where unknown.

    `year` is the query's, or the newest of the index; `titles` the words of candidates in the pool's order.
    """
    return columns_of(CONTEXT_FEATURES, ContextCandidates(pool, context, year, titles))
