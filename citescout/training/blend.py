"""Training the blend on the pools that this very recommender makes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.recommender import Recommender
from citescout.training.held_out import HeldOut
from citescout.training.queries import training_queries
from common.errors import TrainingError
from common.progress import progress
from indexer.generations import open_generation
from rerank.blend import TRAINING_DEPTH, Blend, opinions
from rerank.blend_training import LabelledList, ReadList, fit_reranker_weight, train_trees
from rerank.features import FEATURES
from retrieval.query import Query


@dataclass(frozen=True, slots=True)
class QueryLists:
    """A training query's candidates for the trees, by the order of the pool."""

    query: Query
    labelled: LabelledList
    numbers: NDArray[np.int32]  # (n,) papers


def pool_lists(
    recommender: Recommender, directory: Path, queries: int, seed: int, held_out: HeldOut
) -> Iterator[QueryLists]:
    """The labelled pools of an index's training queries, without what is held out."""
    with closing(open_generation(directory)) as generation:
        left_out = held_out.left_out(generation)
        examples = list(training_queries(generation, queries, seed, left_out=left_out.queries))
    unaware = recommender.without_citations_of(example.query.id for example in examples)
    for example in progress(examples, directory.name):
        pool = unaware.pool(example.query)
        features = unaware.features(pool, example.query)[:TRAINING_DEPTH]
        numbers = pool.numbers[:TRAINING_DEPTH]
        kept = ~left_out.candidates[numbers]
        features, numbers = features[kept], numbers[kept]
        yield QueryLists(example.query, LabelledList(features, np.isin(numbers, example.gold)), numbers)


def train_blend(
    directories: Sequence[Path],
    queries: int,
    seed: int,
    reranker: str,
    depth: int,
    keep_trees: bool = False,
    held_out: HeldOut | None = None,
) -> Blend:
    """Train the trees, order every pool by them, let the cross-encoder read the top, and fit how much it weighs.

    With `keep_trees` the trees are those that ship; without a reranker its weight is. `held_out` also counts what was
    left out.

    Raises:
        TrainingError: an index has no paper with enough citations, or there is nothing to tell cited papers by.
    """
    held_out = HeldOut() if held_out is None else held_out
    lists: list[tuple[Recommender, list[QueryLists]]] = []
    for directory in directories:
        recommender = Recommender.open(directory, reranker)
        found = list(pool_lists(recommender, directory, queries, seed, held_out))
        if not found:
            raise TrainingError(
                f"{directory} has no paper with enough citations within the index to learn from ({held_out})"
            )
        lists.append((recommender, found))
    if keep_trees:
        trees = Blend.load().trees
    else:
        trees = train_trees([one.labelled for _, many in lists for one in many], FEATURES, seed)
    if reranker == "none":
        return Blend(trees, Blend.load().reranker_weight)
    read = []
    for recommender, many in lists:
        for one in progress(many, "cross-encoder"):
            scores = trees.predict(one.labelled.features)
            top = np.argsort(-scores, kind="stable")[:depth]
            opinion = opinions(recommender.relevance(one.query, one.numbers[top]))
            read.append(ReadList(scores[top], opinion, one.labelled.cited[top]))
    return Blend(trees, fit_reranker_weight(read))
