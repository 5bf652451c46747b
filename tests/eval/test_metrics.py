"""Scores against pytrec_eval called directly, and against the formulas."""

import numpy as np
import pytest

from common.errors import SourceError
from eval.metrics import score

pytrec_eval = pytest.importorskip("pytrec_eval")


def random_case(seed, queries=30, papers=2000):
    generator = np.random.default_rng(seed)
    ids = [f"p{i}" for i in range(papers)]
    qrels = {
        f"q{q}": frozenset(generator.choice(ids, generator.integers(1, 40), replace=False)) for q in range(queries)
    }
    run = {query: list(generator.permutation(ids)[: generator.integers(0, 1200)]) for query in qrels}
    for query, cited in qrels.items():  # some answers worth finding
        run[query] = list(dict.fromkeys([*list(cited)[::3], *run[query]]))
    return qrels, run


@pytest.mark.parametrize("seed", range(3))
def test_scores_agree_with_trec_eval(seed):
    qrels, run = random_case(seed)
    ours = score(qrels, run)
    evaluator = pytrec_eval.RelevanceEvaluator(
        {query: dict.fromkeys(cited, 1) for query, cited in qrels.items()},
        {"P_20", "recall_20", "recall_100", "recall_1000"},
    )
    theirs = evaluator.evaluate(
        {query: {paper: float(-place) for place, paper in enumerate(papers)} for query, papers in run.items()}
    )
    precision, recall = (np.mean([found[name] for found in theirs.values()]) for name in ("P_20", "recall_20"))
    assert ours.f1_at_20 == pytest.approx(2 * precision * recall / (precision + recall), abs=1e-6)
    assert ours.recall_at_100 == pytest.approx(np.mean([found["recall_100"] for found in theirs.values()]), abs=1e-6)
    assert ours.recall_at_1000 == pytest.approx(np.mean([found["recall_1000"] for found in theirs.values()]), abs=1e-6)


def test_mrr_looks_at_a_thousand_places_and_no_further():
    fillers = [f"x{i}" for i in range(1500)]
    qrels = {"a": frozenset({"hit"}), "b": frozenset({"hit"}), "c": frozenset({"hit"})}
    run = {"a": ["hit", *fillers], "b": [*fillers[:3], "hit"], "c": [*fillers[:1000], "hit"]}
    assert score(qrels, run).mrr == pytest.approx((1 + 1 / 4 + 0) / 3)


def test_an_unanswered_query_counts_as_zero():
    qrels = {"a": frozenset({"p"}), "b": frozenset({"p"})}
    assert score(qrels, {"a": ["p"]}).recall_at_100 == pytest.approx(0.5)


def test_f1_of_means_and_mean_of_f1_are_two_figures():
    qrels = {"a": frozenset({"p"}), "b": frozenset(f"p{i}" for i in range(20))}
    scores = score(qrels, {"a": ["p"], "b": [f"p{i}" for i in range(10)]})
    precision, recall = (1 / 20 + 10 / 20) / 2, (1 + 10 / 20) / 2
    assert scores.f1_at_20 == pytest.approx(2 * precision * recall / (precision + recall))
    own = [2 * (1 / 20) / (1 / 20 + 1), 0.5]
    assert scores.f1_at_20_per_query == pytest.approx(sum(own) / 2)


@pytest.mark.parametrize(
    ("qrels", "run", "message"),
    [
        ({}, {}, "nothing to score"),
        ({"a": frozenset()}, {"a": ["p"]}, "no gold citation"),
        ({"a": frozenset({"p"})}, {"b": ["p"]}, "do not know"),
        ({"a": frozenset({"p"})}, {"a": ["p", "q", "p"]}, "twice"),
    ],
)
def test_a_wrong_pairing_is_an_error_not_a_better_score(qrels, run, message):
    with pytest.raises(SourceError, match=message):
        score(qrels, run)
