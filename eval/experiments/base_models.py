"""What a cross-encoder should be fine-tuned from (BIR 2020, section 5.1 and table 3)."""

from collections.abc import Mapping, Sequence

import numpy as np

from common.errors import SourceError
from encoders.model import folder_named
from encoders.models import registered
from eval.expected import figures_of
from eval.experiments.base import Experiment, Inputs, register
from eval.experiments.findings import Findings, Measured, counts_of, points, rows_of, values_of
from eval.experiments.fine_tuning import bm25_lists, fine_tuned, retrieved_lists, split_of
from eval.metrics import QueryScores
from training.reranker.sequence_pairs import check_base

BM25 = "BM25"
_FIGURES = ("F1@20", "MRR")
# Rows of table 3 (development set of Open Research) by what the name of a model holds, the first that fits.
TABLE_3 = {
    "bluebert_pubmed_mimic_uncased_l-12": "NCBI Base",
    "bluebert_pubmed_mimic_uncased_l-24": "NCBI Large",
    "scibert_scivocab": "SciBERT Base",
    "scibert_basevocab": "SciBERT Base, BERT's vocabulary",
    "biobert-v1.1": "BioBERT v1.1",
    "biobert-base-cased-v1.1": "BioBERT v1.1",
    "roberta-large": "RoBERTa Large",
    "bert-large-uncased-whole-word": "BERT Large, whole words masked",
    "bert-large-cased-whole-word": "BERT Large, whole words masked",
    "bert-large": "BERT Large",
    "bert-base": "BERT Base",
}


def run(inputs: Inputs) -> Findings:
    """Fine-tune every base on the same lists, with the same seeds, and let each model read BM25's best 50.

    Raises:
        SourceError: two bases of one name, or an index that cannot be asked.
        TrainingError: no cited paper in the top 10 of any training query.
        ModelError: no such base, or it has too few positions for the tokens.
    """
    bases = names_of(inputs.bases)
    for base in bases.values():  # a name that is wrong should not be found out after hours of training
        check_base(base, split_of(inputs))
    measured = {BM25: bm25_lists(inputs)}
    lists = retrieved_lists(inputs)
    notes = [f"All learned from {lists}."]
    for number, (name, base) in enumerate(bases.items()):
        found: list[Measured] = []
        for seed in range(inputs.seed, inputs.seed + inputs.trainings):
            folder = inputs.out / "base-models" / f"{number + 1}-seed-{seed}"
            found.append(fine_tuned(base, lists, folder, inputs, seed))
        measured[name] = averaged(found)
        if inputs.trainings > 1:
            notes.append(f"{name}: F1@20 by seed {', '.join(f'{_f1(one):.3f}' for one in found)}.")
    rows = rows_of(measured, _FIGURES, seed=inputs.seed)
    return Findings(rows, counts_of(measured), points(rows), published_of(bases), tuple(notes))


def names_of(bases: Sequence[str]) -> dict[str, str]:
    """Bases by the names of their rows: a hub id as it is, a folder's own name.

    Raises:
        SourceError: two of one name.
    """
    named: dict[str, str] = {}
    for base in bases:
        name = folder_named(base).resolve().name if folder_named(base).is_dir() else base
        if name in named or name == BM25:
            raise SourceError(f"two rows would be called {name!r}: give the folders names that distinguish the bases")
        named[name] = base
    return named


def published_of(bases: Mapping[str, str]) -> dict[str, dict[str, dict[str, float]]]:
    """What table 3 reports for those of the bases that are in it."""
    table = figures_of("open-research-models")
    sources = {name: known.source if (known := registered(base)) else name for name, base in bases.items()}
    fitting = {name: [TABLE_3[part] for part in TABLE_3 if part in one.lower()] for name, one in sources.items()}
    found = {name: table[rows[0]] for name, rows in fitting.items() if rows}
    return {"Open Research": found} if found else {}


def averaged(trainings: Sequence[Measured]) -> Measured:
    """Each query's values as means over the trainings, which answered the same queries."""
    scores = {}
    for corpus, first in trainings[0].scores.items():
        all_scores = [one.scores[corpus] for one in trainings]
        values = {name: np.mean([one.values[name] for one in all_scores], axis=0) for name in first.values}
        scores[corpus] = QueryScores(first.queries, values, first.unanswered)
    return Measured(scores)


def _f1(measured: Measured) -> float:
    """The mean over the corpora."""
    return float(np.mean([values_of(scores, ("F1@20",))["F1@20"] for scores in measured.scores.values()]))


register(
    Experiment(
        "base-models",
        "What should a cross-encoder be fine-tuned from?",
        run,
        ("bases", "trainings", "steps", "batch_size", "learning_rate", "training_queries", "tokens"),
        "BIR 2020, table 3",
    )
)
