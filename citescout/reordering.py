"""A finished list in another order: towards recent or classic papers, or towards papers unlike each other.

Both look at ranks and not at scores, so that they mean the same whichever stage ordered the list. They give up some of
what the order knows: neither is measured to help, and both are off unless somebody asks for them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from common.errors import QueryError
from common.order import EXACT, SIGNED, best_first
from retrieval.fusion import RRF_K

if TYPE_CHECKING:
    from citescout.ranking import Ranking
    from retrieval.dense import Dense

# Of the papers that abstracts name by their authors, the share that is in their reference lists: docs/experiments.md.
# Of those named by what their titles begin with it is larger, and of those whose passages abstracts repeat.
_NAMED = 0.384
_WHOLE = 50  # words of a text that says more than what it names
# Papers of the list, from the top, that change places.
WINDOW = 200


def by_age(years: NDArray[np.integer], recency: float) -> NDArray[np.int64]:
    """The order, positions in `years`, of a list whose papers have these years (0 if unknown), best first.

    The list's own rank and the rank by year are fused, (1 − |r|) / (60 + rank) + |r| / (60 + rank by year), where
    `recency` r > 0 ranks new papers first and r < 0 old ones; ±1 orders by year alone. Papers of one year share a
    rank, and those of no known year come last.
    """
    weight = abs(recency)
    years = years.astype(np.int64)  # an index has 16 bits a year: no room for what comes last
    age = np.where(years > 0, -years if recency > 0 else years, np.iinfo(np.int64).max)
    by_year = np.searchsorted(np.sort(age), age)  # from 0: how many come before
    places = np.arange(len(years))
    score = (1 - weight) / (RRF_K + 1 + places) + weight / (RRF_K + 1 + by_year)
    return best_first(score, places, EXACT)


def spread(vectors: NDArray[np.float32], diversity: float, k: int) -> NDArray[np.int64]:
    """The first `k` positions of a list by maximal marginal relevance (Carbonell and Goldstein, SIGIR 1998).

    Each next paper is the one of largest (1 − d) · relevance − d · (largest cosine with a paper above it), where d is
    `diversity` and relevance falls in even steps from 1 at the top of the list to 0 below its end. `vectors` are the
    unit vectors of the list's papers, shape (n, dimension), best first.
    """
    size = len(vectors)
    places = np.arange(size)
    relevance = 1 - places / max(size, 1)
    nearest = np.full(size, -1.0)  # cosine with the most similar paper that is chosen
    left = np.ones(size, np.bool_)
    chosen: list[int] = []
    while len(chosen) < min(k, size):
        penalty = diversity * nearest if chosen else 0.0
        worth = np.where(left, (1 - diversity) * relevance - penalty, -np.inf)
        best = int(best_first(worth, places, SIGNED)[0])
        chosen.append(best)
        left[best] = False
        nearest = np.maximum(nearest, vectors @ vectors[best])
    return np.asarray(chosen, np.int64)


def reordered(ranking: Ranking, dense: Dense | None) -> Ranking:
    """The ranking with its first papers by recency and diversity; scores and chances stay with their papers.

    Raises:
        QueryError: diversity is asked for and the index has no vectors.
    """
    settings = ranking.settings
    if not settings.recency and not settings.diversity:
        return named_first(ranking)
    window = max(WINDOW, settings.k)
    places = np.arange(len(ranking.order))
    first = ranking.order[:window]
    if settings.recency:
        places[:window] = by_age(ranking.pool.years[first], settings.recency)
    if settings.diversity:
        if dense is None:
            raise QueryError("diversity needs an index with vectors: `citescout re-encode` adds them")
        vectors = dense.documents(ranking.pool.docids[first][places[:window]])
        chosen = spread(vectors, settings.diversity, settings.k)
        places = np.concatenate([places[chosen], np.delete(places, chosen)])
    return named_first(ranking.at(places))


def named_first(ranking: Ranking) -> Ranking:
    """The ranking with the papers that its text names or quotes before all others.

    A whole abstract says more of what is cited than a sentence: what is likelier than `_NAMED` by that stays before
    them.
    Their scores and chances are at least those of what stands below them, and a chance is at least `_NAMED`. The index
    is about what the text names, also where that is cited already and no candidate: it fits at least weakly, and of a
    sentence, which says little beside a name, it is unknown how well.
    """
    if not ranking.pool.named:
        return ranking
    named = np.isin(ranking.pool.docids[ranking.order], list(ranking.pool.named))
    is_whole = ranking.pool.context is None and len(ranking.query.text.joined().split()) >= _WHOLE
    if ranking.chances is not None and is_whole:
        named |= np.logical_and.accumulate(ranking.chances >= _NAMED)
    moved = ranking.at(np.argsort(~named, kind="stable"))
    count, chances = int(named.sum()), moved.chances
    if chances is not None:
        chances = _raised(chances, count)
        chances[:count] = np.maximum(chances[:count], _NAMED)
    fit = moved.fit
    if fit and ranking.pool.context is None:
        fit = fit.at_least_weak()
    elif fit and fit.verdict != "good":
        fit = None
    return replace(moved, scores=_raised(moved.scores, count), chances=chances, fit=fit)


def _raised(values: NDArray[np.float32], count: int) -> NDArray[np.float32]:
    """The first `count` values raised to the largest of those behind them."""
    behind = np.maximum.accumulate(values[::-1])[::-1]
    return np.concatenate([behind[:count], values[count:]])
