"""What each feature of the blend is worth on a corpus that the blend never saw.

For every index in turn the blend is trained on the validation queries of all others and tested on those of the index,
with all features and without one group (or one feature) of them. The queries of a single index are parted in five, and
each part is answered by a blend of the other four.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.query_years import view_for
from common.errors import SourceError
from common.order import EXACT, best_first
from common.processes import in_processes
from common.progress import progress
from eval.experiments.asking import open_with_vectors, validation_set
from eval.experiments.base import NEWEST, Experiment, Inputs, register
from eval.experiments.findings import Findings, Measured, Panel, counts_of, rows_of
from eval.metrics import score_queries
from rerank.blend import TRAINING_DEPTH
from rerank.features import FEATURES, NAMES
from training.blend.fitting import train_order
from training.blend.lists import LabelledList


@dataclass(frozen=True, slots=True)
class QueryFeatures:
    """One query's candidates, in the order of the pool."""

    query: str  # id
    labelled: LabelledList
    docids: NDArray[np.int32]  # (n,) papers
    gold: frozenset[int]  # docids of the papers that it cites, in the pool or not


def query_features(directory: Path, queries: int, seed: int, newest: int = NEWEST) -> tuple[QueryFeatures, ...]:
    """Of the queries of one index.

    Raises:
        SourceError: the index has no paper to ask, or no vectors.
        IndexDirectoryError, ModelError: see `Recommender.open`.
    """
    made = []
    with open_with_vectors(directory) as recommender:
        tests = validation_set(recommender.generation, queries, seed, newest)
        masked = view_for(recommender, tests.queries)
        for query in progress(tests.queries, directory.name, len(tests.queries)):
            pool = masked.pool(query)
            features = masked.features(pool, query)[:TRAINING_DEPTH]
            docids = pool.docids[:TRAINING_DEPTH]
            gold = frozenset(recommender.generation.catalog.docids(tests.qrels[query.id]).values())
            labelled = LabelledList(features, np.isin(docids, sorted(gold)))
            made.append(QueryFeatures(query.id, labelled, docids, gold))
    return tuple(made)


GROUPS: Mapping[str, tuple[str, ...]] = {
    group: tuple(one.name for one in FEATURES if one.group == group)
    for group in dict.fromkeys(feature.group for feature in FEATURES)
}

PARTS = 5  # of the queries, where there is one index
ALL, OTHER_SEED, FUSED = "all features", "all features, another seed", "no blend: fused ranks"


# Queries of all indexes in their order, with the group of each: what one group asks is learned from the others.
_Grouped = Sequence[tuple[int, QueryFeatures]]


@dataclass(frozen=True, slots=True)
class _Fold:
    """One training and its test."""

    test: int  # the group that is tested
    missing: tuple[str, ...]  # features
    seed: int


def run(inputs: Inputs) -> Findings:
    """Train and test without each group.

    Raises:
        SourceError: an index that cannot be asked, or a single one with too few queries to be parted.
        ModelError: LightGBM is not installed.
        TrainingError: no query of the other indexes has a cited paper among its candidates.
    """
    parts = {name: (name,) for name in NAMES} if inputs.single else dict(GROUPS)
    return ablation(inputs, parts)


def ablation(inputs: Inputs, parts: Mapping[str, tuple[str, ...]]) -> Findings:
    """`run` for any parts of the features."""
    asked = [query_features(one, inputs.queries, inputs.seed, inputs.newest) for one in inputs.directories]
    single = len(asked) == 1
    if single and len(asked[0]) < PARTS:
        raise SourceError(f"{inputs.directories[0]} has fewer than {PARTS} queries, too few to learn from some of them")
    variants = {
        ALL: ((), inputs.seed),
        OTHER_SEED: ((), inputs.seed + 1),
        **{f"without {name}": (features, inputs.seed) for name, features in parts.items()},
    }
    groups = range(PARTS if single else len(asked))
    grouped = [
        (place % PARTS if single else number, one)
        for number, queries in enumerate(asked)
        for place, one in enumerate(queries)
    ]
    folds = [_Fold(group, missing, seed) for missing, seed in variants.values() for group in groups]
    # LightGBM's threads wait for each other more than they work where others use the cores too: processes instead.
    ordered = in_processes(_order, folds, inputs.jobs, partial(_keep, grouped))
    names = [directory.name for directory in inputs.directories]
    measured = {}
    for variant in variants:
        orders = dict(chain.from_iterable(one.items() for one in islice(ordered, len(groups))))
        measured[variant] = _measured(names, asked, [orders[place] for place in range(len(grouped))])
    measured[FUSED] = _measured(names, asked, [range(len(one.docids)) for _, one in grouped])  # as they are
    rows = rows_of(measured, ("F1@20", "nDCG@20", "R@100"), seed=inputs.seed)
    compared = [row for row in rows if row.against and row.name != FUSED]
    panel = Panel(
        "points",
        tuple(row.name for row in compared),
        {"difference": [row.against.interval for row in compared if row.against]},
        f"F1@20 − that of {ALL}",
    )
    how = f"The queries were parted in {PARTS}, each part" if single else "Each corpus"
    notes = (f"{how} is answered by a blend of the others. '{OTHER_SEED}' shows what chance in the training does.",)
    return Findings(rows, counts_of(measured), (panel,), notes=notes)


def _measured(
    names: Sequence[str], asked: Sequence[Sequence[QueryFeatures]], orders: Sequence[Sequence[int]]
) -> Measured:
    """Scores of candidates in other orders: positions in the lists of all queries, best first."""
    scores, order = {}, iter(orders)
    for name, queries in zip(names, asked, strict=True):
        qrels = {one.query: frozenset(map(str, one.gold)) for one in queries}
        run = {one.query: [str(one.docids[at]) for at in next(order)] for one in queries}
        scores[name] = score_queries(qrels, run)
    return Measured(scores)


# What a process has been given, once for all of its folds.
_kept: list[_Grouped] = []


def _keep(grouped: _Grouped) -> None:
    _kept[:] = [grouped]


def _order(fold: _Fold) -> dict[int, list[int]]:
    """By place of a query, the positions in its list, best first."""
    (grouped,) = _kept
    keep = [column for column, name in enumerate(NAMES) if name not in fold.missing]
    learned = [one.labelled.of_columns(keep) for group, one in grouped if group != fold.test]
    order = train_order(learned, [NAMES[column] for column in keep], fold.seed, threads=1)
    return {
        place: best_first(order.predict(one.labelled.of_columns(keep).features), one.docids, EXACT).tolist()
        for place, (group, one) in enumerate(grouped)
        if group == fold.test
    }


register(
    Experiment("blend-features", "What is each feature worth on a corpus that was not learned from?", run, ("single",))
)
