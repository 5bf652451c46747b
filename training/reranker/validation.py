"""Which queries tell when training should stop, and what they are told by: F1@20 of their reranked lists."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from common.order import SIGNED, best_first
from training.reranker.lists import TrainingList, TrainingLists

# A list holds the candidates that are reranked; more queries or deeper lists would take longer than they tell.
DEPTH, MOST = 50, 100
TOP = 20

Scorer = Callable[[TrainingList], NDArray[np.floating]]


def kept_back(lists: TrainingLists, share: float, seed: int) -> NDArray[np.bool_]:
    """Which lists are to validate, (lists,): those of a seeded share of the queries, at most `MOST`.

    Queries whose lists hold nothing cited tell no order from another and stay with the training lists.
    """
    telling = np.flatnonzero((lists.positives > 0) & (lists.positives < lists.lengths))
    count = min(round(share * len(lists)), MOST, len(telling))
    chosen = np.zeros(len(lists), np.bool_)
    chosen[np.random.default_rng(seed).permutation(telling)[:count]] = True
    return chosen


def f1_at_20(lists: Sequence[TrainingList], scorer: Scorer) -> float:
    """`f1` of the best 20 by score; equal scores as they were retrieved."""
    found = []
    for one in lists:
        best = best_first(scorer(one), np.arange(len(one.labels)), SIGNED)[:TOP]
        found.append((sum(one.labels[place] for place in best), one.cited))
    return f1(found)


def f1(found: Iterable[tuple[int, int]]) -> float:
    """2PR/(P+R) of mean precision and mean recall, from (cited among the best 20, cited at all) of each query."""
    precision, recall = np.mean([(hits / TOP, hits / cited) for hits, cited in found], axis=0)
    return float(2 * precision * recall / (precision + recall)) if precision + recall else 0.0


def as_retrieved(one: TrainingList) -> NDArray[np.floating]:
    """The order that the reranker is given, as scores."""
    return -np.arange(len(one.labels), dtype=np.float64)
