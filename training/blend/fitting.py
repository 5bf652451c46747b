"""Training of the blend, on lists of candidates, one list a query.

The trees by LambdaMART (Burges 2010, as LightGBM has it), the weight of the cross-encoder by maximum likelihood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.errors import ModelError, TrainingError
from rerank.calibration import Logistic
from rerank.context_features import EVERY_FEATURE
from rerank.features import Direction, Features
from rerank.trees import Trees

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
# What a cited paper is worth by how often it is cited already, from the least cited quarter of an index to the most
# cited: with one worth for all, lists hold papers that are cited more often than those that people cite.
_WORTH = (1.3, 1.2, 1.1, 1.0)

# Candidates of a list that are learned from beside the cited ones: the first, and so many drawn from the others.
_FIRST, _OTHERS = 80, 100


@dataclass(frozen=True, slots=True)
class LabelledList:
    """The candidates of one query."""

    features: Features  # (n, features)
    cited: NDArray[np.bool_]  # (n,)
    # (n,) which share of an index's cited papers is cited no more often than this one; without, all are worth the same
    popular: NDArray[np.float64] | None = None

    @property
    def grades(self) -> NDArray[np.int64]:
        """0, or of a cited paper 1 + its place in _WORTH from the end, shape (n,)."""
        if self.popular is None:
            return self.cited.astype(np.int64)
        steps = np.minimum((len(_WORTH) * (1 - self.popular)).astype(np.int64), len(_WORTH) - 1)
        return np.where(self.cited, 1 + steps, 0)

    def only(self, kept: NDArray[np.bool_]) -> LabelledList:
        """Some of the candidates."""
        return LabelledList(self.features[kept], self.cited[kept], None if self.popular is None else self.popular[kept])


def train_trees(lists: Sequence[LabelledList], names: Sequence[str], seed: int = 0, threads: int = 0) -> Trees:
    """Fit the trees. Lists without a cited candidate teach nothing and are left out.

    Of each list all cited candidates, the first ones and a sample of the others are learned from: most of a pool is
    alike, and the whole takes three times as long.

    Raises:
        TrainingError: no list holds a cited candidate.
        ModelError: LightGBM is not installed.
    """
    try:
        import lightgbm
    except (ImportError, OSError) as error:
        raise ModelError(f"training the blend needs LightGBM: pip install 'citescout[train]' ({error})") from None
    generator = np.random.default_rng(seed)
    useful = [_sampled(one, generator) for one in lists if one.cited.any()]
    if not useful:
        raise TrainingError("no query has a cited paper among its candidates: nothing to learn from")
    data = lightgbm.Dataset(
        np.concatenate([one.features for one in useful]),
        np.concatenate([one.grades for one in useful]),
        group=[len(one.cited) for one in useful],
        feature_name=list(names),
    )
    direction_of = {feature.name: feature.direction for feature in EVERY_FEATURE}
    directions = [direction_of.get(name, 0) for name in names]
    parameters = {**PARAMETERS, "seed": seed, "num_threads": threads, "monotone_constraints": directions}
    parameters["label_gain"] = [0.0, *reversed(_WORTH)]
    booster = lightgbm.train(parameters, data, ROUNDS)
    return Trees.from_lightgbm(booster.dump_model())


def _sampled(one: LabelledList, generator: np.random.Generator) -> LabelledList:
    kept = one.cited.copy()
    kept[:_FIRST] = True
    kept[generator.permutation(np.flatnonzero(~kept))[:_OTHERS]] = True
    return one.only(kept)


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

    allowed = {-1: (None, 0.0), 0: (None, None), 1: (0.0, None)}
    bounds = [allowed[direction] for direction in directions or [0] * values.shape[1]]
    found = minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B", bounds=[*bounds, (None, None)]).x
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
