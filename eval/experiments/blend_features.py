"""What each feature of the blend is worth on a corpus that the blend never saw.

For every index in turn the blend is trained on the validation queries of all others and tested on those of the index,
with all features and without one group (or one feature) of them. The queries of a single index are parted in five, and
each part is answered by a blend of the other four.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common.errors import SourceError
from common.order import EXACT, best_first
from common.processes import in_processes
from common.progress import progress
from eval.experiments.asking import open_with_vectors, validation_set
from eval.experiments.base import NEWEST, Experiment, Inputs, register
from eval.experiments.findings import Findings, Measured, Panel, counts_of, rows_of
from eval.metrics import QueryScores, score_queries
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
        masked = recommender.without_citations_of(tests.qrels)
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


# Query → positions in its list, best first.
Orders = Mapping[str, Sequence[int]]
_Asked = Sequence[Sequence[QueryFeatures]]  # the queries of every index


@dataclass(frozen=True, slots=True)
class _Fold:
    """One training and its test."""

    test: int  # the index, by its place among all; the others are learned from
    part: int | None  # of the queries of the one index, which are tested; the others are learned from
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
    folds = [
        _Fold(test, part, missing, seed)
        for missing, seed in variants.values()
        for test in range(len(asked))
        for part in (range(PARTS) if single else (None,))
    ]
    scores = _scored(asked, folds, PARTS if single else 1, inputs.jobs)
    names = [directory.name for directory in inputs.directories]
    measured = {variant: Measured({name: next(scores) for name in names}) for variant in variants}
    pools = ([range(len(one.docids)) for one in queries] for queries in asked)  # as they are
    measured[FUSED] = Measured(dict(zip(names, map(scores_by, asked, pools), strict=True)))
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


def scores_by(queries: Sequence[QueryFeatures], orders: Iterable[Sequence[int]]) -> QueryScores:
    """Scores of candidates in other orders: positions in each query's list, best first."""
    qrels = {one.query: frozenset(map(str, one.gold)) for one in queries}
    run = {one.query: [str(one.docids[at]) for at in order] for one, order in zip(queries, orders, strict=True)}
    return score_queries(qrels, run)


def _scored(asked: _Asked, folds: Sequence[_Fold], together: int, jobs: int) -> Iterator[QueryScores]:
    """Scores of every `together` folds, which test the parts of one index."""
    # LightGBM's threads wait for each other more than they work where others use the cores too: processes instead.
    ordered = in_processes(_order, folds, jobs, partial(_keep, asked))
    for first in range(0, len(folds), together):
        by_query = {query: order for found in islice(ordered, together) for query, order in found.items()}
        queries = asked[folds[first].test]
        yield scores_by(queries, (by_query[one.query] for one in queries))


# What a process has been given, once for all of its folds.
_kept: list[_Asked] = []


def _keep(asked: _Asked) -> None:
    _kept[:] = [asked]


def _order(fold: _Fold) -> Orders:
    (asked,) = _kept
    keep = [column for column, name in enumerate(NAMES) if name not in fold.missing]
    queries = asked[fold.test]
    if fold.part is None:
        learned = [one for place, other in enumerate(asked) if place != fold.test for one in other]
    else:
        learned = [one for place, one in enumerate(queries) if place % PARTS != fold.part]
        queries = queries[fold.part :: PARTS]
    order = train_order(
        [replace(one.labelled, features=one.labelled.features[:, keep]) for one in learned],
        [NAMES[column] for column in keep],
        fold.seed,
        threads=1,
    )
    scores = [order.predict(one.labelled.features[:, keep]) for one in queries]
    return {
        one.query: best_first(score, one.docids, EXACT).tolist() for one, score in zip(queries, scores, strict=True)
    }


register(
    Experiment("blend-features", "What is each feature worth on a corpus that was not learned from?", run, ("single",))
)
