"""Which queries tell when training should stop, and what they are told by: F1@20 of their reranked lists."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from common.order import SIGNED, best_first
from rerank.training_lists import TrainingList

# A list holds the candidates that are reranked; more queries or deeper lists would take longer than they tell.
DEPTH, MOST = 50, 100
_TOP = 20

Scorer = Callable[[TrainingList], NDArray[np.floating]]


def kept_back(
    lists: Sequence[TrainingList], share: float, seed: int
) -> tuple[list[TrainingList], list[TrainingList]]:  # fmt: skip
    """(lists to train on, lists to validate on): a seeded share of the queries, at most `MOST` of them.

    Queries whose lists hold nothing cited tell no order from another and stay with the training lists.
    """
    telling = [place for place, one in enumerate(lists) if 0 < sum(one.labels) < len(one.labels)]
    count = min(round(share * len(lists)), MOST, len(telling))
    chosen = set(np.random.default_rng(seed).permutation(telling)[:count].tolist())
    training = [one for place, one in enumerate(lists) if place not in chosen]
    return training, [shortened(lists[place], DEPTH) for place in sorted(chosen)]


def shortened(one: TrainingList, depth: int) -> TrainingList:
    """A list with its best `depth` candidates; what else the query cites still counts as cited."""
    known = [None if column is None else column[:depth] for column in (one.first_stage, one.teacher)]
    return replace(
        one, candidates=one.candidates[:depth], labels=one.labels[:depth], first_stage=known[0], teacher=known[1],
        citations=one.cited,
    )  # fmt: skip


def f1_at_20(lists: Sequence[TrainingList], scorer: Scorer) -> float:
    """2PR/(P+R) of mean precision and mean recall among the best 20 by score; equal scores as they were retrieved."""
    precision, recall = [], []
    for one in lists:
        best = best_first(scorer(one), np.arange(len(one.labels)), SIGNED)[:_TOP]
        found = sum(one.labels[place] for place in best)
        precision.append(found / _TOP)
        recall.append(found / one.cited)
    p, r = float(np.mean(precision)), float(np.mean(recall))
    return 2 * p * r / (p + r) if p + r else 0.0


def as_retrieved(one: TrainingList) -> NDArray[np.floating]:
    """The order that the reranker is given, as scores."""
    return -np.arange(len(one.labels), dtype=np.float64)
