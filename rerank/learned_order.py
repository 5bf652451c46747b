"""What scores candidates by their features: trees, and a sum of one function a feature beside them.

The sum is a generalized additive model (Hastie and Tibshirani 1986): a table of numbers, read by linear interpolation.
Beside trees, which see how features act together and know a feature by a few thresholds alone, it follows each of them
smoothly.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rerank.trees import Contributions, Trees


@dataclass(frozen=True, slots=True)
class Curve:
    """What one feature adds: straight between its points, and flat before the first and after the last of them."""

    at: NDArray[np.float64]  # (points,) values of the feature, ascending; at least one
    adds: NDArray[np.float64]  # (points,)
    missing: float  # what is added where the feature is NaN

    def __call__(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        """(n,) → (n,)."""
        return np.where(np.isnan(column), self.missing, np.interp(column, self.at, self.adds))

    def times(self, factor: float) -> Curve:
        """The same, adding so many times as much."""
        return Curve(self.at, factor * self.adds, factor * self.missing)

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Curve:
        """Out of JSON; a KeyError, TypeError or ValueError where `record` is something else."""
        at, adds = (np.asarray(record[name], np.float64) for name in ("at", "adds"))
        if at.ndim != 1 or at.shape != adds.shape or not len(at) or (np.diff(at) <= 0).any():
            raise ValueError("the points of a curve are not in order, or as many as what they add")
        return cls(at, adds, float(record["missing"]))


@dataclass(frozen=True, slots=True)
class LearnedOrder:
    """The sum of both."""

    trees: Trees
    curves: tuple[Curve, ...]  # one a feature, in column order

    @property
    def names(self) -> tuple[str, ...]:
        """Of the features, in column order."""
        return self.trees.names

    def predict(self, features: NDArray[np.floating]) -> NDArray[np.float64]:
        """Scores of every row, (n, len(names)) → (n,); higher is better.

        A ValueError for other columns than those of `names`.
        """
        return np.asarray(self.trees.predict(features) + self._added(features).sum(axis=0))

    def contributions(self, features: NDArray[np.floating]) -> Contributions:
        """What sets each row apart from the mean row of `features`, (n, len(names)), feature by feature."""
        trees, added = self.trees.contributions(features), self._added(features)
        if not added.shape[1]:
            return trees
        means = added.mean(axis=1, keepdims=True)
        return Contributions(self.names, trees.base + float(means.sum()), trees.values + (added - means).T)

    def _added(self, features: NDArray[np.floating]) -> NDArray[np.float64]:
        """What each curve adds, (n, len(names)) → (len(names), n)."""
        columns = np.asarray(features, np.float64).T
        return np.stack([curve(column) for curve, column in zip(self.curves, columns, strict=True)])

    def to_record(self) -> dict[str, Any]:
        """As JSON holds it: a curve by the name of its feature."""
        curves = {
            name: {"at": curve.at.tolist(), "adds": curve.adds.tolist(), "missing": curve.missing}
            for name, curve in zip(self.names, self.curves, strict=True)
        }
        return {"trees": self.trees.to_record(), "additive": curves}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> LearnedOrder:
        """The inverse of `to_record`; a KeyError, TypeError or ValueError where `record` is something else."""
        trees, curves = Trees.from_record(record["trees"]), record["additive"]
        if set(curves) != set(trees.names):
            raise ValueError("the curves are those of other features than the trees'")
        return cls(trees, tuple(Curve.from_record(curves[name]) for name in trees.names))
