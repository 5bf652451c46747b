"""A sum of one function a feature, at serving time: a table of numbers, read by linear interpolation.

A generalized additive model (Hastie and Tibshirani 1986). Beside trees, which see how features act together and know a
feature by a few thresholds alone, it follows each of them smoothly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rerank.trees import Contributions


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
class Additive:
    """A sum of curves, one a feature."""

    names: tuple[str, ...]  # of the features, in column order
    curves: tuple[Curve, ...]

    def predict(self, features: NDArray[np.floating]) -> NDArray[np.float64]:
        """The sum for every row, (n, len(names)) → (n,).

        A ValueError for other columns than those of `names`.
        """
        return np.asarray(self._added(features).sum(axis=0))

    def contributions(self, features: NDArray[np.floating]) -> Contributions:
        """What sets each row apart from the mean row of `features`, (n, len(names)), feature by feature: exact."""
        added = self._added(features)
        if not added.shape[1]:
            return Contributions(self.names, 0.0, np.zeros((0, len(self.names))))
        means = added.mean(axis=1, keepdims=True)
        return Contributions(self.names, float(means.sum()), (added - means).T)

    def times(self, factor: float) -> Additive:
        """The same, adding so many times as much."""
        return Additive(self.names, tuple(curve.times(factor) for curve in self.curves))

    def _added(self, features: NDArray[np.floating]) -> NDArray[np.float64]:
        """(n, len(names)) → (len(names), n)."""
        columns = np.asarray(features, np.float64).T
        return np.stack([curve(column) for curve, column in zip(self.curves, columns, strict=True)])

    def to_record(self) -> dict[str, Any]:
        """As JSON holds it: a curve by the name of its feature."""
        return {
            name: {"at": curve.at.tolist(), "adds": curve.adds.tolist(), "missing": curve.missing}
            for name, curve in zip(self.names, self.curves, strict=True)
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any], names: Sequence[str]) -> Additive:
        """The inverse of `to_record`, for columns in the order of `names`.

        A KeyError, TypeError or ValueError where `record` is something else, or of other features.
        """
        if set(record) != set(names):
            raise ValueError("the curves are those of other features than the trees'")
        return cls(tuple(names), tuple(Curve.from_record(record[name]) for name in names))
