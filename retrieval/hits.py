"""What one source of candidates returns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Scores = NDArray[np.float32]
Allowed = NDArray[np.bool_]  # by paper number: may this paper be recommended, or serve as evidence?


@dataclass(frozen=True, slots=True)
class Hits:
    """Papers in the order of their scores; equal scores in the order of the numbers, which is that of the ids."""

    numbers: Numbers  # (n,)
    scores: Scores  # (n,), descending

    @classmethod
    def best(cls, numbers: NDArray[np.integer], scores: NDArray[np.floating], k: int) -> Hits:
        """The `k` best of unordered candidates."""
        order = np.lexsort((numbers, -scores))[:k]
        return cls(numbers[order].astype(np.int32), scores[order].astype(np.float32))

    @classmethod
    def none(cls) -> Hits:
        """No hit."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.float32))

    def __len__(self) -> int:
        return len(self.numbers)
