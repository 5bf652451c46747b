"""The blend's features of an index's validation queries, made once and kept as one file.

The name of the file holds a digest of all that the features follow from: the index, the queries, and the code that
makes pools and features.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.recommender import Recommender
from common.files import write_atomically
from common.progress import progress
from eval.experiments.asking import open_with_vectors, validation_set
from eval.experiments.base import NEWEST
from indexer.layout import CURRENT
from rerank.blend import TRAINING_DEPTH
from training.blend.fitting import LabelledList

_ROOT = Path(__file__).parents[2]
_CODE = (
    "indexer/bm25_parameters.py",
    "indexer/query_map.py",
    "indexer/identity/*.py",
    "retrieval/*.py",
    "encoders/**/*.py",
    "rerank/features.py",
    "citescout/recommender.py",
    "training/queries.py",
)


@dataclass(frozen=True, slots=True)
class QueryFeatures:
    """One query's candidates, in the order of the pool."""

    query: str  # id
    labelled: LabelledList
    numbers: NDArray[np.int32]  # (n,) papers
    gold: frozenset[int]  # numbers of the papers that it cites, in the pool or not


def feature_file(directory: Path, queries: int, seed: int, folder: Path, newest: int = NEWEST) -> Path:
    """The file of an index; it is made unless it is there.

    Raises:
        SourceError: the index has no paper to ask, or no vectors.
        IndexDirectoryError, ModelError: see `Recommender.open`.
    """
    generation, encoder = open_with_vectors(directory)
    path = folder / f"{directory.name}-{_digest(directory, queries, seed, newest)}.npz"
    if path.is_file():
        generation.close()
        return path
    tests = validation_set(generation, directory, queries, seed, newest)
    recommender = Recommender(generation, encoder, None)
    unaware = recommender.without_citations_of(tests.qrels)
    made = []
    for query in progress(tests.queries, directory.name, len(tests.queries)):
        pool = unaware.pool(query)
        features = unaware.features(pool, query)[:TRAINING_DEPTH]
        numbers = pool.numbers[:TRAINING_DEPTH]
        gold = np.sort(list(generation.catalog.numbers(tests.qrels[query.id]).values()))
        labelled = LabelledList(features, np.isin(numbers, gold))
        made.append(QueryFeatures(query.id, labelled, numbers, frozenset(gold.tolist())))
    recommender.close()
    folder.mkdir(parents=True, exist_ok=True)
    write_atomically(path, _packed(made))
    return path


@cache
def read_features(path: Path) -> tuple[QueryFeatures, ...]:
    """What `feature_file` wrote, read once a process."""
    with np.load(path) as held:
        ends, gold_ends = np.cumsum(held["sizes"])[:-1], np.cumsum(held["gold_sizes"])[:-1]
        columns = [np.split(held[name], ends) for name in ("features", "cited", "numbers")]
        gold = np.split(held["gold"], gold_ends)
        queries = held["queries"].tolist()
    return tuple(
        QueryFeatures(query, LabelledList(features, cited), numbers, frozenset(cites.tolist()))
        for query, features, cited, numbers, cites in zip(queries, *columns, gold, strict=True)
    )


def _packed(made: Sequence[QueryFeatures]) -> bytes:
    target = BytesIO()
    np.savez(
        target,
        queries=np.asarray([one.query for one in made]),
        sizes=np.asarray([len(one.numbers) for one in made]),
        features=np.concatenate([one.labelled.features for one in made]),
        cited=np.concatenate([one.labelled.cited for one in made]),
        numbers=np.concatenate([one.numbers for one in made]),
        gold_sizes=np.asarray([len(one.gold) for one in made]),
        gold=np.concatenate([np.sort(list(one.gold)) for one in made]),
    )
    return target.getvalue()


def _digest(directory: Path, queries: int, seed: int, newest: int) -> str:
    digest = hashlib.sha256((directory / CURRENT).read_bytes())
    digest.update(f" {queries} {seed} {newest} {TRAINING_DEPTH} ".encode())
    for pattern in _CODE:
        for file in sorted(_ROOT.glob(pattern)):
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
