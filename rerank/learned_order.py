"""What scores candidates by their features: trees, and a sum of one function a feature beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rerank.additive import Additive
from rerank.trees import Contributions, Trees


@dataclass(frozen=True, slots=True)
class LearnedOrder:
    """The sum of both."""

    trees: Trees
    additive: Additive  # over the same columns

    @property
    def names(self) -> tuple[str, ...]:
        """Of the features, in column order."""
        return self.trees.names

    def predict(self, features: NDArray[np.floating]) -> NDArray[np.float64]:
        """Scores of every row, (n, len(names)) → (n,); higher is better.

        A ValueError for other columns than those of `names`.
        """
        return self.trees.predict(features) + self.additive.predict(features)

    def contributions(self, features: NDArray[np.floating]) -> Contributions:
        """What sets each row apart from the mean row of `features`, (n, len(names)), feature by feature."""
        trees, additive = self.trees.contributions(features), self.additive.contributions(features)
        return Contributions(self.names, trees.base + additive.base, trees.values + additive.values)

    def to_record(self) -> dict[str, Any]:
        """As JSON holds it."""
        return {"trees": self.trees.to_record(), "additive": self.additive.to_record()}

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> LearnedOrder:
        """The inverse of `to_record`; a KeyError, TypeError or ValueError where `record` is something else."""
        trees = Trees.from_record(record["trees"])
        return cls(trees, Additive.from_record(record["additive"], trees.names))
