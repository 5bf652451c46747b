"""The one way in which scores order a list: compared as exactly as their arithmetic is, equal ones by docid.

The last bits of a score depend on the processor, the number of threads and what is computed along with it. Papers
whose scores differ by no more than that are equally good, and come in the order of their docids, which is that of
their ids.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Precision:
    """How far apart scores have to be to differ: relative × the larger of both magnitudes + absolute."""

    relative: float
    absolute: float = 0.0


# Sums in 64 bits of numbers that are the same everywhere, such as reciprocal ranks or the leaves of trees.
EXACT = Precision(1e-12, 1e-12)
# Numbers of 32 bits whose error shrinks with them: sums of positive terms, such as BM25's, and their products.
POSITIVE = Precision(4e-6)
# Sums in 32 bits of terms of either sign and together about 1, such as cosines: the error stays where the sum is 0.
SIGNED = Precision(4e-6, 1e-6)
# Log-odds of networks of 32 bits: sums of terms of either sign that are together about 10.
LOGITS = Precision(4e-6, 1e-5)

# A run of scores, each as good as equal to the next, is one of equal scores as long as it spans no more than this many
# times what makes scores differ. A longer one is a dense list, which is cut at fixed places.
_WIDEST = 4.0


def best_first(
    scores: NDArray[np.floating], docids: NDArray[np.integer], precision: Precision = POSITIVE
) -> NDArray[np.int64]:
    """The positions of `scores`, shape (n,), from the best to the worst; equal ones by ascending `docids`, shape (n,).

    NaN and −inf are no score: they come last.
    """
    return ranked(scores, docids, precision)[0]


def ranked(
    scores: NDArray[np.floating], docids: NDArray[np.integer], precision: Precision = POSITIVE
) -> tuple[NDArray[np.int64], NDArray[np.floating]]:
    """The positions as in `best_first`, and the score at each of these, shape (n,): of equal ones the highest."""
    order = np.argsort(-np.asarray(scores, np.float64))
    ordered = scores[order]
    starts = run_starts(ordered, precision)
    run = np.cumsum(starts) - 1
    # Most lists have few equal scores; only these are ordered once more.
    tied = ~starts
    tied[:-1] |= ~starts[1:]
    places = np.flatnonzero(tied)
    within = order[places]
    order[places] = within[np.lexsort((docids[within], run[places]))]
    return order, ordered[starts][run]


def run_starts(ordered: NDArray[np.floating], precision: Precision = POSITIVE) -> NDArray[np.bool_]:
    """Which of `ordered`, descending scores of shape (n,), differ from the score before them; the first one does."""
    if not len(ordered):
        return np.zeros(0, np.bool_)
    largest = np.finfo(np.float64).max
    scores = np.nan_to_num(np.asarray(ordered, np.float64), nan=-largest, posinf=largest, neginf=-largest)
    size = np.abs(scores)
    starts = np.ones(len(scores), np.bool_)
    with np.errstate(over="ignore"):  # the way from the best to no score at all
        starts[1:] = scores[:-1] - scores[1:] > _least(np.maximum(size[:-1], size[1:]), precision)
        first = np.flatnonzero(starts)
        last = np.append(first[1:], len(scores)) - 1
        width = _least(np.maximum(size[first], size[last]), precision)
        wide = scores[first] - scores[last] > _WIDEST * width
    if wide.any():
        _cut(starts, scores, wide, width)
    return starts


def sure(ordered: NDArray[np.floating], precision: Precision = POSITIVE) -> int:
    """How many of `ordered`, the highest scores of a longer list in descending order, do not equal the last of them.

    Which of the papers with that last score are among the highest may be chance.
    """
    return int(np.flatnonzero(run_starts(ordered, precision))[-1]) if len(ordered) else 0


def _least(size: NDArray[np.float64], precision: Precision) -> NDArray[np.float64]:
    return precision.relative * size + precision.absolute


def _cut(
    starts: NDArray[np.bool_], scores: NDArray[np.float64], wide: NDArray[np.bool_], width: NDArray[np.float64]
) -> None:
    """Let runs also start wherever a `wide` one passes a multiple of its width, rounded up to a power of 2."""
    run = np.cumsum(starts) - 1
    inside = np.flatnonzero(wide[run] & ~starts)
    steps = 2.0 ** np.ceil(np.log2(width[run[inside]]))
    starts[inside] = np.floor(scores[inside] / steps) != np.floor(scores[inside - 1] / steps)
