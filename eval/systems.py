"""The systems that stand beside each other in every table, all through the one Recommender."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from citescout.recommender import Recommender
from citescout.settings import Settings
from common.progress import progress
from eval.metrics import Run
from indexer.generations import open_generation
from retrieval.bm25 import PYSERINI
from retrieval.query import Query

DEPTH = 1000


@dataclass(frozen=True, slots=True)
class System:
    """A row of the table."""

    name: str
    settings: Settings
    cross_encoder: bool = False


def systems(reranker: bool, depth: int = 100) -> list[System]:
    """From BM25 alone to everything."""
    rows = [
        System("BM25", Settings(sources=("bm25",), bm25=PYSERINI, blend=False, depth=0)),  # as others have it
        System("BM25, k1 2, b .9", Settings(sources=("bm25",), blend=False, depth=0)),
        System("dense", Settings(sources=("dense",), blend=False, depth=0)),
        System("fused", Settings(sources=("bm25", "dense"), blend=False, depth=0)),
        System("+ graph", Settings(blend=False, depth=0)),
        System("+ blend", Settings(depth=0)),
    ]
    if reranker:
        rows += [
            System("fused, cross-encoder alone", Settings(sources=("bm25", "dense"), blend=False, depth=depth), True),
            System("+ blend + cross-encoder", Settings(depth=depth), True),
        ]
    return rows


def run_systems(
    directory: Path,
    queries: Sequence[Query],
    rows: Sequence[System],
    reranker: str,
    candidates: Collection[str] | None = None,
) -> dict[str, Run]:
    """Rank the queries with every system; the top 1000 each, of `candidates` only if they are given."""
    recommender = Recommender.open(directory, reranker)
    generation = open_generation(directory)
    runs: dict[str, dict[str, list[str]]] = {row.name: {} for row in rows}
    for query in progress(queries, directory.name, len(queries)):
        for row in rows:
            ranking = recommender.rank(query, row.settings)
            ids = generation.catalog.ids(ranking.pool.numbers[ranking.order])
            runs[row.name][query.id] = [id_ for id_ in ids if candidates is None or id_ in candidates][:DEPTH]
    recommender.close()
    generation.close()
    return {name: run for name, run in runs.items()}
