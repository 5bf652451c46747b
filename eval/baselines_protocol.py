"""The baselines under the rules of `eval.systems`: the same index, test queries, masks and depth, next to BM25."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from citescout.systems import find_system
from common.sequences import batches
from encoders.text import Text
from eval.baselines.base import AllowedMatrix, Citations, Ranker, Setup
from eval.baselines.registry import find_baselines
from eval.corpora import Corpus, TestSet, find_corpora
from eval.corpora_protocol import kept_as, read_scores, write_runs, write_scores
from eval.indexes import index_of_corpus
from eval.metrics import Run, Scores, score
from eval.systems import DEPTH, Asked, run_systems
from indexer.generations import open_generation
from retrieval.copies import with_copies
from retrieval.query import Query

log = logging.getLogger(__name__)

# Queries at a time, which bounds the matrix of scores.
_BLOCK = 64


@dataclass(frozen=True, slots=True)
class Collection:
    """The papers of an index in the order of their docids."""

    ids: tuple[str, ...]
    texts: tuple[Text, ...]
    years: NDArray[np.int16]  # 0 where unknown
    citations: Citations = ()  # of each paper; none of those that are asked, nor of their copies
    candidates: frozenset[str] | None = None  # see `eval.corpora.TestSet`

    def allowed(self, queries: Sequence[Query]) -> AllowedMatrix:
        """Which candidates may be recommended: not the query's own or its copies, nothing newer, nothing that it cites.

        The rule of `retrieval.first_stage`: a paper of unknown year is never too new, and a query without a year
        may get any.
        """
        docids = {paper: docid for docid, paper in enumerate(self.ids)}
        found = [self.candidates is None or paper in self.candidates for paper in self.ids]
        allowed = np.tile(found, (len(queries), 1))
        for row, query in zip(allowed, queries, strict=True):
            if query.year is not None:
                row &= self.years <= query.year
            never = (query.id, *query.already_cited, *query.copies)
            row[[docids[known] for known in never if known in docids]] = False
        return allowed


def evaluate_baselines(
    folder: Path,
    work: Path,
    names: Sequence[str] = (),
    queries: int | None = None,
    systems: Sequence[str] = (),
    setup: Setup | None = None,
) -> dict[str, dict[str, Scores]]:
    """Scores by corpus and system, BM25 first; runs, qrels (TREC format) and scores go below `work`, by corpus.

    Raises:
        SourceError: see `find_corpora`, `Corpus.test_set` and `find_baselines`.
        CitescoutError: see `eval.baselines.base`.
    """
    setup = setup or Setup()
    rankers = {one.name: one.make(setup) for one in find_baselines(systems, glove=setup.glove is not None)}
    corpora = [(one, one.test_set(queries, setup.seed, for_runs=True)) for one in find_corpora(folder, names)]
    work.mkdir(parents=True, exist_ok=True)
    read_scores(kept := work / "baselines.json")  # what is wrong with it should not be found out afterwards
    results = {}
    for corpus, tests in corpora:
        name = kept_as(corpus.name, queries, setup.seed)
        results[corpus.name] = _evaluate_one(corpus, tests, work, work / "runs" / name, rankers)
        write_scores(kept, {name: results[corpus.name]})
    return results


def rank_all(ranker: Ranker, papers: Collection, queries: Sequence[Query], depth: int) -> Run:
    """The run of a fitted ranker."""
    run: dict[str, list[str]] = {}
    for block in batches(queries, _BLOCK):
        found = ranker.rank([query.text for query in block], papers.allowed(block), depth)
        run |= {query.id: [papers.ids[n] for n in hits.docids] for query, hits in zip(block, found, strict=True)}
    return run


def read_collection(directory: Path) -> Collection:
    """The papers of an index.

    Raises:
        IndexDirectoryError: no index there, or a damaged one.
    """
    with open_generation(directory) as generation:
        papers = list(generation.catalog.all_papers())
        cites = generation.graph.cites
        citations = [np.array(cites.of(docid)) for docid in range(len(papers))]
    return Collection(
        ids=tuple(paper.id for paper in papers),
        texts=tuple(paper.text for paper in papers),
        years=np.array([paper.year or 0 for paper in papers], np.int16),
        citations=citations,
    )


def _evaluate_one(
    corpus: Corpus, tests: TestSet, work: Path, written: Path, rankers: dict[str, Ranker]
) -> dict[str, Scores]:
    directory = index_of_corpus(corpus, work, None)
    bm25 = run_systems(directory, Asked(tests.queries, [find_system("BM25")], candidates=tests.candidates))
    runs: dict[str, Run] = {name: one.run for name, one in bm25.items()}
    papers = replace(read_collection(directory), candidates=tests.candidates)
    with open_generation(directory) as generation:
        tests = replace(tests, queries=with_copies(tests.queries, generation.catalog))
    copies = {copy for query in tests.queries for copy in query.copies}
    own = (cited[:0] if id_ in copies else cited for id_, cited in zip(papers.ids, papers.citations, strict=True))
    papers = replace(papers, citations=tuple(own))
    runs |= {name: _run_one(name, ranker, papers, tests, DEPTH) for name, ranker in rankers.items()}
    write_runs(written, tests.qrels, runs)
    return {name: score(tests.qrels, run) for name, run in runs.items()}


def _run_one(name: str, ranker: Ranker, papers: Collection, tests: TestSet, depth: int) -> Run:
    start = perf_counter()
    ranker.see(papers.citations)
    ranker.fit(papers.texts)
    fitted = perf_counter()
    run = rank_all(ranker, papers, tests.queries, depth)
    milliseconds = 1000 * (perf_counter() - fitted) / max(len(tests.queries), 1)
    log.info("%s: fitted in %.1f s, %.0f ms a query", name, fitted - start, milliseconds)
    return run
