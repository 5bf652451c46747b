"""How sure a figure is: bootstrap intervals, and paired tests between systems that answered the same queries."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.errors import SourceError
from eval.metrics import METRICS, QueryScores

DRAWS = 2000
_AT_ONCE = 1 << 22  # drawn numbers in memory


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with the range that holds it with 95 % confidence."""

    value: float
    low: float
    high: float
    alone: bool = False  # of one query: the range says nothing then, since all samples are that query

    @property
    def reach(self) -> tuple[float, float]:
        """How far the range goes below and above the value; not a number where it says nothing, so none is drawn."""
        return (np.nan, np.nan) if self.alone else (self.value - self.low, self.high - self.value)

    def shown(self, form: str = ".3f", between: str = "[{}, {}]") -> str:
        """As tables have it, with its range if that says something."""
        value, low, high = (f"{one:{form}}" for one in (self.value, self.low, self.high))
        return value if self.alone else f"{value} {between.format(low, high)}"


@dataclass(frozen=True, slots=True)
class Difference:
    """One system's figure minus another's."""

    interval: Interval
    p: float  # two-sided, of a paired randomisation test


def mean_interval(corpora: Sequence[QueryScores], figure: str, draws: int = DRAWS, seed: int = 0) -> Interval:
    """The mean of a figure over corpora, by percentile bootstrap over the queries (Efron and Tibshirani 1993).

    Queries are drawn within each corpus, the corpora themselves stay.
    """
    value = np.mean([figure_of(scores, figure) for scores in corpora])
    return interval_of(float(value), _mean_drawn(corpora, figure, draws, seed), _most_queries(corpora))


def values_interval(values: NDArray[np.float64], draws: int = DRAWS) -> Interval:
    """The interval of the mean of `values`, shape (queries,)."""
    drawn = np.concatenate([times @ values for times in times_drawn(len(values), draws, seed=0)])
    return interval_of(float(values.mean()), drawn / len(values), len(values))


def mean_difference(
    ones: Sequence[QueryScores], others: Sequence[QueryScores], figure: str, draws: int = DRAWS, seed: int = 0
) -> Difference:
    """`ones` minus `others`: means over corpora, with the bootstrap interval and the p-value of a randomisation test.

    The corpora stand in the same order in both. Fisher's test swaps the two systems' scores of each query at random and
    asks how often the figures then lie as far apart as they do (Smucker, Allan, Carterette, CIKM 2007).

    Raises:
        SourceError: they answered different queries.
    """
    if [one.queries for one in ones] != [other.queries for other in others]:
        raise SourceError("the systems were not scored on the same queries")
    pairs = list(zip(ones, others, strict=True))
    found = float(np.mean([figure_of(one, figure) - figure_of(other, figure) for one, other in pairs]))
    # The same seed draws the same queries for both.
    drawn = [_mean_drawn(corpora, figure, draws, seed) for corpora in (ones, others)]
    swapped = [_swapped(one, other, figure, draws, seed + number) for number, (one, other) in enumerate(pairs)]
    extreme = int(np.count_nonzero(np.abs(np.mean(swapped, axis=0)) >= abs(found) - 1e-12))
    interval = interval_of(found, drawn[0] - drawn[1], _most_queries(ones))
    return Difference(interval, (extreme + 1) / (draws + 1))


def holm(p_values: list[float]) -> list[float]:
    """P-values adjusted for being the smallest of several (Holm 1979), in the order given."""
    order = np.argsort(p_values)
    factors = np.arange(len(order), 0, -1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(np.minimum(1, factors * np.asarray(p_values)[order]))
    return adjusted.tolist()


def differences_to(
    systems: Mapping[str, Sequence[QueryScores]], baseline: str, figure: str, seed: int
) -> dict[str, tuple[Difference, float] | tuple[None, None]]:
    """Of every system `mean_difference` to the baseline, and that p-value after Holm for all; of the baseline None."""
    found = {
        name: mean_difference(corpora, systems[baseline], figure, seed=seed)
        for name, corpora in systems.items()
        if name != baseline
    }
    adjusted = holm([one.p for one in found.values()])
    compared = {name: (one, p) for (name, one), p in zip(found.items(), adjusted, strict=True)}
    return {baseline: (None, None), **compared}


def figure_of(scores: QueryScores, figure: str) -> float:
    """One of METRICS over all queries."""
    return float(METRICS[figure].of({name: np.asarray(values.mean()) for name, values in scores.values.items()}))


def interval_of(value: float, drawn: NDArray[np.float64], queries: int) -> Interval:
    """A figure with the range of its values in samples of so many queries; those that are not a number do not count."""
    low, high = np.nanpercentile(drawn, [2.5, 97.5])
    return Interval(value, float(low), float(high), alone=queries < 2)


def times_drawn(items: int, draws: int, seed: int) -> Iterator[NDArray[np.float64]]:
    """How often each of so many items is in each of `draws` samples with replacement: arrays (some draws, items)."""
    rng = np.random.default_rng(seed)
    even = np.full(items, 1 / items)
    return (rng.multinomial(items, even, size).astype(np.float64) for size in _portions(draws, items))


def _most_queries(corpora: Sequence[QueryScores]) -> int:
    return max(len(one.queries) for one in corpora)


def _mean_drawn(corpora: Sequence[QueryScores], figure: str, draws: int, seed: int) -> NDArray[np.float64]:
    """The mean over corpora in every sample, shape (draws,); each corpus has a seed of its own."""
    drawn = [
        METRICS[figure].of(_bootstrap_means(scores, draws, seed + number)) for number, scores in enumerate(corpora)
    ]
    return np.asarray(np.mean(drawn, axis=0))


def _bootstrap_means(scores: QueryScores, draws: int, seed: int) -> dict[str, NDArray[np.float64]]:
    """Means of each measure over `draws` samples of the queries with replacement, each of shape (draws,)."""
    count = len(scores.queries)
    values = np.stack(list(scores.values.values()))
    means = [values @ times.T / count for times in times_drawn(count, draws, seed)]
    return dict(zip(scores.values, np.concatenate(means, axis=1), strict=True))


def _swapped(one: QueryScores, other: QueryScores, figure: str, draws: int, seed: int) -> NDArray[np.float64]:
    """Differences of the figure after random swaps, shape (draws,)."""
    rng = np.random.default_rng(seed)
    count = len(one.queries)
    first, second = (np.stack(list(scores.values.values())) for scores in (one, other))
    found = []
    for size in _portions(draws, count):
        moved = (second - first) @ rng.integers(0, 2, (size, count)).T
        sides = (first.sum(1)[:, None] + moved) / count, (second.sum(1)[:, None] - moved) / count
        left, right = (METRICS[figure].of(dict(zip(one.values, side, strict=True))) for side in sides)
        found.append(left - right)
    return np.concatenate(found)


def _portions(draws: int, count: int) -> list[int]:
    size = max(1, min(draws, _AT_ONCE // count))
    return [min(size, draws - start) for start in range(0, draws, size)]
