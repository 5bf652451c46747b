"""Which queries say when training should stop, by F1@20 of their reranked lists, and how a run ended by them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.measures import CUT
from common.measures import f1_at_20 as mean_f1_at_20
from common.order import SIGNED, best_first
from training.checkpoints import Position
from training.reranker.lists import TrainingList, TrainingLists

# A list holds the candidates that are reranked; more queries or deeper lists would take longer than they are worth.
DEPTH, MOST = 50, 100

Scorer = Callable[[TrainingList], NDArray[np.floating]]


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a run ended."""

    steps: int  # done, those before it was resumed included
    f1: float | None  # F1@20 of the model that is kept, on the validation lists; None without them
    kept_step: int  # after which the model that is kept was as it is
    retrieved_f1: float | None  # F1@20 of the lists as they were retrieved

    @classmethod
    def of(cls, end: Position, validation: Sequence[TrainingList]) -> Outcome:
        """Of a run that ended there."""
        if not validation:
            return cls(end.step, None, end.step, None)
        step, f1 = end.best
        return cls(end.step, f1, step, f1_at_20(validation, as_retrieved))

    def __str__(self) -> str:
        if self.f1 is None:
            return f"{self.steps:,} steps"
        return (
            f"{self.steps:,} steps; kept that of step {self.kept_step:,}: F1@20 {self.f1:.4f} on the validation "
            f"queries, whose lists had {self.retrieved_f1:.4f}"
        )


def kept_back(lists: TrainingLists, share: float, seed: int) -> NDArray[np.bool_]:
    """Which lists are to validate, (lists,): those of a seeded share of the queries, at most `MOST`.

    Queries whose lists hold nothing cited cannot distinguish orders and stay with the training lists.
    """
    usable = np.flatnonzero((lists.positives > 0) & (lists.positives < lists.lengths))
    count = min(round(share * len(lists)), MOST, len(usable))
    chosen = np.zeros(len(lists), np.bool_)
    chosen[np.random.default_rng(seed).permutation(usable)[:count]] = True
    return chosen


def f1_at_20(lists: Sequence[TrainingList], scorer: Scorer) -> float:
    """F1@20 of the lists by score; equal scores as they were retrieved."""
    found = []
    for one in lists:
        best = best_first(scorer(one), np.arange(len(one.labels)), SIGNED)[:CUT]
        found.append((sum(one.labels[place] for place in best), one.cited))
    return mean_f1_at_20(found)


def as_retrieved(one: TrainingList) -> NDArray[np.floating]:
    """The order that the reranker is given, as scores."""
    return -np.arange(len(one.labels), dtype=np.float64)
