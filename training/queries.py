"""Training examples out of an index: its own papers as queries, what they cite as the answers.

A paper that serves as a query is treated like one that is being written: neither it, nor another record of it (by its
title), nor anything newer may be a candidate or vote in the citation graph. Papers whose citations are not in the
index (held-out test papers) never become queries; other records with their titles are kept out by
`training.held_out`.

A protocol's split as training may see it is here, too; `eval.training_split` reads it from the folder of `eval split`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from indexer.generations import OpenGeneration
from indexer.paper import Paper
from retrieval.copies import with_copies
from retrieval.query import Query

# Fewer known citations say little about what a paper should cite.
MIN_CITATIONS = 4

# Queries whose texts are in memory at a time; their copies are looked for among all titles each time.
_TOGETHER = 50_000


@dataclass(frozen=True, slots=True)
class TrainingQuery:
    """A paper of the index as a query."""

    query: Query
    gold: NDArray[np.int32]  # docids of the papers that it cites, none newer than itself and none its own copy


@dataclass(frozen=True, slots=True)
class Asking:
    """How papers are asked for what they cite; the defaults are as in use."""

    dated: bool = True  # with their year: they get nothing newer than themselves
    newer: bool = False  # what they cite of later years counts
    copies: bool = False  # other records of themselves count, and BM25 finds them


def possible_queries(generation: OpenGeneration) -> NDArray[np.bool_]:
    """Which papers have a year and at least `MIN_CITATIONS` citations within the index, shape (docids,)."""
    return (np.diff(generation.graph.cites.offsets) >= MIN_CITATIONS) & (generation.years > 0)


def training_queries(
    generation: OpenGeneration, count: int, seed: int = 0, newest: int = 3, left_out: NDArray[np.bool_] | None = None
) -> Iterator[TrainingQuery]:
    """The examples of `drawn_queries`."""
    yield from (one for one in examples(generation, drawn_queries(generation, count, seed, newest, left_out)) if one)


def drawn_queries(
    generation: OpenGeneration, count: int, seed: int = 0, newest: int = 3, left_out: NDArray[np.bool_] | None = None
) -> NDArray[np.int64]:
    """`count` possible queries, drawn from the `newest` × `count` newest ones but those left out, shape (docids,).

    New papers are what users write: drawing from them keeps training close to use.
    """
    possible = possible_queries(generation)
    eligible = np.flatnonzero(possible if left_out is None else possible & ~left_out)
    eligible = eligible[np.lexsort((eligible, -generation.years[eligible].astype(np.int32)))][: newest * count]
    return np.random.default_rng(seed).permutation(eligible)[:count]


def examples(
    generation: OpenGeneration, docids: NDArray[np.integer], asking: Asking | None = None
) -> Iterator[TrainingQuery | None]:
    """These papers as queries, in their order; None for one that cites nothing that counts."""
    asking = asking or Asking()
    cites = generation.graph.cites
    for start in range(0, len(docids), _TOGETHER):
        some = docids[start : start + _TOGETHER]
        queries = (query_of(paper) for paper in generation.catalog.papers(some))
        asked = with_copies(
            [query if asking.dated else replace(query, year=None) for query in queries], generation.catalog
        )
        for docid, query in zip(some, asked, strict=True):
            references = cites.of(int(docid))
            copies = [] if asking.copies else list(generation.catalog.docids(query.copies).values())
            usable = asking.newer | (generation.years[references] <= generation.years[docid])
            usable &= ~np.isin(references, copies)
            yield TrainingQuery(query, references[usable]) if usable.any() else None


def query_of(paper: Paper) -> Query:
    """A paper as if it were being written."""
    return Query(paper.title, paper.abstract, paper.id, paper.year)


# Development queries that are kept for validation; more would take longer than they are worth.
MOST_VALIDATION_QUERIES = 500


@dataclass(frozen=True, slots=True)
class TrainingSplit:
    """Who is learned from, what may be found, and who validates; test queries are nowhere in it."""

    directory: Path  # the index that the development queries are asked of, or else the test queries
    queries: NDArray[np.int64]  # papers to learn from, by docid
    searched: NDArray[np.bool_]  # (docids,) papers that may be found
    asking: Asking
    validation: tuple[TrainingQuery, ...]  # development queries, `MOST_VALIDATION_QUERIES` at most; none without a part
    missing: int  # papers to learn from that the index does not hold

    def __str__(self) -> str:
        missing = f", {self.missing:,} others are not in its index" if self.missing else ""
        return (
            f"{len(self.queries):,} papers to learn from{missing}; {len(self.validation):,} development queries drawn "
            "for validation"
        )
