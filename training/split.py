"""A protocol's split as training may see it; `eval.training_split` reads it from the folder of `eval split`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from training.queries import Asking, TrainingQuery

# Development queries that are kept for validation; more would take longer than they are worth.
MOST_VALIDATION_QUERIES = 500


@dataclass(frozen=True, slots=True)
class TrainingSplit:
    """Who is learned from, what may be found, and who validates; test queries are nowhere in it."""

    directory: Path  # the index that the development queries are asked of, or else the test queries
    queries: NDArray[np.int64]  # papers to learn from, by docid
    searched: NDArray[np.bool_]  # (docids,) papers that may be found
    asking: Asking
    validation: tuple[TrainingQuery, ...]  # development queries, `MOST_VALIDATION_QUERIES` at most; none without a part
    missing: int  # papers to learn from that the index does not hold

    def __str__(self) -> str:
        missing = f", {self.missing:,} others are not in its index" if self.missing else ""
        return (
            f"{len(self.queries):,} papers to learn from{missing}; {len(self.validation):,} development queries drawn "
            "for validation"
        )
