"""Variants of a recommender on the validation queries of indexes, each index in a process of its own.

Validation queries are papers of an index, drawn from the newest and asked as if they were being written. Papers whose
citations were kept out of the index (test papers) are never among them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from citescout.query_years import view_for
from citescout.recommender import Recommender
from citescout.settings import Settings
from common.errors import SourceError
from common.processes import in_processes
from common.progress import progress
from eval.corpora import TestSet
from eval.experiments.base import NEWEST, Inputs
from eval.experiments.findings import Measured
from eval.metrics import QueryScores, score_queries
from eval.systems import DEPTH
from indexer.generations import OpenGeneration
from rerank.token_split import TokenSplit
from training.queries import training_queries

if TYPE_CHECKING:
    from rerank.cross_encoder import CrossEncoder

WARM_UP = 8  # candidates that are read before the clock starts

# Variant → scores, and seconds of each query that is timed.
Answers = dict[str, tuple[QueryScores, list[float]]]


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """The cross-encoder that reads along."""

    name: str  # "default", a folder or a hub id
    split: TokenSplit | None = None  # its own without

    def __post_init__(self) -> None:
        """Raise SourceError for "none", without which there is nothing to measure."""
        if self.name == "none":
            raise SourceError("this experiment is about a cross-encoder: name one with --reranker")


def ask(
    inputs: Inputs, variants: Mapping[str, Settings], reading: RerankerChoice | None = None, timed: int = 0
) -> dict[str, Measured]:
    """Ask every variant the validation queries of every index; without `reading` no cross-encoder is used.

    The seconds that an answer takes are kept of the first `timed` queries of each index.

    Raises:
        SourceError: an index has no paper to ask, or no vectors where a variant needs them.
        IndexDirectoryError, ModelError: see `Recommender.open`.
    """
    one = partial(_ask_one, inputs=inputs, variants=variants, reading=reading, timed=timed)
    answers = list(in_processes(one, inputs.directories, inputs.jobs))
    names = [directory.name for directory in inputs.directories]
    return {
        variant: Measured(
            scores={name: one[variant][0] for name, one in zip(names, answers, strict=True)},
            seconds=float(np.mean([np.mean(one[variant][1]) for one in answers])) if timed else None,
        )
        for variant in variants
    }


def validation_set(generation: OpenGeneration, queries: int, seed: int, newest: int = NEWEST) -> TestSet:
    """Papers of an index as queries, and what they cite within it, none newer than themselves.

    They are drawn from the `newest` × `queries` newest.

    Raises:
        SourceError: there is none with enough citations.
    """
    drawn = list(training_queries(generation, queries, seed, newest))
    if not drawn:
        raise SourceError(f"{generation.folder.parent} has no paper with enough citations within the index to ask")
    qrels = {one.query.id: frozenset(generation.catalog.ids(one.gold)) for one in drawn}
    return TestSet(tuple(one.query for one in drawn), qrels)


def open_with_vectors(directory: Path, reranker: CrossEncoder | None = None) -> Recommender:
    """An index that was made with an encoder.

    Raises:
        SourceError: it was made without one.
        IndexDirectoryError, ModelError: see `Recommender.open`.
    """
    recommender = Recommender.opened(directory, reranker)
    if recommender.info.encoder is None:
        recommender.close()
        raise SourceError(f"{directory} has no vectors, which this experiment needs: index it with an encoder")
    return recommender


@lru_cache(maxsize=1)
def _cross_encoder(reading: RerankerChoice) -> CrossEncoder:
    """One for all indexes: to compile it takes longer than to read for a query."""
    from rerank.cross_encoder import CrossEncoder

    return CrossEncoder.load(reading.name, reading.split)


def _ask_one(
    directory: Path, inputs: Inputs, variants: Mapping[str, Settings], reading: RerankerChoice | None, timed: int
) -> Answers:
    reranker = _cross_encoder(reading) if reading else None
    # For BM25 alone the query's vector is not used, so it need not be made.
    vectors = any(one.blend or set(one.sources) != {"bm25"} for one in variants.values())
    opened = open_with_vectors if vectors else partial(Recommender.opened, vectors=False)
    runs: dict[str, dict[str, list[str]]] = {variant: {} for variant in variants}
    seconds: dict[str, list[float]] = {variant: [] for variant in variants}
    with opened(directory, reranker) as recommender:
        tests = validation_set(recommender.generation, inputs.queries, inputs.seed, inputs.newest)
        masked = view_for(recommender, tests.queries)
        if reranker and timed:
            for settings in variants.values():  # what is made once, at the first query, is not to be timed
                masked.rank(tests.queries[0], replace(settings, depth=min(settings.depth or 0, WARM_UP)))
        for number, query in enumerate(progress(tests.queries, directory.name, len(tests.queries))):
            for variant, settings in variants.items():
                start = perf_counter()
                ranking = masked.rank(query, settings)
                if number < timed:
                    seconds[variant].append(perf_counter() - start)
                runs[variant][query.id] = ranking.ids(DEPTH)
    return {variant: (score_queries(tests.qrels, run), seconds[variant]) for variant, run in runs.items()}
