"""Training lists for the cross-encoders out of indexes: what this recommender retrieves for the indexes' own papers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citescout.recommender import Recommender
from citescout.settings import Settings
from citescout.training.held_out import HeldOut
from citescout.training.queries import TrainingQuery, training_queries
from common.errors import TrainingError
from common.progress import progress
from encoders.text import Text
from indexer.generations import OpenGeneration, open_generation
from rerank import load_reranker
from rerank.blend import Blend
from rerank.training_lists import TrainingList

if TYPE_CHECKING:
    from rerank.cross_encoder import CrossEncoder


@dataclass(frozen=True, slots=True)
class ListRecipe:
    """What one list holds."""

    settings: Settings
    depth: int  # candidates of a list
    log_odds: bool  # whether the blend's scores go along, for the late-join recipe


# The BM25 top 10 of each training query, classes as they fall (BIR 2020, section 2).
PAPER = ListRecipe(Settings(sources=("bm25",), blend=False), depth=10, log_odds=False)
# The fused pool with the votes of the citation graph: what the default reranker meets in use.
POOL = ListRecipe(Settings(), depth=130, log_odds=True)


@dataclass(frozen=True, slots=True)
class ListCounts:
    """What training would see."""

    queries: int
    positives: int
    negatives: int

    def __str__(self) -> str:
        return f"{self.queries:,} queries, {self.positives:,} positives, {self.negatives:,} negatives"


def reranker_lists(
    directories: Sequence[Path], queries: int, seed: int, recipe: ListRecipe, held_out: HeldOut | None = None
) -> Iterator[TrainingList]:
    """The labelled lists of `queries` papers of every index, corpora one after the other, without what is held out.

    `held_out` also counts what was left out.
    """
    held_out = HeldOut() if held_out is None else held_out
    for directory in directories:
        generation = open_generation(directory)
        recommender = Recommender.open(directory)
        texts: dict[int, Text] = {}  # a paper is a candidate of many lists: one copy of its text serves all
        left_out = held_out.left_out(generation)
        examples = list(training_queries(generation, queries, seed, left_out=left_out.queries))
        unaware = recommender.without_citations_of(example.query.id for example in examples)
        for example in progress(examples, directory.name):
            yield _list(example, unaware, generation, texts, recipe, left_out.candidates)
        recommender.close()


def counts(lists: Sequence[TrainingList], depth: int | None = None) -> ListCounts:
    """Queries, positives and negatives of the lists, of their best `depth` candidates if it is given."""
    labels = [one.labels[:depth] for one in lists]
    positives = sum(map(sum, labels))
    return ListCounts(len(lists), positives, sum(map(len, labels)) - positives)


def taught(lists: Sequence[TrainingList], teacher: str) -> list[TrainingList]:
    """The lists with a teacher's log-odds: "blend" for the first stage's own, or a reranker by name.

    Raises:
        TrainingError: the lists do not hold the blend's log-odds.
        ModelError: the reranker cannot be loaded.
    """
    if teacher == "blend":
        if any(one.first_stage is None for one in lists):
            raise TrainingError("the blend teaches lists of the fused pool only: add --candidates pool")
        return [replace(one, teacher=one.first_stage) for one in lists]
    reranker = load_reranker(teacher)
    if reranker is None:
        raise TrainingError("distillation needs a teacher: the blend, or a reranker")
    return [replace(one, teacher=_log_odds(reranker, one)) for one in progress(lists, teacher, len(lists))]


def _log_odds(reranker: CrossEncoder, one: TrainingList) -> list[float]:
    relevance = np.clip(reranker.score(one.query, one.candidates).astype(np.float64), 1e-7, 1 - 1e-7)
    return list((np.log(relevance) - np.log1p(-relevance)).tolist())


def _list(
    example: TrainingQuery, recommender: Recommender, generation: OpenGeneration, texts: dict[int, Text],
    recipe: ListRecipe, left_out: NDArray[np.bool_],
) -> TrainingList:  # fmt: skip
    pool = recommender.pool(example.query, recipe.settings)
    places = np.flatnonzero(~left_out[pool.numbers])[: recipe.depth]
    numbers = pool.numbers[places]
    unread = [int(number) for number in numbers if int(number) not in texts]
    texts.update(zip(unread, generation.catalog.texts(unread), strict=True))
    known = None
    if recipe.log_odds:
        known = Blend.load().first_stage(recommender.features(pool, example.query)[places]).tolist()
    cited = np.isin(numbers, example.gold).astype(int)
    candidates = [texts[int(number)] for number in numbers]
    return TrainingList(example.query.text, candidates, cited.tolist(), known, citations=len(example.gold))
