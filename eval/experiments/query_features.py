"""The blend's features of an index's validation queries."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.recommender import Recommender
from common.progress import progress
from eval.experiments.asking import open_with_vectors, validation_set
from eval.experiments.base import NEWEST
from rerank.blend import TRAINING_DEPTH
from training.blend.fitting import LabelledList


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
    generation, encoder = open_with_vectors(directory)
    tests = validation_set(generation, directory, queries, seed, newest)
    recommender = Recommender(generation, encoder, None)
    masked = recommender.without_citations_of(tests.qrels)
    made = []
    for query in progress(tests.queries, directory.name, len(tests.queries)):
        pool = masked.pool(query)
        features = masked.features(pool, query)[:TRAINING_DEPTH]
        docids = pool.docids[:TRAINING_DEPTH]
        gold = frozenset(generation.catalog.docids(tests.qrels[query.id]).values())
        labelled = LabelledList(features, np.isin(docids, sorted(gold)))
        made.append(QueryFeatures(query.id, labelled, docids, gold))
    recommender.close()
    return tuple(made)
