"""F1@20, the measure of the papers, for evaluation, training and check mode alike."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike, NDArray

CUT = 20  # papers of a list that count


def harmonic(precision: ArrayLike, recall: ArrayLike) -> NDArray[np.float64]:
    """2PR/(P+R), 0 where both are 0."""
    precision, recall = np.asarray(precision, np.float64), np.asarray(recall, np.float64)
    total = precision + recall
    found: NDArray[np.float64] = np.divide(2 * precision * recall, total, out=np.zeros_like(total), where=total > 0)
    return found


def f1_at_20(found: Iterable[tuple[int, int]]) -> float:
    """Of mean precision and mean recall, as Nogueira et al. (BIR 2020); (hits in the first 20, gold) of each query."""
    precision, recall = np.mean([(hits / CUT, hits / gold) for hits, gold in found], axis=0)
    return float(harmonic(precision, recall))
