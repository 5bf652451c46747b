"""The systems that stand beside each other in every table, all through the one Recommender."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from citescout.recommender import Recommender
from citescout.settings import Settings
from common.progress import progress
from indexer.bm25_parameters import PYSERINI
from indexer.generations import open_generation
from retrieval.copies import with_copies
from retrieval.query import Query

DEPTH = 1000


@dataclass(frozen=True, slots=True)
class System:
    """A row of the table."""

    name: str
    settings: Settings
    cross_encoder: bool = False


@dataclass(slots=True)
class Answers:
    """What a system answered to a set of queries."""

    run: dict[str, list[str]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)  # of each query, in their order: the ranking alone


def systems(reranker: bool, depth: int = 32) -> list[System]:
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
    blend: Path | None = None,
    finds_copies: bool = False,
) -> dict[str, Answers]:
    """Rank the queries with every system; the top 1000 each, of `candidates` only if they are given.

    Nothing that a system learnt from the index is from the queries' own time, and other records of a query's paper
    are no candidates and no evidence: see `Recommender.without_citations_of` and `retrieval.copies`. With
    `finds_copies` they are candidates of the systems that read no citations, as in the papers' scripts.

    Times are of `Recommender.rank` on one query at a time. Every system answers the first query once unmeasured, and
    the systems take turns in going first, since whoever comes later finds the query's postings in memory.
    """
    whole = Recommender.open(directory, reranker, blend=blend)
    recommender = whole.without_citations_of(query.id for query in queries)
    generation = open_generation(directory)
    alone, queries = queries, with_copies(queries, generation.catalog)
    answers = {row.name: Answers() for row in rows}
    for row in rows:
        for query in queries[:1]:
            recommender.rank(query, row.settings)
    for number, query in enumerate(progress(queries, directory.name, len(queries))):
        first = number % len(rows)
        for row in (*rows[first:], *rows[:first]):
            text_alone = "graph" not in row.settings.sources and not row.settings.blend
            asked = alone[number] if finds_copies and text_alone else query
            started = perf_counter()
            ranking = recommender.rank(asked, row.settings)
            answers[row.name].seconds.append(perf_counter() - started)
            ids = generation.catalog.ids(ranking.pool.numbers[ranking.order])
            found = [id_ for id_ in ids if candidates is None or id_ in candidates]
            answers[row.name].run[query.id] = found[:DEPTH]
    whole.close()
    generation.close()
    return answers
