"""What the cross-encoders learn from: lists of retrieved candidates, labelled, and how a list is sampled."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.errors import TrainingError
from encoders.text import Text


@dataclass(frozen=True, slots=True)
class TrainingList:
    """One query with candidates that the first stage retrieved for it, best first."""

    query: Text
    candidates: list[Text]
    labels: list[int]  # 1 where the query cites the candidate, 0 elsewhere
    first_stage: list[float] | None = None  # log-odds by the first stage's blend; only the late-join recipe uses them
    teacher: list[float] | None = None  # log-odds by another model, for distillation
    citations: int | None = None  # papers of the index that the query cites; those in the list without

    @property
    def cited(self) -> int:
        """Papers that the query cites, in the list or not."""
        return sum(self.labels) if self.citations is None else self.citations


def checked_lists(lists: Iterable[TrainingList]) -> list[TrainingList]:
    """All lists in memory.

    Raises:
        TrainingError: a list whose parts differ in length, no list at all, or none with a cited candidate.
    """
    found = list(lists)
    for number, one in enumerate(found):
        lengths = {
            len(part) for part in (one.candidates, one.labels, one.first_stage or one.labels, one.teacher or one.labels)
        }
        if len(lengths) > 1 or not set(one.labels) <= {0, 1}:
            raise TrainingError(
                f"training list {number}: one label, 0 or 1, for each of its {len(one.candidates)} papers"
            )
    if not found:
        raise TrainingError("no training queries: the reranker has nothing to learn from")
    if not any(any(one.labels) for one in found):
        raise TrainingError(
            "no training query cites a paper that the first stage retrieved for it (zero positives): "
            "check that the index holds the queries' citations"
        )
    return found


def sample_list(
    labels: NDArray[np.bool_], size: int, positives: int, hard_depth: int, generator: np.random.Generator
) -> NDArray[np.int64]:
    """Places of `size` candidates of one list: up to `positives` cited, the rest uncited, half of those hard.

    Hard are the uncited among the first `hard_depth` uncited ones: where the first stage errs most. A list with too
    few uncited candidates gives fewer places.
    """
    cited, uncited = np.flatnonzero(labels), np.flatnonzero(~labels)
    chosen = generator.choice(cited, min(positives, len(cited)), replace=False)
    wanted = size - len(chosen)
    hard = generator.choice(uncited[:hard_depth], min(wanted // 2, len(uncited[:hard_depth])), replace=False)
    rest = np.setdiff1d(uncited, hard)
    easy = generator.choice(rest, min(wanted - len(hard), len(rest)), replace=False)
    return np.concatenate([chosen, hard, easy])
