"""What a cross-encoder should learn from: the class imbalance of BIR 2020, section 5.2.

The paper trains on BM25's best 10, few of which are cited, and finds F1@20 close to 0 when the classes are balanced
with cited papers that BM25 did not retrieve, and when random papers are added as negatives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.recommender import Recommender
from citescout.reranker_lists import PAPER, counts
from citescout.training_data import training_queries
from common.progress import progress
from encoders.minilm import minilm_folder
from eval.experiments.asking import Reading, ask, validation_set
from eval.experiments.base import Experiment, Inputs, register
from eval.experiments.findings import Findings, Measured, Panel, counts_of, rows_of
from indexer.generations import OpenGeneration, open_generation
from rerank.pairs import TokenSplit
from rerank.training_lists import TrainingList, checked_lists
from retrieval.query import Query

DEPTH = 50  # of BM25's list, read by each cross-encoder
BM25, AS_RETRIEVED = "BM25", "top 10 as retrieved"
BALANCED, RANDOM = "balanced with cited papers beyond the top 10", "with as many random negatives"
SAMPLINGS = (AS_RETRIEVED, BALANCED, RANDOM)


@dataclass(frozen=True, slots=True)
class Example:
    """One training query with what the samplings draw from."""

    query: Query
    retrieved: NDArray[np.int32]  # BM25's best 10
    gold: NDArray[np.int32]
    allowed: NDArray[np.int32]  # papers that may be recommended, for random ones


def run(inputs: Inputs) -> Findings:
    """Fine-tune the base by the paper's recipe on each sampling, and let each model read BM25's best 50.

    Raises:
        SourceError: an index that cannot be asked.
        TrainingError: no cited paper in the top 10 of any training query.
        ModelError: no such base, or it has too few positions for the tokens.
    """
    split = TokenSplit(inputs.tokens // 2, inputs.tokens - inputs.tokens // 2)
    measured: dict[str, Measured] = ask(inputs, {BM25: replace(PAPER.settings, depth=0)})
    lists = lists_of(inputs)
    for number, (name, found) in enumerate(lists.items()):
        folder = inputs.out / f"imbalance-model-{number + 1}"
        _train(inputs, found, folder, split)
        measured |= ask(inputs, {name: replace(PAPER.settings, depth=DEPTH)}, Reading(str(folder), split))
    figures = ("F1@20", "MRR")
    rows = rows_of(measured, figures, seed=inputs.seed)
    panels = tuple(
        Panel("points", tuple(measured), {figure: [row.figures[figure] for row in rows]}, figure) for figure in figures
    )
    notes = tuple(f"{name}: {counts(found)}." for name, found in lists.items())
    return Findings(rows, counts_of(measured), panels, notes=notes)


def lists_of(inputs: Inputs) -> Mapping[str, list[TrainingList]]:
    """Training lists of every sampling, from papers that are not among the validation queries."""
    chance = np.random.default_rng(inputs.seed)
    lists: dict[str, list[TrainingList]] = {name: [] for name in SAMPLINGS}
    for directory in inputs.directories:
        generation = open_generation(directory)
        for example in _examples(generation, directory, inputs):
            for name in SAMPLINGS:
                numbers = sample(name, example, chance)
                labels = np.isin(numbers, example.gold).astype(int).tolist()
                texts = list(generation.catalog.texts(numbers))
                lists[name].append(TrainingList(example.query.text, texts, labels))
        generation.close()
    return {name: checked_lists(found) for name, found in lists.items()}


def sample(name: str, example: Example, chance: np.random.Generator) -> NDArray[np.int32]:
    """The candidates of one list."""
    retrieved = example.retrieved
    if name == BALANCED:
        cited = int(np.isin(retrieved, example.gold).sum())
        missed = np.setdiff1d(example.gold, retrieved)
        lacking = max(len(retrieved) - 2 * cited, 0)
        return np.concatenate([retrieved, chance.permutation(missed)[:lacking]]).astype(np.int32)
    if name == RANDOM:
        others = np.setdiff1d(example.allowed, np.union1d(retrieved, example.gold))
        return np.concatenate([retrieved, chance.permutation(others)[: len(retrieved)]]).astype(np.int32)
    return retrieved


def _examples(generation: OpenGeneration, directory: Path, inputs: Inputs) -> Iterator[Example]:
    asked = set(validation_set(generation, directory, inputs.queries, inputs.seed).qrels)
    wanted = inputs.training_queries
    drawn = training_queries(generation, wanted + len(asked), inputs.seed + 1)
    chosen = [one for one in drawn if one.query.id not in asked][:wanted]
    recommender = Recommender(open_generation(directory), None, None)
    for one in progress(chosen, directory.name, len(chosen)):
        pool = recommender.pool(one.query, PAPER.settings)
        own = generation.catalog.numbers([one.query.id])[one.query.id]
        may = ~generation.removed & (generation.years <= (one.query.year or generation.years.max()))
        may[own] = False
        yield Example(one.query, pool.numbers[: PAPER.depth], one.gold, np.flatnonzero(may).astype(np.int32))
    recommender.close()


def _train(inputs: Inputs, lists: list[TrainingList], folder: Path, split: TokenSplit) -> None:
    from rerank.training import SequencePairSettings, train_sequence_pairs

    paper = SequencePairSettings()
    settings = replace(
        paper,
        steps=inputs.steps,
        warm_up=min(paper.warm_up, inputs.steps // 10),
        learning_rate=inputs.learning_rate,
        depth=max(len(one.labels) for one in lists),
        split=split,
        seed=inputs.seed,
    )
    train_sequence_pairs(str(minilm_folder()) if inputs.base == "minilm" else inputs.base, lists, folder, settings)


register(
    Experiment(
        "imbalance",
        "Should a cross-encoder learn from what BM25 retrieves, or from balanced or random papers?",
        run,
        ("base", "steps", "learning_rate", "training_queries", "tokens"),
    )
)
