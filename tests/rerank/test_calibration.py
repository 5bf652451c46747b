"""Chances and fit: against scikit-learn, against their definitions, and what they must never do."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from test_features import SIZE, a_pool

from common.errors import TrainingError
from common.order import EXACT, best_first
from rerank.blend import Blend, standardized_logits
from rerank.calibration import GOOD, LIKELY, PERHAPS, WEAK, Fit, fit_features, likelihood, verdict_of
from rerank.features import NAMES
from retrieval.graph import Evidence
from retrieval.hits import Hits
from retrieval.query import Query
from training.blend import fitting, from_index
from training.blend.asked import QueryLists
from training.blend.fitting import ReadList, fit_logistic, fit_reranker_weight, train_order
from training.blend.from_index import fit_weight, train_blend
from training.blend.lists import LabelledList
from training.blend.pools import IndexPools
from training.queries import HeldOut

NEARNESS = np.asarray([[0.6, 0.05], [0.5, 0.04]])


def examples(seed: int = 0, count: int = 4000):
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(count, 2)) * [1.0, 40.0] + [3.0, 100.0]
    odds = 1.5 * values[:, 0] - 0.03 * values[:, 1] - 3
    return values, generator.random(count) < 1 / (1 + np.exp(-odds))


@pytest.mark.parametrize("balanced", [False, True])
def test_the_logistic_model_is_scikit_learn_s(balanced):
    linear_model = pytest.importorskip("sklearn.linear_model")
    values, truth = examples()
    found = fit_logistic(values, truth, balanced)
    scale = (values - values.mean(0)) / values.std(0)
    judge = linear_model.LogisticRegression(class_weight="balanced" if balanced else None, tol=1e-8).fit(scale, truth)
    np.testing.assert_allclose(found(values), judge.predict_proba(scale)[:, 1], atol=1e-4)


def test_chances_come_true():
    values, truth = examples(1, 20_000)
    chances = fit_logistic(values, truth)(values)
    for low in (0.1, 0.3, 0.5, 0.7):
        within = (chances >= low) & (chances < low + 0.2)
        assert truth[within].mean() == pytest.approx(chances[within].mean(), abs=0.03)


def test_examples_of_one_kind_teach_nothing():
    with pytest.raises(TrainingError, match="nothing to calibrate by"):
        fit_logistic(np.zeros((5, 1)), np.ones(5, np.bool_))


def test_a_chance_rises_with_the_score_and_stays_one():
    scores = np.asarray([-1e9, -5, 0, 0.5, 3, 1e9])
    chances = Blend.load().calibration.chances(scores)
    assert chances[0] == pytest.approx(0) and chances[-1] == pytest.approx(1)
    assert (np.diff(chances[1:-1]) > 0).all()


def test_where_the_index_does_not_fit_all_chances_are_as_much_lower():
    scores = np.asarray([2.0, 0.0])
    blend = Blend.load()
    alone = blend.calibration.chances(scores)
    np.testing.assert_allclose(blend.calibration.chances(scores, Fit(GOOD, "good")), alone)
    np.testing.assert_allclose(blend.calibration.chances(scores, Fit(1.0, "good")), alone)
    np.testing.assert_allclose(blend.calibration.chances(scores, Fit(GOOD / 4, "weak")), alone / 4, rtol=1e-6)


@pytest.mark.parametrize(
    ("chance", "words"), [(1, "likely"), (LIKELY, "likely"), (0.49, "perhaps"), (PERHAPS, "perhaps"), (0, "unlikely")]
)
def test_chances_in_words(chance, words):
    assert likelihood(chance) == words


@pytest.mark.parametrize(("chance", "verdict"), [(GOOD, "good"), (0.49, "weak"), (WEAK, "weak"), (0.01, "none")])
def test_verdicts(chance, verdict):
    assert verdict_of(chance) == verdict


def test_what_a_fit_is_reported_by():
    pool = replace(
        a_pool(),
        term_weights={"dens": 2.0, "graph": 1.0, "zxcv": 3.0},
        term_idf={"dens": 1.5, "graph": 4.0, "zxcv": 0.0},
    )
    found = fit_features(pool, NEARNESS)
    best = np.sort(pool.cosines[:, 1])[::-1]
    weight = 2 * 1.5 + 1 * 4.0 + 3 * pool.rarest_idf  # a word of no paper weighs as the rarest
    expected = [
        pool.hits["bm25"].scores[:10].mean() / weight,
        3 / 6,
        np.log(np.expm1(pool.rarest_idf)),  # the logarithm of how many papers the index holds
        (best[:10].mean() - 0.6) / 0.05,
        (best[:50].mean() - 0.5) / 0.04,
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    by_words = [*expected[:3], np.nan, np.nan]
    np.testing.assert_allclose(fit_features(pool, None), by_words, rtol=1e-5)
    unseen = replace(pool, cosines=np.full_like(pool.cosines, np.nan))
    np.testing.assert_allclose(fit_features(unseen, NEARNESS), by_words, rtol=1e-5)
    assert fit_features(replace(pool, hits={}), NEARNESS) is None


def test_of_a_fifth_of_an_index_a_fifth_of_the_best_is_looked_at():
    pool = replace(a_pool(), term_weights={"dens": 1.0}, term_idf={"dens": 2.0})
    some = np.arange(SIZE) % 5 == 0
    found = fit_features(replace(pool, evidence=Evidence(some, some)), NEARNESS)
    best = np.sort(pool.cosines[:, 1])[::-1]
    near = [(best[:2].mean() - 0.6) / 0.05, (best[:10].mean() - 0.5) / 0.04]  # of the nearest 10 and 50
    np.testing.assert_allclose(found[[0, 3, 4]], [pool.hits["bm25"].scores[:2].mean() / 2.0, *near], rtol=1e-5)
    one = np.arange(SIZE) == 0  # of less than one paper, one
    found = fit_features(replace(pool, evidence=Evidence(one, one)), NEARNESS)
    np.testing.assert_allclose(found[3], (best[0] - 0.6) / 0.05, rtol=1e-5)


@pytest.mark.parametrize("nearness", [NEARNESS, None])
def test_a_fit_is_the_chance_of_what_is_known(nearness):
    blend, pool = Blend.load(), a_pool()
    shares, unknown, size, *near = fit_features(pool, nearness)
    values = [shares, unknown, size] if nearness is None else [shares, unknown, *near]
    by = blend.calibration.fits_by_words if nearness is None else blend.calibration.fits
    chance = 1 / (1 + np.exp(-(np.dot(by.weights, values) + by.bias)))
    fit = blend.calibration.fit(pool, nearness)
    assert (fit.chance, fit.unknown_words) == pytest.approx((chance, unknown))
    if nearness is None:  # a file from before the size of an index was looked at
        older = replace(by, weights=by.weights[:2])
        fit = replace(blend.calibration, fits_by_words=older).fit(pool, None)
        assert fit.chance == pytest.approx(1 / (1 + np.exp(-(np.dot(older.weights, values[:2]) + by.bias))))


def test_an_empty_pool_fits_nothing():
    empty = replace(
        a_pool(), hits={"bm25": Hits.none()}, cosines=np.zeros((0, 4), np.float32), term_weights={"zxcv": 1.0},
        term_idf={"zxcv": 0.0},
    )  # fmt: skip
    fit = Blend.load().calibration.fit(empty, NEARNESS)
    assert fit is not None
    assert fit.verdict == "none"


def pools(name: str, seed: int, queries: int = 20) -> IndexPools:
    """Of each query two lists that differ little; one feature says a little of what is cited, the others nothing."""
    generator = np.random.default_rng(seed)
    lists = []
    for query in range(queries):
        features = generator.normal(size=(80, len(NAMES))).astype(np.float32)
        cited = features[:, 0] + 3 * generator.normal(size=80) > 4
        for form in ("abstract", "title"):
            again = LabelledList(features + generator.normal(scale=0.01, size=features.shape).astype(np.float32), cited)
            docids = np.arange(80, dtype=np.int32)
            lists.append(QueryLists(Query(f"{form} {query}", id=f"q{query}"), again, docids, form, None))
    order = generator.permutation(len(lists))
    return IndexPools(name, False, tuple(lists[place] for place in order), (), (), {}, HeldOut())


@pytest.fixture
def quick(monkeypatch):
    """Trees that learn a small corpus by heart."""
    monkeypatch.setattr(fitting, "PARAMETERS", {**fitting.PARAMETERS, "min_data_in_leaf": 2, "learning_rate": 0.5})
    monkeypatch.setattr(fitting, "ROUNDS", 20)
    monkeypatch.setattr(from_index, "train_order", partial(train_order, threads=1))


def test_chances_learned_of_one_index_are_those_of_queries_that_are_new(quick):
    blend = train_blend([pools("one", 1)], 0).blend
    expected, found = [], []
    for one in pools("one", 2, 100).lists:
        scores = blend.first_stage(one.labelled.features)
        first = np.argsort(-scores)[:20]
        expected.append(blend.calibration.chances(scores[first]).mean())
        found.append(one.labelled.cited[first].mean())
    assert np.mean(expected) == pytest.approx(np.mean(found), abs=0.03)


class Reader:
    """A cross-encoder that knows a little of what is cited."""

    def __init__(self, found: Sequence[IndexPools]) -> None:
        self._lists = {one.query.title: one for index in found for one in index.lists}

    def relevance(self, query: Query, docids: np.ndarray) -> np.ndarray:
        cited = self._lists[query.title].labelled.cited[docids]
        noise = np.random.default_rng(int(query.title.split()[-1])).normal(size=80)[docids]
        return cited + noise


@pytest.mark.parametrize("names", [("one",), ("one", "other")])
@pytest.mark.long
def test_a_cross_encoder_is_weighed_against_orders_that_never_saw_the_query(quick, monkeypatch, names):
    found = [pools(name, seed) for seed, name in enumerate(names)]
    reader = Reader(found)
    monkeypatch.setattr(from_index.Recommender, "open", lambda *_: nullcontext(reader))
    trained = train_blend(found, 0)
    weight = fit_weight(trained, [Path(name) for name in names], found, "any", 20).reranker_weight

    def part_of(index, one):
        if len(found) > 1:
            return index.name
        return list(dict.fromkeys(each.query.id for each in index.lists)).index(one.query.id) % 5

    asked = [(index, one) for index in found for one in index.lists]
    read = []
    for part in dict.fromkeys(part_of(*each) for each in asked):
        others = [one.labelled for index, one in asked if part_of(index, one) != part]
        order = train_order(others, NAMES, 0, threads=1)
        for one in (one for index, one in asked if part_of(index, one) == part):
            scores = order.predict(one.labelled.features)
            top = best_first(scores, one.docids, EXACT)[:20]
            logits = standardized_logits(reader.relevance(one.query, top))
            read.append(ReadList(scores[top], logits, one.labelled.cited[top]))
    assert weight == pytest.approx(fit_reranker_weight(read), rel=1e-3)
