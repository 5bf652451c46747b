"""Lists of candidates that are known to be cited or not, one list a query: what the learned order learns from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from rerank.features import Features

# What a candidate is worth to the trees and to the additive model, by grade: 0 of a paper that is not cited, then of
# cited ones from the most cited quarter of an index to the least cited. With one worth for all, lists hold papers that
# are cited more often than those that people cite.
TREES_WORTH = (0.0, 1.0, 1.1, 1.2, 1.3)
ADDITIVE_WORTH = (0.0, 1.0, 1.2, 1.4, 1.6)
_QUARTERS = 4

# Candidates of a list that are learned from beside the cited ones: the first, and so many drawn from the others.
_FIRST, _OTHERS = 80, 100


@dataclass(frozen=True, slots=True)
class LabelledList:
    """The candidates of one query."""

    features: Features  # (n, features)
    cited: NDArray[np.bool_]  # (n,)
    # (n,) which share of an index's cited papers is cited no more often than this one; without, all are worth the same
    popular: NDArray[np.float64] | None = None

    @property
    def grades(self) -> NDArray[np.int64]:
        """Each candidate's place in what grades are worth, shape (n,)."""
        if self.popular is None:
            return self.cited.astype(np.int64)
        steps = np.minimum((_QUARTERS * (1 - self.popular)).astype(np.int64), _QUARTERS - 1)
        return np.where(self.cited, 1 + steps, 0)

    def of_columns(self, places: Sequence[int]) -> LabelledList:
        """The same with some of the features."""
        return replace(self, features=self.features[:, places])

    def sampled(self, generator: np.random.Generator) -> LabelledList:
        """All cited candidates, the first ones and a sample of the others.

        Most of a pool is alike, and to learn from the whole takes three times as long.
        """
        kept = self.cited.copy()
        kept[:_FIRST] = True
        kept[generator.permutation(np.flatnonzero(~kept))[:_OTHERS]] = True
        popular = None if self.popular is None else self.popular[kept]
        return LabelledList(self.features[kept], self.cited[kept], popular)
