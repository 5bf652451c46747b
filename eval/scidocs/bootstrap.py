"""How far a mean over queries may be from that over all queries there could be."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean and its percentile bootstrap interval of 95 %."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{100 * self.mean:.1f} [{100 * self.low:.1f}, {100 * self.high:.1f}]"


def mean_interval(values: NDArray[np.float64], resamples: int = 2000, seed: int = 0) -> Interval:
    """Of `values`, shape (queries,), drawn again with replacement `resamples` times (Efron 1979)."""
    generator = np.random.default_rng(seed)
    means = [values[generator.integers(0, len(values), len(values))].mean() for _ in range(resamples)]
    low, high = np.quantile(means, [(1 - _LEVEL) / 2, (1 + _LEVEL) / 2])
    return Interval(float(values.mean()), float(low), float(high))
