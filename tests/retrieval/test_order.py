"""Scores order a list only as far as their arithmetic can be trusted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.order import EXACT, POSITIVE, SIGNED, Precision, best_first, ranked, run_starts, sure
from retrieval.fusion import reciprocal_rank_fusion
from retrieval.hits import Hits

# Of the arithmetic that each is for: the noise that it may have, in proportion to a score.
NOISE = {POSITIVE: 1e-6, SIGNED: 1e-6, EXACT: 1e-13}


def by_hand(scores: list[float], docids: list[int], precision: Precision) -> list[int]:
    """One pass over the sorted scores; those that are as good as equal to the one before join its run."""
    runs: list[list[int]] = []
    before = None
    for place in sorted(range(len(scores)), key=lambda place: -scores[place]):
        score = scores[place]
        if before is None or before - score > precision.relative * max(abs(before), abs(score)) + precision.absolute:
            runs.append([])
        runs[-1].append(place)
        before = score
    return [place for run in runs for place in sorted(run, key=docids.__getitem__)]


@st.composite
def tied_or_apart(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    """Scores that are the same or differ by a thousandth of themselves, and the papers' numbers."""
    levels = draw(st.lists(st.integers(-40, 40), max_size=60))
    scale = draw(st.sampled_from([0.0059637087, 0.1, 1.0, 25.0]))
    scores = np.asarray([np.sign(level) * scale * 1.001 ** abs(level) for level in levels], np.float64)
    docids = np.asarray(draw(st.permutations(range(len(levels)))), np.int32)
    return scores, docids


@pytest.mark.parametrize("precision", [POSITIVE, SIGNED, EXACT])
@given(tied_or_apart(), st.integers(0, 2**32 - 1))
def test_noise_leaves_the_order_as_it_is(
    precision: Precision, given_scores: tuple[np.ndarray, np.ndarray], seed: int
) -> None:
    scores, docids = given_scores
    noise = np.random.default_rng(seed).uniform(-1, 1, len(scores)) * NOISE[precision]
    expected = sorted(range(len(scores)), key=lambda place: (-scores[place], docids[place]))
    assert best_first(scores, docids, precision).tolist() == expected
    assert best_first(scores * (1 + noise), docids, precision).tolist() == expected
    if precision != EXACT:
        assert best_first((scores * (1 + noise)).astype(np.float32), docids, precision).tolist() == expected


@pytest.mark.parametrize("precision", [POSITIVE, SIGNED])
@given(st.lists(st.integers(-100, 100), max_size=40), st.randoms())
def test_order_is_that_of_a_single_pass(precision: Precision, steps: list[int], random: object) -> None:
    # Steps around what makes scores differ, in runs that are no dense list.
    scores = [0.25 + (place // 3) * 1e-3 + step * 2e-8 for place, step in enumerate(steps)]
    docids = list(range(len(steps)))
    random.shuffle(docids)  # type: ignore[attr-defined]
    expected = by_hand(scores, docids, precision)
    assert best_first(np.asarray(scores), np.asarray(docids), precision).tolist() == expected


@given(st.lists(st.floats(width=32), max_size=60), st.integers(0, 2**32 - 1))
def test_any_scores_are_ordered_whole_and_whatever_order_they_come_in(values: list[float], seed: int) -> None:
    scores = np.asarray(values, np.float32)
    docids = np.arange(len(scores))
    order, shown = ranked(scores, docids, SIGNED)
    assert sorted(order.tolist()) == docids.tolist()
    known = np.nan_to_num(shown.astype(np.float64), nan=-np.inf)
    assert (known[:-1] >= known[1:]).all()
    shuffled = np.random.default_rng(seed).permutation(len(scores))
    assert docids[shuffled][best_first(scores[shuffled], docids[shuffled], SIGNED)].tolist() == order.tolist()


def test_what_has_no_score_comes_last() -> None:
    scores = np.asarray([np.nan, 0.0, -np.inf, np.inf, -1e300, 2.0, np.nan])
    assert best_first(scores, np.asarray([6, 1, 2, 3, 4, 5, 0])).tolist() == [3, 5, 1, 4, 6, 2, 0]
    assert best_first(np.zeros(0), np.zeros(0, np.int32)).tolist() == []
    assert best_first(np.full(3, -np.inf), np.asarray([2, 1, 0])).tolist() == [2, 1, 0]


def test_papers_as_good_as_equal_show_one_score() -> None:
    scores = np.asarray([0.0059637083, 0.0059637087, 0.005963707, 0.004])
    order, shown = ranked(scores, np.arange(4))
    assert order.tolist() == [0, 1, 2, 3]
    assert shown.tolist() == [scores[1], scores[1], scores[1], scores[3]]


@pytest.mark.parametrize("size", [10, 3000, 50_000])
@pytest.mark.parametrize("width", [1e-4, 1e-2, 1.0])
def test_dense_lists_are_not_taken_for_ties(size: int, width: float) -> None:
    """Topic models give thousands of papers cosines of nearly 1."""
    random = np.random.default_rng(size)
    scores = 1 - width * random.random(size)
    found = scores[best_first(scores, random.permutation(size), SIGNED)]
    below = np.maximum.accumulate(found[::-1])[::-1] - found  # how far the best of what follows is above a paper
    assert below.max() <= 4 * (SIGNED.relative + SIGNED.absolute)


def test_noise_reorders_a_dense_list_only_near_by() -> None:
    random = np.random.default_rng(3)
    scores, docids = 1 - 1e-3 * random.random(20_000), np.arange(20_000)
    ranks = np.argsort(best_first(scores, docids, SIGNED))
    noisy = np.argsort(best_first(scores + random.uniform(-1e-9, 1e-9, len(scores)), docids, SIGNED))
    assert (ranks != noisy).mean() < 0.05


def test_reciprocal_ranks_of_deep_lists_keep_their_order() -> None:
    ranks = np.arange(1, 200_001)
    assert run_starts(1 / (60.0 + ranks), EXACT).all()
    one, other = np.arange(3000), np.random.default_rng(1).permutation(3000)
    fused = reciprocal_rank_fusion({"a": Hits(one, np.zeros(3000)), "b": Hits(other, np.zeros(3000))})
    place = np.argsort(other)
    exact = [(-(1 / (61 + n) + 1 / (61 + place[n])), n) for n in range(3000)]
    assert fused.docids.tolist() == [n for _, n in sorted((round(score, 14), n) for score, n in exact)]


def test_sums_in_another_order_are_equal() -> None:
    terms = [1 / 61, 1 / 62, 1 / 68]
    sums = [terms[0] + terms[1] + terms[2], terms[2] + terms[1] + terms[0], terms[1] + terms[2] + terms[0]]
    assert len(set(sums)) > 1
    assert best_first(np.asarray(sums), np.asarray([2, 1, 0]), EXACT).tolist() == [2, 1, 0]


@pytest.mark.parametrize("k", range(12))
def test_the_head_of_a_cut_list_is_sure_only_above_its_last_score(k: int) -> None:
    scores = np.asarray([0.9, 0.8, 0.8000001, 0.7, 0.5, 0.5000001, 0.4999999, 0.5, 0.1, 0.0, 0.0])
    ordered = np.sort(scores)[::-1][:k]
    whole = Hits.best(np.arange(11), scores, 11).docids
    certain = sure(ordered)
    assert certain == {0: 0, 1: 0, 2: 1, 3: 1, 4: 3, 5: 4, 6: 4, 7: 4, 8: 4, 9: 8, 10: 9, 11: 9}[k]
    # Whichever of equal papers a cut leaves, the sure ones are those of the whole list.
    cut = np.argsort(-scores, kind="stable")[:k]
    assert Hits.best(cut, scores[cut], k).docids[:certain].tolist() == whole[:certain].tolist()
