"""Training of the blend, on lists of candidates, one list a query.

The trees by LambdaMART (Burges 2010, as LightGBM has it), the additive model and the weight of the cross-encoder by
maximum likelihood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.errors import ModelError, TrainingError, extra_needed
from rerank.calibration import Logistic
from rerank.features import Direction
from rerank.learned_order import Curve, LearnedOrder
from rerank.trees import Trees
from training.blend.additive import BOUNDS, directions_of, fit_additive
from training.blend.lists import TREES_WORTH, LabelledList

# Compared on held-out corpora; see docs/experiments.md.
PARAMETERS = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 20,
    "learning_rate": 0.08,
    "num_leaves": 7,
    "min_data_in_leaf": 100,
    "feature_fraction": 0.7,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "verbose": -1,
    "deterministic": True,
    "force_row_wise": True,
}
ROUNDS = 200
# What the additive model counts beside the trees, whose scores are on a scale of their own.
ADDITIVE_SHARE = 0.7
_NOTHING = Curve(np.zeros(1), np.zeros(1), 0.0)
# Curves that are not learned: citations do not tell whether a paper was asked for by its rare words.
CHOSEN = {
    name: Curve(np.asarray([0.0, 1.0]), np.asarray([0.0, most]), 0.0)
    for name, most in (("rare_words", 4.0), ("sentence_rare_words", 3.0))
}


def train_order(
    lists: Sequence[LabelledList], names: Sequence[str], seed: int = 0, threads: int = 0, additive: bool = True
) -> LearnedOrder:
    """Fit trees and, with `additive`, the additive model; else it has the CHOSEN curves alone.

    Lists without a cited candidate are left out.

    Raises:
        TrainingError: no list holds a cited candidate.
        ModelError: LightGBM is not installed.
    """
    generator = np.random.default_rng(seed)
    useful = [one.sampled(generator) for one in lists if one.cited.any()]
    if not useful:
        raise TrainingError("no query has a cited paper among its candidates: nothing to learn from")
    trees = _train_trees(useful, names, seed, threads)
    learned = fit_additive(useful, names) if additive else [_NOTHING] * len(names)
    curves = (CHOSEN.get(name, curve.times(ADDITIVE_SHARE)) for name, curve in zip(names, learned, strict=True))
    return LearnedOrder(trees, tuple(curves))


def _train_trees(lists: Sequence[LabelledList], names: Sequence[str], seed: int, threads: int) -> Trees:
    with extra_needed(ModelError, "training the blend needs LightGBM", "train"):
        import lightgbm
    data = lightgbm.Dataset(
        np.concatenate([one.features for one in lists]),
        np.concatenate([one.grades for one in lists]),
        group=[len(one.cited) for one in lists],
        feature_name=list(names),
    )
    parameters = {**PARAMETERS, "seed": seed, "num_threads": threads, "monotone_constraints": directions_of(names)}
    parameters["label_gain"] = list(TREES_WORTH)
    booster = lightgbm.train(parameters, data, ROUNDS)
    return Trees.from_lightgbm(booster.dump_model())


def fit_logistic(
    values: NDArray[np.floating],
    truth: NDArray[np.bool_],
    balanced: bool = False,
    directions: Sequence[Direction] | None = None,
) -> Logistic:
    """The logistic model of largest likelihood, for `values` (n, features) of which `truth` (n,) holds.

    With `balanced` the examples that hold weigh as much together as the others. `directions` are the signs that the
    weights of the features may have, so that evidence never counts against what it is evidence of. Weights are of
    standardised values, with a penalty of half their squares, which only matters where values separate all.

    Raises:
        TrainingError: all or none of `truth` holds.
    """
    from scipy.optimize import minimize
    from scipy.special import expit

    if truth.all() or not truth.any():
        raise TrainingError("there is nothing to calibrate by: all examples are of one kind")
    middle, spread = values.mean(axis=0), np.maximum(values.std(axis=0), 1e-9)
    rows = np.column_stack([(values - middle) / spread, np.ones(len(values))])
    signs = np.where(truth, 1.0, -1.0)
    worth = np.where(truth, 0.5 / truth.mean(), 0.5 / (~truth).mean()) if balanced else np.ones(len(truth))

    def loss(weights: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        margins = signs * (rows @ weights)
        gradient = -(worth * signs * expit(-margins)) @ rows
        gradient[:-1] += weights[:-1]
        return float(worth @ np.logaddexp(0, -margins) + 0.5 * weights[:-1] @ weights[:-1]), gradient

    bounds = [BOUNDS[direction] for direction in directions or [0] * values.shape[1]]
    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", bounds=[*bounds, BOUNDS[0]]).x
    weights = found[:-1] / spread
    return Logistic(tuple(map(float, weights)), float(found[-1] - weights @ middle))


@dataclass(frozen=True, slots=True)
class ReadList:
    """The candidates of one query that a cross-encoder has read."""

    scores: NDArray[np.float64]  # (n,) of the trees
    logits: NDArray[np.float64]  # (n,) standardized, of the cross-encoder
    cited: NDArray[np.bool_]  # (n,)


def fit_reranker_weight(lists: Sequence[ReadList]) -> float:
    """How much the cross-encoder's logits weigh beside the trees, at least 0.

    Candidates are drawn with odds exp(a · score + b · logits); a and b make it most probable that a cited one is drawn
    from every list, and b / a is the weight. This is the maximum likelihood of a cited paper standing first, and not
    of all cited papers standing high, which the trees see to.

    Raises:
        TrainingError: no list holds cited and other candidates.
    """
    from scipy.optimize import minimize

    useful = [one for one in lists if one.cited.any() and not one.cited.all()]
    if not useful:
        raise TrainingError("no list that was read holds cited and other papers: nothing to learn from")
    scores, logits, cited = (np.concatenate([getattr(one, name) for one in useful]) for name in ReadList.__slots__)
    starts = np.cumsum([0, *(len(one.cited) for one in useful[:-1])])

    def loss(factors: NDArray[np.float64]) -> float:
        odds = factors[0] * scores + factors[1] * logits
        drawn = np.logaddexp.reduceat(np.where(cited, odds, -np.inf), starts)
        return -float(np.mean(drawn - np.logaddexp.reduceat(odds, starts)))

    scale, weight = minimize(loss, (1.0, 0.1), method="Nelder-Mead").x
    return max(float(weight / scale), 0.0) if scale > 0 else 0.0
