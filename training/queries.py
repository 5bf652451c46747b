"""Training examples out of an index: its own papers as queries, what they cite as the answers.

A paper that serves as a query is treated like one that is being written: neither it, nor another record of it (by its
title), nor anything newer may be a candidate or vote in the citation graph. Papers whose citations are not in the
index (held-out test papers) never become queries; other records with their titles are kept out by `HeldOut`: training
must not see papers whose titles overlap with those of papers that the models will be tested on, by the rule of Nogueira
et al. (BIR 2020), see `indexer.identity.title_overlap`.

A protocol's split as training may see it is here, too; `eval.training_split` reads it from the folder of `eval split`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common.progress import progress
from common.sequences import batches
from indexer.generations import OpenGeneration
from indexer.identity.title_overlap import TitleOverlaps
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
    for some in batches(docids.tolist(), _TOGETHER):
        queries = (query_of(paper) for paper in generation.catalog.papers(some))
        asked = with_copies(
            [query if asking.dated else replace(query, year=None) for query in queries], generation.catalog
        )
        for docid, query in zip(some, asked, strict=True):
            references = cites.of(docid)
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
    """Who is learned from, what may be found, and who validates: of a protocol, or of an index. No test query."""

    directory: Path  # the index; of a protocol that of the development queries, or else of the test queries
    queries: NDArray[np.int64]  # papers to learn from, by docid
    searched: NDArray[np.bool_]  # (docids,) papers that may be found
    asking: Asking
    # Development queries, `MOST_VALIDATION_QUERIES` at most; none without a part.
    validation: tuple[TrainingQuery, ...] = ()
    missing: int = 0  # papers to learn from that the index does not hold

    def __str__(self) -> str:
        missing = f", {self.missing:,} others are not in its index" if self.missing else ""
        return (
            f"{len(self.queries):,} papers to learn from{missing}; {len(self.validation):,} development queries drawn "
            "for validation"
        )


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The papers of an index that training passes over."""

    candidates: NDArray[np.bool_]  # (docids,), by paper
    queries: NDArray[np.bool_]  # (docids,), all of `candidates` among them


class HeldOut:
    """Titles that are held out, and how much of the indexes that costs."""

    def __init__(self, titles: Iterable[str] = ()) -> None:
        self._titles = TitleOverlaps(titles)
        self.papers = 0  # of the indexes so far, with a held-out title
        self.queries = 0  # possible queries of the indexes so far that are none
        self.possible_queries = 0

    def add(self, other: HeldOut) -> None:
        """Count what another one of the same titles left out, of indexes that this one has not met."""
        if other is not self:
            self.papers += other.papers
            self.queries += other.queries
            self.possible_queries += other.possible_queries

    def leaks(self, title: str) -> bool:
        """Whether a title is nearly one that is held out."""
        return bool(self._titles.of(title))

    def left_out(
        self, generation: OpenGeneration, possible: NDArray[np.bool_] | None = None, copies: bool = True
    ) -> LeftOut:
        """The papers of an index whose titles leak, added to the counts.

        `possible`, shape (docids,), says which papers may be queries; without it those of `possible_queries`. Without
        `copies` only held-out titles leak, as in the papers' protocols.

        A held-out title bars a paper as a query and as a candidate. A paper that cites nothing within the index may be
        a test paper whose citations are hidden: another record with its title, perhaps its preprint, has the same
        citations and is no query either.
        """
        possible = possible_queries(generation) if possible is None else possible
        citing = np.diff(generation.graph.cites.offsets) > 0
        of_hidden = (title for docid, title in generation.catalog.all_titles() if copies and not citing[docid])
        hidden = TitleOverlaps(of_hidden)
        candidates, queries = np.zeros(len(possible), np.bool_), np.zeros(len(possible), np.bool_)
        titles = generation.catalog.all_titles()
        for docid, title in progress(titles, "held-out titles", generation.catalog.size):
            candidates[docid] = self.leaks(title)
            queries[docid] = candidates[docid] or (possible[docid] and bool(hidden.of(title)))
        self.papers += int(candidates.sum())
        self.queries += int((queries & possible).sum())
        self.possible_queries += int(possible.sum())
        return LeftOut(candidates, queries)

    def __str__(self) -> str:
        return (
            f"{self.queries:,} of {self.possible_queries:,} possible queries left out because their titles leak, "
            f"{self.papers:,} papers with held-out titles left out as candidates"
        )
