"""The NumPy walk over trees against LightGBM itself."""

import numpy as np
import orjson
import pytest

from common.errors import ModelError, TrainingError
from rerank.blend import SECOND_STAGE_FEATURES, Blend, with_reranker
from rerank.blend_training import LabelledList, train_trees
from rerank.features import FEATURES
from rerank.trees import Trees

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


def test_no_rows_give_no_predictions():
    trees = Trees.from_lightgbm(
        lightgbm.train({"verbose": -1}, lightgbm.Dataset(random_rows(100, 2, 0), np.arange(100.0)), 2).dump_model()
    )
    assert trees.predict(np.zeros((0, 2))).shape == (0,)


def lists(count, signal, seed=0):
    """Lists in which the column `signal` tells what is cited."""
    generator = np.random.default_rng(seed)
    for _ in range(count):
        features = generator.normal(size=(40, len(FEATURES))).astype(np.float32)
        yield LabelledList(features, features[:, signal] > 1.0)


def test_training_finds_the_feature_that_tells_what_is_cited():
    trees = train_trees(list(lists(60, signal=6)), FEATURES, threads=1)
    unseen = next(lists(1, signal=6, seed=99))
    best = np.argsort(-trees.predict(unseen.features))[: unseen.cited.sum()]
    assert unseen.cited[best].mean() > 0.9


def test_lists_without_a_cited_paper_are_an_error():
    nothing = [LabelledList(np.zeros((5, len(FEATURES)), np.float32), np.zeros(5, bool))]
    with pytest.raises(TrainingError, match="nothing to learn"):
        train_trees(nothing, FEATURES)


def test_a_blend_survives_the_file(tmp_path):
    first = train_trees(list(lists(30, 2)), FEATURES, threads=1)
    blend = Blend(first, None)
    blend.save(tmp_path / "blend.json")
    unseen = next(lists(1, 2, seed=5)).features
    np.testing.assert_array_equal(Blend.load(tmp_path / "blend.json").first_stage(unseen), blend.first_stage(unseen))


@pytest.mark.parametrize("content", ["", "{}", '{"first": 3, "second": null}', "[1, 2"])
def test_a_damaged_blend_is_refused_in_one_line(tmp_path, content):
    path = tmp_path / "blend.json"
    path.write_text(content)
    with pytest.raises(ModelError) as caught:
        Blend.load(path)
    assert "\n" not in str(caught.value)


def test_a_blend_for_other_features_is_refused(tmp_path):
    trees = train_trees(list(lists(30, 2)), [f"f{i}" for i in range(len(FEATURES))], threads=1)
    Blend(trees, None).save(tmp_path / "blend.json")
    with pytest.raises(ModelError, match="other features"):
        Blend.load(tmp_path / "blend.json")


def test_the_reranker_becomes_a_logit_relative_to_the_best():
    features = np.zeros((3, len(FEATURES)), np.float32)
    added = with_reranker(features, np.array([0.5, 0.9, 1.0]))[:, -1]
    assert len(SECOND_STAGE_FEATURES) == len(FEATURES) + 1
    assert added[2] == 0 and added[0] < added[1] < 0
    np.testing.assert_allclose(added[1] - added[0], np.log(9), rtol=1e-5)
