"""The NumPy walk over trees against LightGBM itself."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import orjson
import pytest

from common.errors import ModelError, TrainingError
from rerank.blend import Blend, standardized_logits
from rerank.features import FEATURES, NAMES
from rerank.trees import Trees
from training.blend.fitting import ReadList, fit_reranker_weight, train_order
from training.blend.lists import LabelledList

lightgbm = pytest.importorskip("lightgbm")


def random_rows(rows, columns, seed, missing=0.1):
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(rows, columns)).astype(np.float32)
    features[generator.random(features.shape) < missing] = np.nan
    return features


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_predictions_equal_those_of_lightgbm_also_for_missing_values(missing):
    train = random_rows(2000, 6, 0, missing)
    target = np.nan_to_num(train[:, 0]) * 2 + (np.nan_to_num(train[:, 1]) > 0.3) + np.isnan(train[:, 2])
    booster = lightgbm.train(
        {"objective": "regression", "num_leaves": 9, "verbose": -1, "num_threads": 1},
        lightgbm.Dataset(train, target),
        30,
    )
    rows = random_rows(1500, 6, 1, 0.2)
    trees = Trees.from_lightgbm(booster.dump_model())
    np.testing.assert_allclose(trees.predict(rows), booster.predict(rows), rtol=1e-6, atol=1e-6)


def test_a_saved_record_predicts_the_same():
    train = random_rows(500, 3, 2)
    booster = lightgbm.train(
        {"objective": "regression", "num_leaves": 5, "verbose": -1},
        lightgbm.Dataset(train, np.nan_to_num(train[:, 0])),
        5,
    )
    trees = Trees.from_lightgbm(booster.dump_model())
    again = Trees.from_record(orjson.loads(orjson.dumps(trees.to_record())))
    np.testing.assert_array_equal(trees.predict(train), again.predict(train))


@pytest.mark.parametrize("leaves", [2, 8, 9, 40, 64])
def test_predictions_equal_those_of_lightgbm_whatever_the_number_of_leaves(leaves):
    train = random_rows(4000, 6, 5)
    booster = lightgbm.train(
        {"objective": "regression", "num_leaves": leaves, "min_data_in_leaf": 5, "verbose": -1, "num_threads": 1},
        lightgbm.Dataset(train, np.nan_to_num(train).prod(axis=1)),
        3,
    )
    rows = random_rows(700, 6, 6, 0.2)
    trees = Trees.from_lightgbm(booster.dump_model())
    assert max(map(len, trees.value)) == 2 * leaves - 1
    np.testing.assert_allclose(trees.predict(rows), booster.predict(rows), rtol=1e-6, atol=1e-6)


def test_a_tree_of_more_leaves_than_bits_is_refused():
    train = random_rows(4000, 2, 7)
    parameters = {"num_leaves": 65, "min_data_in_leaf": 1, "verbose": -1, "num_threads": 1}
    booster = lightgbm.train(parameters, lightgbm.Dataset(train, np.nan_to_num(train[:, 0])), 1)
    with pytest.raises(ValueError, match="65 leaves"):
        Trees.from_lightgbm(booster.dump_model())


def test_a_tree_that_asks_nothing_adds_its_only_leaf():
    booster = lightgbm.train(
        {"verbose": -1, "num_threads": 1}, lightgbm.Dataset(np.zeros((50, 2)), np.full(50, 3.0)), 2
    )
    trees = Trees.from_lightgbm(booster.dump_model())
    np.testing.assert_allclose(trees.predict(random_rows(9, 2, 8)), 3.0)


def test_no_rows_give_no_predictions():
    trees = Trees.from_lightgbm(
        lightgbm.train({"verbose": -1}, lightgbm.Dataset(random_rows(100, 2, 0), np.arange(100.0)), 2).dump_model()
    )
    assert trees.predict(np.zeros((0, 2))).shape == (0,)


def path_means(trees, features, tree):
    """Contributions of one tree by following every row alone: an oracle without arrays."""

    def path(row):
        node, found = 0, [0]
        while trees.feature[tree, node] >= 0:
            x = row[trees.feature[tree, node]]
            left = trees.missing_left[tree, node] if np.isnan(x) else x <= trees.threshold[tree, node]
            node = int(trees.left[tree, node] if left else trees.right[tree, node])
            found.append(node)
        return found

    paths = [path(row) for row in features]

    def mean(node):
        return np.mean([trees.value[tree, one[-1]] for one in paths if node in one])

    added = np.zeros(features.shape)
    for row, one in enumerate(paths):
        for node, child in pairwise(one):
            added[row, trees.feature[tree, node]] += mean(child) - mean(node)
    return mean(0), added


def test_contributions_are_the_steps_along_every_path_and_sum_to_the_score():
    train = random_rows(800, 5, 3)
    target = np.nan_to_num(train[:, 0]) + (np.nan_to_num(train[:, 1]) > 0) * np.nan_to_num(train[:, 2])
    parameters = {"objective": "regression", "num_leaves": 7, "verbose": -1, "num_threads": 1, "min_data_in_leaf": 5}
    booster = lightgbm.train(parameters, lightgbm.Dataset(train[:, :4], target), 12)
    trees = Trees.from_lightgbm(booster.dump_model())
    rows = random_rows(60, 4, 4).astype(np.float64)
    found = trees.contributions(rows)
    np.testing.assert_allclose(found.base + found.values.sum(1), booster.predict(rows), atol=1e-9)
    assert found.base == pytest.approx(trees.predict(rows).mean())
    expected = [path_means(trees, rows, tree) for tree in range(12)]
    np.testing.assert_allclose(found.values, sum(added for _, added in expected), atol=1e-9)
    assert found.names == trees.names


def test_a_feature_that_no_tree_asks_contributes_nothing_and_no_rows_are_no_error():
    train = np.column_stack([np.arange(200.0), np.zeros(200)])
    booster = lightgbm.train({"verbose": -1, "num_threads": 1}, lightgbm.Dataset(train, train[:, 0]), 3)
    trees = Trees.from_lightgbm(booster.dump_model())
    found = trees.contributions(train)
    assert np.ptp(found.values[:, 0]) > 0
    assert not found.values[:, 1].any()
    assert trees.contributions(np.zeros((0, 2))).values.shape == (0, 2)


def test_the_blend_that_ships_explains_its_scores_before_and_after_the_cross_encoder():
    blend = Blend.load()
    generator = np.random.default_rng(0)
    features = generator.normal(size=(50, len(FEATURES))).astype(np.float32)
    logits = generator.normal(0, 3, 50)
    contributions = blend.contributions(features)
    np.testing.assert_allclose(contributions.base + contributions.values.sum(1), blend.first_stage(features), atol=1e-9)
    assert contributions.names == NAMES
    contributions = blend.contributions(features, standardized_logits(logits))
    np.testing.assert_allclose(
        contributions.base + contributions.values.sum(1),
        blend.second_stage(blend.first_stage(features), logits),
        atol=1e-9,
    )
    assert contributions.names == (*NAMES, "reranker")


def lists(count, signal, seed=0):
    """Lists in which the column `signal` tells what is cited."""
    generator = np.random.default_rng(seed)
    for _ in range(count):
        features = generator.normal(size=(40, len(FEATURES))).astype(np.float32)
        yield LabelledList(features, features[:, signal] > 1.0)


def test_training_finds_the_feature_that_tells_what_is_cited():
    signal = NAMES.index("cocited")
    order = train_order(list(lists(60, signal)), NAMES, threads=1)
    unseen = next(lists(1, signal, seed=99))
    best = np.argsort(-order.predict(unseen.features))[: unseen.cited.sum()]
    assert unseen.cited[best].mean() > 0.9


@pytest.mark.parametrize(("name", "sign"), [("bm25_share", 1), ("cited_rate", 1), ("text_rank", -1)])
def test_what_the_text_says_for_a_paper_is_never_learnt_to_speak_against_it(name, sign):
    place = NAMES.index(name)
    wrong = [LabelledList(one.features, sign * one.features[:, place] < -0.5) for one in lists(60, place)]
    order = train_order(wrong, NAMES, threads=1)
    rows = np.repeat(random_rows(20, len(FEATURES), 9, 0), 30, axis=0).reshape(20, 30, -1)
    rows[:, :, place] = np.linspace(-3, 3, 30)
    scores = np.stack([order.predict(one) for one in rows])
    assert (sign * np.diff(scores, axis=1) >= -1e-9).all()


@pytest.mark.parametrize("feature", [one for one in FEATURES if one.direction], ids=lambda one: one.name)
def test_more_evidence_never_lowers_a_paper_in_the_orders_that_ship(feature):
    rows = np.repeat(random_rows(40, len(FEATURES), 9, 0), 60, axis=0).reshape(40, 60, -1)
    rows[:, :, NAMES.index(feature.name)] = np.linspace(-6, 12, 60)
    shipped = Blend.load()
    for order in (shipped.order, shipped.without_citations.order):
        places = [NAMES.index(name) for name in order.names]
        scores = np.stack([order.predict(one[:, places]) for one in rows])
        assert (feature.direction * np.diff(scores, axis=1) >= -1e-9).all()


def test_of_cited_papers_those_that_are_cited_least_are_worth_most():
    cited, popular = np.asarray([True, True, True, True, False]), np.asarray([1.0, 0.6, 0.3, 0.0, 0.0])
    features = np.zeros((5, len(FEATURES)), np.float32)
    assert LabelledList(features, cited, popular).grades.tolist() == [1, 2, 3, 4, 0]
    assert LabelledList(features, cited).grades.tolist() == [1, 1, 1, 1, 0]
    generator = np.random.default_rng(0)
    known, unknown = NAMES.index("cocited"), NAMES.index("bm25")
    for least, most in ((known, unknown), (unknown, known)):  # one column names the little cited ones, one the others
        learned = []
        for _ in range(150):
            features = generator.normal(size=(40, len(FEATURES))).astype(np.float32)
            signs = features[:, [least, most]] > 1
            learned.append(LabelledList(features, signs.any(1), np.where(signs[:, 0], 0.0, 1.0)))
        order = train_order(learned, NAMES, threads=1)
        rows = np.zeros((2, len(FEATURES)), np.float32)
        rows[0, least], rows[1, most] = 2, 2
        scores = order.predict(rows)
        assert scores[0] > scores[1]


def test_lists_without_a_cited_paper_are_an_error():
    nothing = [LabelledList(np.zeros((5, len(FEATURES)), np.float32), np.zeros(5, bool))]
    with pytest.raises(TrainingError, match="nothing to learn"):
        train_order(nothing, NAMES)


def test_a_blend_survives_the_file(tmp_path):
    blend = replace(Blend.load(), order=train_order(list(lists(30, 2)), NAMES, threads=1), reranker_weight=0.5)
    blend.save(tmp_path / "blend.json")
    unseen = next(lists(1, 2, seed=5)).features
    logits = np.random.default_rng(0).normal(0, 3, len(unseen))
    again = Blend.load(tmp_path / "blend.json")
    scores = blend.first_stage(unseen)
    np.testing.assert_array_equal(again.first_stage(unseen), scores)
    np.testing.assert_array_equal(again.second_stage(scores, logits), blend.second_stage(scores, logits))


@pytest.mark.parametrize("content", ["", "{}", '{"trees": 3, "reranker_weight": 0}', "[1, 2"])
def test_a_damaged_blend_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "blend.json"
    path.write_text(content)
    with pytest.raises(ModelError) as caught:
        Blend.load(path)
    assert "\n" not in str(caught.value)


def test_a_blend_for_other_features_is_refused(tmp_path):
    order = train_order(list(lists(30, 2)), [f"f{i}" for i in range(len(FEATURES))], threads=1)
    without_citations = replace(Blend.load().without_citations, order=order)
    replace(Blend.load(), order=order, without_citations=without_citations).save(tmp_path / "blend.json")
    with pytest.raises(ModelError, match=r"not known here \(f0, f1, f10\)"):
        Blend.load(tmp_path / "blend.json")


def test_standardized_logits_do_not_depend_on_the_scale_of_the_logits():
    odds = np.array([-2.0, 0.5, 1.0, 4.0])
    for factor, shift in ((0.1, 3), (2, 0), (1, 17)):  # the last are probabilities of 1 in 32 bits
        found = standardized_logits((factor * odds + shift).astype(np.float32))
        np.testing.assert_allclose(found, (odds - odds.mean()) / odds.std(), rtol=1e-5)


@pytest.mark.parametrize("logits", [[], [0.3], [0.7, 0.7, 0.7], [-20.0, -20.0]])
def test_equal_logits_give_zeros(logits):
    assert standardized_logits(np.array(logits)).tolist() == [0.0] * len(logits)


def draws(weight, count=3000, seed=0):
    """Lists of ten of which one is cited, drawn with odds exp(2 · (score + weight · logits))."""
    generator = np.random.default_rng(seed)
    for _ in range(count):
        scores, logits = generator.normal(size=(2, 10))
        odds = np.exp(2 * (scores + weight * logits))
        yield ReadList(scores, logits, np.arange(10) == generator.choice(10, p=odds / odds.sum()))


@pytest.mark.parametrize("weight", [0.0, 0.25, 1.5])
def test_the_weight_of_the_cross_encoder_is_found_again(weight):
    assert fit_reranker_weight(list(draws(weight))) == pytest.approx(weight, abs=0.07)


def test_a_cross_encoder_that_is_wrong_gets_no_weight():
    assert fit_reranker_weight(list(draws(-1.0, 500))) == 0


def test_lists_that_tell_nothing_apart_fit_no_weight():
    every, none = np.ones(3, bool), np.zeros(3, bool)
    with pytest.raises(TrainingError, match="nothing to learn"):
        fit_reranker_weight([ReadList(np.arange(3.0), np.arange(3.0), cited) for cited in (every, none)])
