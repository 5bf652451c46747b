"""Gradient-boosted trees at serving time: a file of numbers, and arithmetic over all trees and rows at once in NumPy.

LightGBM trains them, but its library needs an OpenMP runtime of the system that a fresh machine may lack, and a model
of a few hundred small trees needs no library.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ROWS_AT_ONCE = 512
_MOST_LEAVES = 64  # of a tree: one bit each
_ARRAYS = {
    "feature": np.int32, "threshold": np.float64, "missing_left": np.bool_, "left": np.int32, "right": np.int32,
    "value": np.float64,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Contributions:
    """What every feature added to the scores of a list."""

    names: tuple[str, ...]  # of the features, in column order
    base: float  # the mean score of the list
    values: NDArray[np.float64]  # (n, len(names)); base + the sum of a row is its score


@dataclass(frozen=True, slots=True)
class Trees:
    """A sum of decision trees. Node arrays have shape (trees, nodes); a node whose `feature` is -1 is a leaf."""

    names: tuple[str, ...]  # of the features, in column order
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]  # x ≤ threshold goes left
    missing_left: NDArray[np.bool_]  # where NaN goes
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float64]  # of leaves
    _questions: _Questions = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Raise ValueError for a tree of more than 64 leaves."""
        object.__setattr__(self, "_questions", _Questions.of(self))

    def predict(self, features: NDArray[np.floating]) -> NDArray[np.float64]:
        """Sum of the trees for every row, (n, len(names)) → (n,).

        A ValueError for other columns than those of `names`.
        """
        if features.shape[1] != len(self.names):
            raise ValueError(f"{features.shape[1]} columns for trees over {len(self.names)}")
        parts = [features[first : first + _ROWS_AT_ONCE] for first in range(0, len(features), _ROWS_AT_ONCE)]
        # (features, rows): a question's column is read in one go
        found = [self._questions.answered(np.asarray(part, np.float64).T) for part in parts]
        return np.concatenate(found) if found else np.zeros(0)

    def _paths(self, columns: NDArray[np.float64]) -> Iterator[NDArray[np.intp]]:
        """Where every row stands in every tree, (trees, rows), step by step from the roots until all are at leaves.

        Nodes are numbered through all trees; a row stays at its leaf.
        """
        trees, nodes = self.feature.shape
        first = nodes * np.arange(trees)[:, None]
        leaf = self.feature < 0
        itself = first + np.arange(nodes)
        left, right = (np.where(leaf, itself, first + child).ravel() for child in (self.left, self.right))
        asked = np.where(leaf, 0, self.feature).ravel()
        threshold, missing_left = self.threshold.ravel(), self.missing_left.ravel()
        values, rows = columns.ravel(), np.arange(columns.shape[1])
        unknown = np.isnan(values)
        node = np.repeat(first, columns.shape[1], axis=1)
        while True:
            yield node
            place = asked.take(node) * columns.shape[1] + rows
            goes_left = (values.take(place) <= threshold.take(node)) | (unknown.take(place) & missing_left.take(node))
            child = np.where(goes_left, left.take(node), right.take(node))
            if np.array_equal(child, node):
                return
            node = child

    def contributions(self, features: NDArray[np.floating]) -> Contributions:
        """What sets each row apart from the mean row of `features`, (n, len(names)), feature by feature.

        The decision paths of Saabas (2014): a node's value is the mean score of the rows that come by, and what a step
        to a child changes in it is the doing of the feature that the node asks. The sum over a path is exact, and a
        feature that no path asks adds nothing; unlike Shapley values, features near the root may get too little.
        """
        columns = np.ascontiguousarray(np.asarray(features, np.float64).T)
        count, nodes = columns.shape[1], self.feature.size
        if not count:
            return Contributions(self.names, 0.0, np.zeros((0, len(self.names))))
        steps = list(self._paths(columns))
        reached = self.value.ravel().take(steps[-1])  # (trees, rows): of the leaves
        totals, passing = (np.bincount(steps[0].ravel(), weights, nodes) for weights in (reached.ravel(), None))
        for before, node in itertools.pairwise(steps):
            moved = node != before  # a row stays at its leaf while others still walk: it comes by only once
            totals += np.bincount(node[moved], reached[moved], nodes)
            passing += np.bincount(node[moved], minlength=nodes)
        means = np.divide(totals, passing, out=totals, where=passing > 0)
        asked = np.maximum(self.feature, 0).ravel()
        first = len(self.names) * np.arange(count)
        values = np.zeros(count * len(self.names))
        for before, node in itertools.pairwise(steps):
            change = means.take(node) - means.take(before)
            values += np.bincount((first + asked.take(before)).ravel(), change.ravel(), values.size)
        base = float(means.reshape(self.feature.shape)[:, 0].sum())
        return Contributions(self.names, base, values.reshape(count, len(self.names)))

    def to_record(self) -> dict[str, Any]:
        """As JSON holds it."""
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        shown = {name: one.astype(int) if one.dtype == np.bool_ else one for name, one in arrays.items()}
        return {"names": list(self.names), **{name: one.tolist() for name, one in shown.items()}}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Trees:
        """The inverse of `to_record`; a KeyError, TypeError or ValueError where `record` is something else."""
        arrays: dict[str, Any] = {name: np.asarray(record[name], kind) for name, kind in _ARRAYS.items()}
        return cls(tuple(record["names"]), **arrays)

    @classmethod
    def from_lightgbm(cls, dump: Mapping[str, Any]) -> Trees:
        """Convert what `Booster.dump_model()` returns. Only numerical splits are known."""
        trees = [_flatten(tree["tree_structure"]) for tree in dump["tree_info"]]
        most = max(map(len, trees))
        nodes = np.array([tree + [_leaf(0.0)] * (most - len(tree)) for tree in trees], list(_ARRAYS.items()))
        arrays: dict[str, Any] = {name: np.ascontiguousarray(nodes[name]) for name in _ARRAYS}
        return cls(tuple(dump["feature_names"]), **arrays)


@dataclass(frozen=True, slots=True)
class _Questions:
    """The inner nodes of all trees, asked of every row at once instead of on a walk from the root.

    A tree's leaves are bits, from left to right. A node whose answer is "right" rules out the leaves to its left; the
    lowest bit that is left over is where the row ends (QuickScorer: Lucchese et al., SIGIR 2015). Of one feature, all
    questions below a value are answered alike, so that what they leave over together is a row of a table.
    """

    # Each feature that is asked: its thresholds, ascending, and the leaves of each tree that are left over above the
    # first 0, 1, … of them, and of what is missing; shape (thresholds + 2, trees).
    features: tuple[tuple[int, NDArray[np.float64], NDArray[np.unsignedinteger]], ...]
    values: NDArray[np.float64]  # (trees, most leaves): from left to right

    @classmethod
    def of(cls, trees: Trees) -> _Questions:
        """The questions of some trees.

        Raises:
            ValueError: a tree has more than 64 leaves.
        """
        asked = [_asked(trees, tree) for tree in range(len(trees.feature))]
        leaves = max((len(found) for _, found in asked), default=1)
        if leaves > _MOST_LEAVES:
            raise ValueError(f"a tree of {leaves} leaves; at most {_MOST_LEAVES} are possible")
        kind = next(kind for kind in (np.uint8, np.uint16, np.uint32, np.uint64) if np.iinfo(kind).bits >= leaves)
        everything = int(np.iinfo(kind).max)
        every = sorted(
            (int(trees.feature[tree, node]), float(trees.threshold[tree, node]), tree, node, bits)
            for tree, (nodes, _) in enumerate(asked)
            for node, bits in nodes
        )
        values = np.zeros((len(asked), leaves))
        for tree, (_, found) in enumerate(asked):
            values[tree, : len(found)] = trees.value[tree, found]
        features = []
        for feature, same in itertools.groupby(every, itemgetter(0)):
            questions = list(same)
            left_over = np.full((len(questions) + 2, len(asked)), everything, kind)
            for place, (_, _, tree, node, bits) in enumerate(questions, start=1):
                remaining = kind(everything ^ bits)
                left_over[place:-1, tree] &= remaining
                if not trees.missing_left[tree, node]:
                    left_over[-1, tree] &= remaining
            features.append((feature, np.asarray([threshold for _, threshold, *_ in questions]), left_over))
        return cls(tuple(features), values)

    def answered(self, columns: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of the trees, (features, rows) → (rows,)."""
        trees, leaves = self.values.shape
        kept: NDArray[np.unsignedinteger] | None = None  # (rows, trees)
        for feature, thresholds, left_over in self.features:
            column = columns[feature]
            above = np.searchsorted(thresholds, column)
            above[np.isnan(column)] = len(thresholds) + 1
            found = left_over.take(above, axis=0)
            kept = found if kept is None else np.bitwise_and(kept, found, out=kept)
        if kept is None:  # no tree asks anything
            return np.full(columns.shape[1], self.values[:, 0].sum())
        lowest = np.bitwise_count((kept & -kept) - kept.dtype.type(1))
        return np.asarray(self.values.take(lowest + leaves * np.arange(trees)).sum(axis=1))


def _asked(trees: Trees, tree: int) -> tuple[list[tuple[int, int]], list[int]]:
    """The inner nodes of a tree, each with the bits of the leaves to its left, and its leaves from left to right."""
    nodes: list[tuple[int, int]] = []
    leaves: list[int] = []

    def visit(node: int) -> None:
        if trees.feature[tree, node] < 0:
            leaves.append(node)
            return
        first = len(leaves)
        visit(int(trees.left[tree, node]))
        nodes.append((node, (1 << len(leaves)) - (1 << first)))
        visit(int(trees.right[tree, node]))

    visit(0)
    return nodes, leaves


Node = tuple[int, float, bool, int, int, float]  # by the order of _ARRAYS


def _leaf(value: float) -> Node:
    return -1, 0.0, False, 0, 0, value


def _flatten(root: Mapping[str, Any]) -> list[Node]:
    """All nodes of a tree of LightGBM's, the root first."""
    nodes: list[Node] = []

    def visit(node: Mapping[str, Any]) -> int:
        place = len(nodes)
        nodes.append(_leaf(node.get("leaf_value", 0.0)))
        if "split_feature" in node:
            # Without missing values in training LightGBM reads NaN as 0.
            missing_left = node["default_left"] if node["missing_type"] == "NaN" else node["threshold"] >= 0
            children = visit(node["left_child"]), visit(node["right_child"])
            nodes[place] = (node["split_feature"], node["threshold"], missing_left, *children, 0.0)
        return place

    visit(root)
    return nodes
