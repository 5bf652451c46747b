"""Fitting of the additive model on lists of candidates, by the cross-entropy of each list.

Papers are drawn with odds exp(score), and the cited ones of a list are to be drawn (the top-one loss of ListNet: Cao et
al. 2007). The loss is convex in what the curves add, so that there is one best model and no seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rerank.context_features import EVERY_FEATURE
from rerank.features import Direction
from rerank.learned_order import Curve
from training.blend.lists import ADDITIVE_WORTH, LabelledList

if TYPE_CHECKING:
    from scipy.sparse import csr_array

# What a weight may be, by the direction of what it weighs.
BOUNDS: Mapping[Direction, tuple[float | None, float | None]] = {-1: (None, 0.0), 0: (None, None), 1: (0.0, None)}

# Compared on held-out corpora; see docs/experiments.md.
_PIECES, _QUANTILES = 16, 64
_PENALTY = 1e-3  # of the squares of the steps
_ROUNDS = 300


def fit_additive(lists: Sequence[LabelledList], names: Sequence[str]) -> tuple[Curve, ...]:
    """The curves of largest likelihood, each rising or falling as its feature may.

    A curve goes straight through _PIECES points on the scale of its feature's quantiles. `lists` each hold a cited
    candidate.
    """
    from scipy.optimize import minimize

    features = np.concatenate([one.features for one in lists])
    scales = [_scale(column) for column in features.T]
    columns = len(names)
    places = _places(features, scales)
    each = [np.asarray(ADDITIVE_WORTH)[one.grades] for one in lists]
    worth = np.concatenate([one / one.sum() for one in each])
    sizes = np.asarray([len(one.cited) for one in lists], np.int64)
    starts = np.cumsum(sizes) - sizes

    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        steps = flat.reshape(columns, -1)
        scores = places @ _heights(steps).ravel()
        most = np.maximum.reduceat(scores, starts)
        odds = np.exp(scores - np.repeat(most, sizes))
        sums = np.add.reduceat(odds, starts)
        value = (float((np.log(sums) + most).sum()) - float(worth @ scores)) / len(lists)
        wrong = (odds / np.repeat(sums, sizes) - worth) / len(lists)
        of_heights = (places.T @ wrong).reshape(columns, -1)
        # A step raises all heights behind it; what is missing has one of its own.
        gradient = np.column_stack([of_heights[:, -2:0:-1].cumsum(axis=1)[:, ::-1], of_heights[:, -1]]).ravel()
        return value + _PENALTY * float(flat @ flat), gradient + 2 * _PENALTY * flat

    directions = directions_of(names)
    bounds = [bound for one in directions for bound in (*[BOUNDS[one]] * _PIECES, BOUNDS[0])]
    start = np.repeat(0.1 * np.asarray(directions, np.float64), _PIECES + 1)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": _ROUNDS}).x
    heights = _heights(found.reshape(columns, -1))
    return tuple(_curve(scale, one) for scale, one in zip(scales, heights, strict=True))


def directions_of(names: Sequence[str]) -> list[Direction]:
    """What more of each feature may do to a score; of one that is not known, anything."""
    direction_of: dict[str, Direction] = {feature.name: feature.direction for feature in EVERY_FEATURE}
    return [direction_of.get(name, 0) for name in names]


def _scale(column: NDArray[np.floating]) -> NDArray[np.float64]:
    """The quantiles of a feature, ascending, without those that are equal."""
    known = column[~np.isnan(column)].astype(np.float64)
    if not len(known):
        return np.zeros(1)
    return np.unique(np.quantile(known, np.linspace(0, 1, _QUANTILES + 1)))


def _positions(scale: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of the quantiles among the points of a curve, 0 to _PIECES."""
    return np.linspace(0, _PIECES, len(scale))


def _places(features: NDArray[np.floating], scales: Sequence[NDArray[np.float64]]) -> csr_array:
    """How much of each height of each curve every row gets, (rows, features × (_PIECES + 2)): at most two of a curve.

    The heights of a curve are those of its points, and that of what is missing.
    """
    from scipy.sparse import csr_array

    rows, columns = features.shape
    where = np.empty((rows, columns, 2), np.int32)
    share = np.empty((rows, columns, 2), np.float32)
    for column, scale in enumerate(scales):
        values = features[:, column]
        position = np.interp(values, scale, _positions(scale))
        missing = np.isnan(values)
        position[missing] = 0
        below = np.minimum(position.astype(np.int32), _PIECES - 1)
        first = column * (_PIECES + 2)
        where[:, column, 0] = first + np.where(missing, _PIECES + 1, below)
        where[:, column, 1] = first + below + 1
        share[:, column, 1] = position - below
        share[:, column, 0] = 1 - share[:, column, 1]
    starts = np.arange(rows + 1) * (2 * columns)
    return csr_array((share.ravel(), where.ravel(), starts), shape=(rows, columns * (_PIECES + 2)))


def _heights(steps: NDArray[np.float64]) -> NDArray[np.float64]:
    """Of all points and of what is missing, (features, _PIECES + 2), from the steps between points and the latter."""
    return np.column_stack([np.zeros(len(steps)), steps[:, :-1].cumsum(axis=1), steps[:, -1]])


def _curve(scale: NDArray[np.float64], heights: NDArray[np.float64]) -> Curve:
    """Between its points a curve is straight on the scale of quantiles, which is not that of the feature."""
    positions = np.union1d(_positions(scale), np.arange(_PIECES + 1)) if len(scale) > 1 else np.zeros(1)
    at, first = np.unique(np.interp(positions, _positions(scale), scale), return_index=True)
    return Curve(at, np.interp(positions[first], np.arange(_PIECES + 1), heights[:-1]), float(heights[-1]))
