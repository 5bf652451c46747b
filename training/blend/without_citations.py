"""Lists where no citation is known: of an index as if it held none, and of libraries of one person.

A library is cut out of an index: what a few related papers cite, without who cites whom, as a BibTeX file holds it.
Where there are so few papers, the list by text is nearly right, and years say little; an order that was learned where
citations are known takes them apart (docs/experiments.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from citescout.recommender import Recommender
from citescout.settings import Settings
from common.progress import progress
from indexer.builds import build_index
from indexer.generations import OpenGeneration
from indexer.paper import Paper
from rerank.calibration import fit_features
from retrieval.first_stage import SOURCES, Pool
from retrieval.query import Query
from training.blend.asked import Asked, QueryLists, in_two_forms
from training.queries import (
    HeldOut,
    LeftOut,
    TrainingQuery,
    drawn_queries,
    examples,
    possible_queries,
    training_queries,
)

BY_TEXT = Settings(sources=tuple(source for source in SOURCES if source != "graph"))

_TO_A_LIBRARY = 5  # queries of an index for each library that is cut out of it
_MOST_TOGETHER = 24  # papers whose references a library holds
_MOST_ASKED = 6  # of these
_OTHERS = (-3, 2)  # times the references, as powers of two: what else a library holds
LEAST = 12  # papers of a library
_INCOMPLETE = 0.5  # of the libraries, in which some abstracts are missing


@dataclass(frozen=True, slots=True)
class FoundLists:
    """The labelled pools of one index."""

    lists: list[QueryLists]
    foreign: dict[str, list[NDArray[np.float64]]]  # index whose queries were asked → `fit_features` of each here


def text_lists(
    directory: Path, queries: int, seed: int, held_out: HeldOut, asked: Mapping[str, Sequence[Query]]
) -> FoundLists:
    """The labelled pools of an index's training queries by text alone, each as an abstract and in one other form.

    What is held out is neither asked nor a candidate. Libraries also get a query of each of other indexes, `asked`, and
    say what their words tell of whether they are about a query: so few papers lack many words of any.
    """
    found = FoundLists([], {name: [] for name in asked})
    with Recommender.open(directory) as recommender:
        generation = recommender.generation
        left_out = held_out.left_out(generation)
        view = recommender.without_query_map()
        with Recommender.opened(directory, None, vectors=False) as by_words:
            whole = training_queries(generation, queries, seed, left_out=left_out.queries)
            for one, answering, pool in _pools(whole, view, by_words, seed):
                found.lists.append(one.labelled(answering, pool, left_out.candidates, generation.graph))
        with TemporaryDirectory() as folder:
            count = queries // _TO_A_LIBRARY
            cut = progress(libraries(generation, count, seed, left_out), f"{directory.name}, libraries", count)
            for place, library in enumerate(cut):
                small = Path(folder) / str(place)
                build_index(library.papers, small, generation.manifest.encoder)
                foreign = {name: some[place % len(some)] for name, some in asked.items() if some}
                _add_library(found, library, small, seed + place, foreign)
    return found


def _add_library(found: FoundLists, library: Library, directory: Path, seed: int, foreign: Mapping[str, Query]) -> None:
    """What an index of a library tells of its own queries, and of one of every other index."""
    none = np.zeros(len(library.papers), np.bool_)
    with Recommender.open(directory) as recommender, Recommender.opened(directory, None, vectors=False) as by_words:
        own = library.examples(recommender.generation)
        for one, answering, pool in _pools(own, recommender, by_words, seed):
            fit = fit_features(by_words.pool(one.example.query, BY_TEXT), None)
            found.lists.append(one.labelled(answering, pool, none, fit=fit))
        for name, query in foreign.items():
            if (fit := fit_features(by_words.pool(query, BY_TEXT), None)) is not None:
                found.foreign[name].append(fit)


def _pools(
    found: Iterable[TrainingQuery], recommender: Recommender, by_words: Recommender, seed: int
) -> Iterator[tuple[Asked, Recommender, Pool]]:
    """Every query in two forms, what answers it, and what it finds."""
    generator = np.random.default_rng(seed)
    for example in found:
        for one in in_two_forms(example, recommender.generation.catalog, generator):
            answering = by_words if one.form == "by words" else recommender
            pool = answering.pool(one.example.query, BY_TEXT)
            if len(pool):
                yield one, answering, pool


@dataclass(frozen=True, slots=True)
class Library:
    """Papers without what they cite, and papers that cite some of them."""

    papers: tuple[Paper, ...]
    queries: tuple[tuple[Query, tuple[str, ...]], ...]  # each with the ids of what it cites

    def examples(self, generation: OpenGeneration) -> Iterator[TrainingQuery]:
        """The queries, asked of an index of these papers."""
        for query, cited in self.queries:
            gold = generation.catalog.docids(cited).values()
            yield TrainingQuery(query, np.asarray(sorted(gold), np.int32))


def libraries(generation: OpenGeneration, count: int, seed: int, left_out: LeftOut) -> Iterator[Library]:
    """Cut out of an index, at most `count` of them, of a dozen papers at least."""
    generator = np.random.default_rng(seed)
    present = np.flatnonzero(~generation.removed & ~left_out.candidates)
    possible = possible_queries(generation) & ~left_out.queries
    for docid in drawn_queries(generation, count, seed, left_out=left_out.queries):
        related = _related(generation, int(docid), possible)[: together_of(generator) - 1]
        citing = [one for one in examples(generation, np.asarray([docid, *related])) if one]
        cited = np.unique(np.concatenate([np.zeros(0, np.int32), *(one.gold for one in citing)]))
        cited = cited[~left_out.candidates[cited]]
        others = generator.permutation(present)[: others_of(len(cited), generator)]
        papers = generation.catalog.papers(np.union1d(cited, others))
        if len(papers) < LEAST:
            continue
        missing = generator.uniform() if generator.random() < _INCOMPLETE else 0.0
        yield Library(
            tuple(
                replace(paper, citations=(), abstract="" if generator.random() < missing else paper.abstract)
                for paper in papers
            ),
            tuple((one.query, tuple(generation.catalog.ids(np.sort(one.gold)))) for one in citing[:_MOST_ASKED]),
        )


def together_of(generator: np.random.Generator) -> int:
    """Of how many papers a library holds the references; few are as frequent as many."""
    return int(2 ** generator.uniform(0, np.log2(_MOST_TOGETHER + 1)))


def others_of(references: int, generator: np.random.Generator) -> int:
    """How many papers a library holds beside these references."""
    return int(2 ** generator.uniform(*_OTHERS) * references)


def _related(generation: OpenGeneration, docid: int, possible: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The possible queries that share references with one, those that share most first."""
    _, citing = generation.graph.cited_by.of_all(generation.graph.cites.of(docid))
    papers, shared = np.unique(citing, return_counts=True)
    kept = possible[papers] & (papers != docid)
    papers, shared = papers[kept], shared[kept]
    return np.asarray(papers[np.lexsort((papers, -shared))], np.int64)
