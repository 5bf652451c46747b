"""What a cross-encoder should learn from: the class imbalance of BIR 2020, section 5.2.

The paper trains on BM25's best 10, few of which are cited, and finds F1@20 close to 0 when the classes are balanced
with cited papers that BM25 did not retrieve, and when random papers are added as negatives.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray

from eval.experiments.base import Experiment, Inputs, register
from eval.experiments.findings import Findings, counts_of, points, rows_of
from eval.experiments.fine_tuning import Example, bm25_lists, fine_tuned, lists_of

BM25, AS_RETRIEVED = "BM25", "top 10 as retrieved"
BALANCED, RANDOM = "balanced with cited papers beyond the top 10", "with as many random negatives"
SAMPLINGS = (AS_RETRIEVED, BALANCED, RANDOM)


def run(inputs: Inputs) -> Findings:
    """Fine-tune the base by the paper's recipe on each sampling, and let each model read BM25's best 50.

    Raises:
        SourceError: an index that cannot be asked.
        TrainingError: no cited paper in the top 10 of any training query.
        ModelError: no such base, or it has too few positions for the tokens.
    """
    measured = {BM25: bm25_lists(inputs)}
    lists = lists_of(inputs, {name: partial(sample, name) for name in SAMPLINGS})
    for number, (name, found) in enumerate(lists.items()):
        folder = inputs.out / "imbalance" / str(number + 1)
        measured[name] = fine_tuned(inputs.base, found, folder, inputs, inputs.seed)
    rows = rows_of(measured, ("F1@20", "MRR"), seed=inputs.seed)
    notes = tuple(f"{name}: {found}." for name, found in lists.items())
    return Findings(rows, counts_of(measured), points(rows), notes=notes)


def sample(name: str, example: Example, rng: np.random.Generator) -> NDArray[np.int32]:
    """The candidates of one list."""
    retrieved = example.retrieved
    if name == BALANCED:
        cited = int(np.isin(retrieved, example.gold).sum())
        missed = np.setdiff1d(example.gold, retrieved)
        lacking = max(len(retrieved) - 2 * cited, 0)
        return np.concatenate([retrieved, rng.permutation(missed)[:lacking]]).astype(np.int32)
    if name == RANDOM:
        others = np.setdiff1d(example.allowed, np.union1d(retrieved, example.gold))
        return np.concatenate([retrieved, rng.permutation(others)[: len(retrieved)]]).astype(np.int32)
    return retrieved


register(
    Experiment(
        "imbalance",
        "Should a cross-encoder learn from what BM25 retrieves, or from balanced or random papers?",
        run,
        ("base", "steps", "batch_size", "learning_rate", "training_queries", "tokens"),
        "BIR 2020, section 5.2",
    )
)
