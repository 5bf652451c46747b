"""Training of the blend: LambdaMART on lists of candidates, one list a query (Burges 2010, as LightGBM has it)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.errors import ModelError, TrainingError
from rerank.features import FALLING, RISING, Features
from rerank.trees import Trees

# Compared on held-out corpora; see docs/experiments.md.
PARAMETERS = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 30,
    "learning_rate": 0.05,
    "num_leaves": 7,
    "min_data_in_leaf": 100,
    "feature_fraction": 0.7,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "verbose": -1,
    "deterministic": True,
    "force_row_wise": True,
}
ROUNDS = 400


@dataclass(frozen=True, slots=True)
class LabelledList:
    """The candidates of one query."""

    features: Features  # (n, features)
    cited: NDArray[np.bool_]  # (n,)


def train_trees(lists: Sequence[LabelledList], names: Sequence[str], seed: int = 0, threads: int = 0) -> Trees:
    """Fit the trees. Lists without a cited candidate teach nothing and are left out.

    Raises:
        TrainingError: no list holds a cited candidate.
        ModelError: LightGBM is not installed.
    """
    try:
        import lightgbm
    except (ImportError, OSError) as error:
        raise ModelError(f"training the blend needs LightGBM: pip install 'citescout[train]' ({error})") from None
    useful = [one for one in lists if one.cited.any()]
    if not useful:
        raise TrainingError("no query has a cited paper among its candidates: nothing to learn from")
    data = lightgbm.Dataset(
        np.concatenate([one.features for one in useful]),
        np.concatenate([one.cited for one in useful]).astype(int),
        group=[len(one.cited) for one in useful],
        feature_name=list(names),
    )
    directions = [(name in RISING) - (name in FALLING) for name in names]
    parameters = {**PARAMETERS, "seed": seed, "num_threads": threads, "monotone_constraints": directions}
    booster = lightgbm.train(parameters, data, ROUNDS)
    return Trees.from_lightgbm(booster.dump_model())
