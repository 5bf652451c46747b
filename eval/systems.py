"""The rows of every table: systems that answer the same queries, all through the one Recommender."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter

from citescout.query_years import in_their_years
from citescout.recommender import Recommender
from citescout.systems import System, find_system, systems
from common.progress import progress
from retrieval.copies import with_copies
from retrieval.query import Query

DEPTH = 1000


@dataclass(slots=True)
class Answers:
    """What a system answered to a set of queries."""

    run: dict[str, list[str]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)  # of each query, in their order: the ranking alone


def rows_of(
    names: Sequence[str] = (), cross_encoder: bool = False, depth: int | None = None, vectors: bool = True
) -> list[System]:
    """The systems of these names; without names all that make a list of their own of what there is.

    Args:
        names: As in `citescout.systems`.
        cross_encoder: Whether there is one; if not, only named systems read candidates.
        depth: That it reads in each system; their own without.
        vectors: Whether the index has any.

    Raises:
        QueryError: no such system, or it needs what is not there.
    """
    named = [find_system(name) for name in dict.fromkeys(names)]
    for row in named:
        row.require(cross_encoder, vectors)
    rows = named or [
        row for row in systems().values() if (cross_encoder or not row.reads) and (vectors or not row.vectors)
    ]
    return [row.read_to(depth) for row in rows]


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

    Nothing that a system learnt from the index is from a query's own year or newer, and other records of its paper
    are no candidates and no evidence: see `citescout.query_years` and `retrieval.copies`. With
    `finds_copies` they are candidates of the systems that read no citations, as in the papers' scripts.

    Times are of `Recommender.rank` on one query at a time, the newest queries first. Every system answers the first
    one once unmeasured, and the systems take turns in going first, since whoever comes later finds the query's
    postings in memory.
    """
    vectors = any(row.settings.uses_vectors for row in rows)
    answers = {row.name: Answers() for row in rows}
    with Recommender.open(directory, reranker, blend=blend, vectors=vectors) as whole:
        alone, queries = queries, with_copies(queries, whole.generation.catalog)
        asked = progress(in_their_years(whole, queries), directory.name, len(queries))
        for turn, (number, view) in enumerate(asked):
            for row in rows if turn == 0 else ():
                view.rank(queries[number], row.settings)
            first = turn % len(rows)
            for row in (*rows[first:], *rows[:first]):
                text_alone = "graph" not in row.settings.sources and not row.settings.blend
                query = (alone if finds_copies and text_alone else queries)[number]
                started = perf_counter()
                ranking = view.rank(query, row.settings)
                answers[row.name].seconds.append(perf_counter() - started)
                found = [id_ for id_ in ranking.ids() if candidates is None or id_ in candidates]
                answers[row.name].run[query.id] = found[:DEPTH]
    return answers
