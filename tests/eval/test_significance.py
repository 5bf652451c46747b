"""Intervals and tests against scipy, against counting all swaps, and against what they promise."""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from common.errors import SourceError
from eval.metrics import MEASURES, METRICS, QueryScores, harmonic
from eval.significance import holm, mean_difference, mean_interval


def scores_of(seed: int, count: int, shift: float = 0.0) -> QueryScores:
    rng = np.random.default_rng(seed)
    base = rng.beta(1, 3, (len(MEASURES), count))
    noise = rng.normal(shift, 0.03, base.shape)
    values = dict(zip(MEASURES, np.clip(base + noise, 0, 1), strict=True))
    return QueryScores(tuple(f"q{number:04}" for number in range(count)), values)


def shifted(scores: QueryScores, seed: int, by: float) -> QueryScores:
    rng = np.random.default_rng(seed)
    values = {name: np.clip(v + rng.normal(by, 0.1, len(v)), 0, 1) for name, v in scores.values.items()}
    return QueryScores(scores.queries, values)


def test_interval_of_a_mean_is_that_of_scipy() -> None:
    scores = scores_of(1, 300)
    found = mean_interval([scores], "MRR", draws=20_000)
    theirs = stats.bootstrap((scores.values["RR@1000"],), np.mean, n_resamples=20_000, method="percentile", rng=1)
    assert found.value == pytest.approx(scores.values["RR@1000"].mean())
    assert found.low == pytest.approx(theirs.confidence_interval.low, abs=1.5e-3)
    assert found.high == pytest.approx(theirs.confidence_interval.high, abs=1.5e-3)


def test_one_query_has_no_range() -> None:
    one, two = (
        QueryScores(tuple(map(str, values)), dict.fromkeys(MEASURES, np.asarray(values))) for values in ([0.1], [0, 1])
    )
    assert mean_interval([one], "MRR").shown() == mean_interval([one, one], "MRR").shown() == "0.100"
    assert mean_difference([one], [one], "MRR").interval.shown("+.3f") == "+0.000"
    assert mean_interval([two], "MRR").shown(".2f", "({}–{})") == "0.50 (0.00–1.00)"
    assert np.isnan(mean_interval([one], "MRR").reach).all()
    assert mean_interval([two], "MRR").reach == (0.5, 0.5)


def test_interval_of_f1_resamples_precision_and_recall_together() -> None:
    scores = scores_of(2, 60)
    pairs = np.stack([scores.values["P@20"], scores.values["R@20"]])
    rng = np.random.default_rng(5)
    drawn = [harmonic(*pairs[:, rng.integers(0, 60, 60)].mean(1)) for _ in range(20_000)]
    found = mean_interval([scores], "F1@20", draws=20_000)
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(drawn, [2.5, 97.5])), abs=2e-3)


@pytest.mark.parametrize("figure", ["F1@20", "MRR"])
def test_p_value_is_the_share_of_all_swaps(figure: str) -> None:
    one = scores_of(3, 11)
    other = shifted(one, 4, 0.02)
    stacked = np.stack([np.stack(list(scores.values.values())) for scores in (one, other)])

    def figures(swap: tuple[int, ...]) -> float:
        chosen = np.asarray(swap)
        sides = [stacked[chosen, :, np.arange(11)].mean(0), stacked[1 - chosen, :, np.arange(11)].mean(0)]
        left, right = (METRICS[figure].of(dict(zip(MEASURES, side, strict=True))) for side in sides)
        return float(left - right)

    every = np.asarray([figures(swap) for swap in product((0, 1), repeat=11)])
    exact = np.mean(np.abs(every) >= abs(every[0]) - 1e-12)
    assert mean_difference([one], [other], figure, draws=40_000).p == pytest.approx(exact, abs=0.01)


def test_p_values_of_equal_systems_are_uniform() -> None:
    found = []
    for seed in range(200):
        one = scores_of(seed, 40)
        rng = np.random.default_rng(seed)
        swap = rng.integers(0, 2, 40).astype(bool)
        other = shifted(one, seed + 1000, 0.0)
        left = {name: np.where(swap, other.values[name], one.values[name]) for name in MEASURES}
        right = {name: np.where(swap, one.values[name], other.values[name]) for name in MEASURES}
        found.append(
            mean_difference([QueryScores(one.queries, left)], [QueryScores(one.queries, right)], "MRR", draws=300).p
        )
    assert stats.kstest(found, "uniform").pvalue > 0.001


def test_a_clear_difference_is_significant_and_its_sign_is_right() -> None:
    worse = scores_of(6, 200)
    better = shifted(worse, 7, 0.1)
    found = mean_difference([better], [worse], "F1@20")
    assert found.interval.low > 0
    assert found.p == pytest.approx(1 / 2001)
    assert mean_difference([worse], [better], "F1@20").interval.value == pytest.approx(-found.interval.value)


def test_the_same_system_differs_from_itself_by_nothing() -> None:
    scores = scores_of(8, 50)
    found = mean_difference([scores], [scores], "R@100")
    assert (found.interval.value, found.interval.low, found.interval.high, found.p) == (0, 0, 0, 1)


@pytest.mark.parametrize("before", [[], [scores_of(1, 5)]], ids=["of one corpus", "over corpora"])
def test_systems_of_other_queries_are_not_compared(before: list[QueryScores]) -> None:
    with pytest.raises(SourceError, match="same queries"):
        mean_difference([*before, scores_of(1, 5)], [*before, scores_of(1, 6)], "MRR")


def test_many_queries_fit_into_memory_in_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    scores, other = scores_of(9, 100), shifted(scores_of(9, 100), 1, 0.01)
    whole = mean_interval([scores], "MAP", draws=500), mean_difference([scores], [other], "MAP", draws=500)
    monkeypatch.setattr("eval.significance._AT_ONCE", 700)
    assert (mean_interval([scores], "MAP", draws=500), mean_difference([scores], [other], "MAP", draws=500)) == whole


def test_holm_is_that_of_its_definition() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_mean_over_corpora_draws_within_each_corpus() -> None:
    corpora = [scores_of(6, 40), scores_of(7, 90, 0.1)]
    rng = np.random.default_rng(8)
    drawn = []
    for _ in range(20_000):
        values = []
        for scores in corpora:
            count = len(scores.queries)
            chosen = rng.integers(0, count, count)
            values.append(harmonic(*(scores.values[name][chosen].mean() for name in ("P@20", "R@20"))))
        drawn.append(np.mean(values))
    found = mean_interval(corpora, "F1@20", draws=20_000)
    assert found.value == pytest.approx(np.mean([mean_interval([scores], "F1@20").value for scores in corpora]))
    assert (found.low, found.high) == pytest.approx(tuple(np.percentile(drawn, [2.5, 97.5])), abs=2e-3)


def test_p_value_of_a_mean_over_corpora_is_the_share_of_all_swaps() -> None:
    ones = [scores_of(9, 5), scores_of(10, 6)]
    others = [shifted(one, 11 + number, 0.02) for number, one in enumerate(ones)]

    def value(one: QueryScores, other: QueryScores, swap: np.ndarray) -> float:
        sides = (
            np.where(swap, other.values["RR@1000"], one.values["RR@1000"]),
            np.where(swap, one.values["RR@1000"], other.values["RR@1000"]),
        )
        return float(sides[0].mean() - sides[1].mean())

    every = np.asarray(
        [
            np.mean([value(ones[0], others[0], np.asarray(swap[:5])), value(ones[1], others[1], np.asarray(swap[5:]))])
            for swap in product((False, True), repeat=11)
        ]
    )
    found = mean_difference(ones, others, "MRR", draws=40_000)
    assert found.interval.value == pytest.approx(every[0])
    assert found.p == pytest.approx(np.mean(np.abs(every) >= abs(every[0]) - 1e-12), abs=0.01)
