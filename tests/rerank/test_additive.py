"""The additive model: arithmetic by hand, and fits against the functions that drew the lists."""

from dataclasses import replace

import numpy as np
import orjson
import pytest

from common.errors import ModelError
from rerank.blend import DEFAULT, Blend
from rerank.features import FEATURES, NAMES
from rerank.learned_order import Curve, LearnedOrder
from rerank.trees import Trees
from training.blend.additive import fit_additive
from training.blend.fitting import train_order
from training.blend.lists import LabelledList

RISING = Curve(np.asarray([0.0, 1.0, 3.0]), np.asarray([0.0, 2.0, 3.0]), 0.5)
FALLING = Curve(np.asarray([-1.0, 1.0]), np.asarray([4.0, 0.0]), -1.0)
# Of a tree that asks and adds nothing.
LEAF = np.full((1, 1), -1), np.zeros((1, 1)), np.zeros((1, 1), bool), *np.zeros((3, 1, 1), int)
BOTH = LearnedOrder(Trees(("up", "down"), *LEAF), (RISING, FALLING))


def added(curves, rows):
    return sum(curve(column) for curve, column in zip(curves, rows.T, strict=True))


@pytest.mark.parametrize(
    ("up", "down", "expected"),
    [(0.5, 0.0, 3.0), (2.0, 1.0, 2.5), (-9.0, -9.0, 4.0), (99.0, 99.0, 3.0), (np.nan, 0.5, 1.5), (1.0, np.nan, 1.0)],
)
def test_curves_are_straight_between_points_and_flat_beyond_them(up, down, expected):
    assert BOTH.predict(np.asarray([[up, down]], np.float32)).tolist() == [expected]
    assert added([curve.times(2) for curve in BOTH.curves], np.asarray([[up, down]])).tolist() == [2 * expected]


def test_contributions_are_what_each_curve_adds_against_the_mean():
    rows = np.asarray([[0.0, -1.0], [1.0, 1.0], [np.nan, 1.0]])
    found = BOTH.contributions(rows)
    assert found.names == ("up", "down")
    assert found.base == pytest.approx((4.0 + 2.0 + 0.5) / 3)
    np.testing.assert_allclose(found.values[:, 0], np.asarray([0.0, 2.0, 0.5]) - 2.5 / 3)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), BOTH.predict(rows))
    assert BOTH.contributions(np.zeros((0, 2))).values.shape == (0, 2)


def test_other_columns_than_those_of_the_curves_are_refused():
    with pytest.raises(ValueError, match="1 columns"):
        BOTH.predict(np.zeros((3, 1)))


def test_a_record_of_json_says_the_same_whatever_its_order():
    record = orjson.loads(orjson.dumps(BOTH.to_record()))
    rows = np.random.default_rng(0).normal(size=(50, 2)) * 3
    record["trees"]["names"] = ["down", "up"]
    again = LearnedOrder.from_record(record)
    np.testing.assert_array_equal(again.predict(rows[:, ::-1]), BOTH.predict(rows))


def drawn(truth, lists, columns, seed=0):
    """Lists of 30 of which one is cited, drawn with odds exp(truth(features))."""
    generator = np.random.default_rng(seed)
    for _ in range(lists):
        features = generator.normal(size=(30, columns)).astype(np.float32)
        features[generator.random(features.shape) < 0.1] = np.nan
        odds = np.exp(truth(features))
        yield LabelledList(features, np.arange(30) == generator.choice(30, p=odds / odds.sum()))


def test_the_functions_that_drew_the_lists_are_found_again():
    bent, hill, missing = "bm25", "year_gap", 1.0  # the first may only rise, the second may do anything

    def rises(x):
        return np.where(np.isnan(x), missing, 2 * np.maximum(x, 0))

    def peaks(x):
        return np.where(np.isnan(x), 0, -2 * np.abs(x))

    lists = list(drawn(lambda features: rises(features[:, 0]) + peaks(features[:, 1]), 3000, 2))
    found = fit_additive(lists, (bent, hill))
    at = np.linspace(-1.5, 1.5, 31)
    for curve, truth in zip(found, (rises, peaks), strict=True):
        learned, true = curve(at), truth(at)
        np.testing.assert_allclose(learned - learned.mean(), true - true.mean(), atol=0.35)
    rising = found[0]
    assert rising.missing - rising(np.asarray([0.0]))[0] == pytest.approx(missing, abs=0.35)


def test_a_feature_that_speaks_for_a_paper_is_never_learned_to_speak_against_it():
    lists = list(drawn(lambda features: -2 * np.nan_to_num(features[:, 0]) + np.nan_to_num(features[:, 1]), 300, 2))
    wrong, right = fit_additive(lists, ("bm25", "cocited"))
    assert np.ptp(wrong.adds) < 0.05
    assert (np.diff(right.adds) >= 0).all()
    assert np.ptp(right.adds) > 1


def test_a_feature_of_one_value_or_of_none_adds_nothing_that_differs():
    generator = np.random.default_rng(0)
    lists = []
    for _ in range(30):
        features = generator.normal(size=(20, 3)).astype(np.float32)
        features[:, 1], features[:, 2] = 4, np.nan
        lists.append(LabelledList(features, features[:, 0] > 1.2))
    found = fit_additive([one for one in lists if one.cited.any()], ("bm25", "cocited", "cosine"))
    assert np.ptp(added(found, np.asarray([[0.0, x, 0.0] for x in (-5, 4, 9)]))) == 0
    rows = np.asarray([[-1.0, 4, np.nan], [1.0, 4, np.nan]])
    assert np.diff(added(found, rows))[0] > 1


def test_the_fit_does_not_depend_on_the_order_of_the_lists():
    lists = list(drawn(lambda features: 2 * np.nan_to_num(features[:, 0]), 200, 2))
    one, other = fit_additive(lists, ("bm25", "age")), fit_additive(lists[::-1], ("bm25", "age"))
    rows = np.random.default_rng(1).normal(size=(100, 2))
    np.testing.assert_allclose(added(one, rows), added(other, rows), atol=0.02)


def test_an_order_adds_trees_and_curves_and_survives_the_file(tmp_path):
    lists = [
        LabelledList(features, features[:, NAMES.index("cocited")] > 1.0)
        for features in np.random.default_rng(0).normal(size=(40, 40, len(FEATURES))).astype(np.float32)
    ]
    order = train_order(lists, NAMES, threads=1)
    rows = lists[0].features
    np.testing.assert_allclose(order.predict(rows), order.trees.predict(rows) + added(order.curves, rows))
    assert np.ptp(added(order.curves, rows)) > 0.1
    replace(Blend.load(), order=order).save(tmp_path / "blend.json")
    np.testing.assert_array_equal(Blend.load(tmp_path / "blend.json").first_stage(rows), order.predict(rows))


def curves_of(**changed):
    """The record of the blend that ships, with some of one curve's values changed."""
    record = orjson.loads(DEFAULT.read_bytes())
    record["additive"]["bm25"].update(changed)
    return record


@pytest.mark.parametrize(
    "record",
    [
        curves_of(at=[0.0, 0.0], adds=[1.0, 2.0]),
        curves_of(at=[0.0], adds=[1.0, 2.0]),
        curves_of(at=[], adds=[]),
        curves_of(missing="much"),
        {**curves_of(), "additive": {"bm25": curves_of()["additive"]["bm25"]}},
        {**curves_of(), "additive": 3},
    ],
)
def test_a_damaged_curve_is_refused_in_one_line(tmp_path, record):
    (tmp_path / "blend.json").write_bytes(orjson.dumps(record))
    with pytest.raises(ModelError, match="is missing or damaged") as caught:
        Blend.load(tmp_path / "blend.json")
    assert "\n" not in str(caught.value)
