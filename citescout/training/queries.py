"""Training examples out of an index: its own papers as queries, what they cite as the answers.

A paper that serves as a query is treated like one that is being written: neither it, nor another record of it (told by
its title), nor anything newer may be a candidate or vote in the citation graph. Papers whose citations are not in the
index (held-out test papers) never become queries; other records with their titles are kept out by
`citescout.training.held_out`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from indexer.generations import OpenGeneration
from indexer.paper import Paper
from retrieval.copies import with_copies
from retrieval.query import Query

# Fewer known citations say little about what a paper should cite.
MIN_CITATIONS = 4


@dataclass(frozen=True, slots=True)
class TrainingQuery:
    """A paper of the index as a query."""

    query: Query
    gold: NDArray[np.int32]  # numbers of the papers that it cites, none newer than itself and none its own copy


def possible_queries(generation: OpenGeneration) -> NDArray[np.bool_]:
    """Which papers have a year and at least `MIN_CITATIONS` citations within the index, shape (numbers,)."""
    return (np.diff(generation.graph.cites.offsets) >= MIN_CITATIONS) & (generation.years > 0)


def training_queries(
    generation: OpenGeneration,
    count: int,
    seed: int = 0,
    newest: int = 3,
    left_out: NDArray[np.bool_] | None = None,
) -> Iterator[TrainingQuery]:
    """`count` possible queries, drawn from the `newest` × `count` newest ones but those left out, shape (numbers,).

    New papers are what users write: drawing from them keeps training close to use.
    """
    cites = generation.graph.cites
    possible = possible_queries(generation)
    eligible = np.flatnonzero(possible if left_out is None else possible & ~left_out)
    eligible = eligible[np.lexsort((eligible, -generation.years[eligible].astype(np.int32)))][: newest * count]
    drawn = np.random.default_rng(seed).permutation(eligible)[:count]
    queries = with_copies([query_of(paper) for paper in generation.catalog.papers(drawn)], generation.catalog)
    for number, query in zip(drawn, queries, strict=True):
        references = cites.of(int(number))
        copies = list(generation.catalog.numbers(query.copies).values())
        usable = (generation.years[references] <= generation.years[number]) & ~np.isin(references, copies)
        if usable.any():
            yield TrainingQuery(query, references[usable])


def query_of(paper: Paper) -> Query:
    """A paper as if it were being written."""
    return Query(paper.title, paper.abstract, paper.id, paper.year)
