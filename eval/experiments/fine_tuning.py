"""Cross-encoders that are trained for an experiment, by the paper's recipe (BIR 2020, section 2).

Their training queries are papers of the same indexes, none of which is among the validation queries.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.recommender import Recommender
from common.progress import progress
from eval.experiments.asking import RerankerChoice, ask, validation_set
from eval.experiments.base import Inputs
from eval.experiments.findings import Measured
from eval.experiments.kept_models import origin, trained
from rerank.token_split import TokenSplit
from retrieval.query import Query
from training.queries import training_queries
from training.reranker.from_index import PAPER
from training.reranker.lists import TrainingList, TrainingLists, checked_lists
from training.reranker.trainer import LATE_JOIN, recipe_settings, train_reranker

DEPTH = 50  # of BM25's list, read by each cross-encoder


@dataclass(frozen=True, slots=True)
class Example:
    """One training query with what lists are made of."""

    query: Query
    retrieved: NDArray[np.int32]  # BM25's best 10
    gold: NDArray[np.int32]
    allowed: NDArray[np.int32]  # papers that may be recommended, for random ones


def examples_of(recommender: Recommender, inputs: Inputs) -> Iterator[Example]:
    """Training queries of one index, asked of BM25.

    Raises:
        SourceError: the index has no paper to ask.
    """
    generation = recommender.generation
    asked = set(validation_set(generation, inputs.queries, inputs.seed, inputs.newest).qrels)
    wanted = inputs.training_queries
    drawn = training_queries(generation, wanted + len(asked), inputs.seed + 1, inputs.newest)
    chosen = [one for one in drawn if one.query.id not in asked][:wanted]
    for one in progress(chosen, generation.folder.parent.name, len(chosen)):
        pool = recommender.pool(one.query, PAPER.settings)
        allowed = np.flatnonzero(pool.evidence.papers).astype(np.int32)
        yield Example(one.query, pool.docids[: PAPER.depth], one.gold, allowed)


Sampling = Callable[[Example, np.random.Generator], NDArray[np.int32]]


def lists_of(inputs: Inputs, samplings: Mapping[str, Sampling]) -> dict[str, TrainingLists]:
    """By the names of the samplings, the lists that they make for the training queries of all indexes.

    Raises:
        SourceError: an index has no paper to ask.
        TrainingError: no cited paper in any list.
    """
    rng = np.random.default_rng(inputs.seed)
    lists: dict[str, list[TrainingList]] = {name: [] for name in samplings}
    for directory in inputs.directories:
        with Recommender.opened(directory, None, vectors=False) as recommender:
            for example in examples_of(recommender, inputs):
                for name, sample in samplings.items():
                    docids = sample(example, rng)
                    labels = np.isin(docids, example.gold).astype(int).tolist()
                    texts = list(recommender.generation.catalog.texts(docids))
                    lists[name].append(TrainingList(example.query.text, texts, labels))
    return {name: checked_lists(found) for name, found in lists.items()}


def retrieved_lists(inputs: Inputs) -> TrainingLists:
    """The lists that BM25 retrieves; see `lists_of`."""
    return lists_of(inputs, {"": lambda example, _: example.retrieved})[""]


def split_of(inputs: Inputs) -> TokenSplit:
    """The even split of the tokens."""
    return TokenSplit(inputs.tokens // 2, inputs.tokens - inputs.tokens // 2)


def fine_tuned(
    base: str, lists: TrainingLists, folder: Path, inputs: Inputs, seed: int, split: TokenSplit | None = None
) -> Measured:
    """Train `base` on the lists into `folder`, and let it read BM25's best; the split of the tokens is even by default.

    Raises:
        TrainingError: no cited paper in any list.
        SourceError: see `kept_models.trained`.
        ModelError: no such base, or it has too few positions for the tokens.
    """
    split = split or split_of(inputs)
    settings = recipe_settings(
        base,
        split,
        steps=inputs.steps,
        learning_rate=inputs.learning_rate,
        batch_size=inputs.batch_size,
        depth=int(lists.lengths.max()),
        seed=seed,
    )
    made_of = origin(settings, None if base == LATE_JOIN else base, (), lists.digest)
    trained(folder, made_of, lambda resume: str(train_reranker(base, lists, folder, settings, resume)))
    return bm25_lists(inputs, DEPTH, RerankerChoice(str(folder), split))


def bm25_lists(inputs: Inputs, depth: int = 0, reading: RerankerChoice | None = None) -> Measured:
    """How BM25's lists do, of whose best `depth` a cross-encoder reads; see `ask` for the errors."""
    return ask(inputs, {"": replace(PAPER.settings, depth=depth)}, reading)[""]
