"""Both recipes for a cross-encoder under one roof: what a user chooses, and the recipe's own figures for the rest.

Both are fed with the same records, lists of *retrieved* candidates. Cited papers that the first stage did not find must
not be added: networks then learn that little overlap means cited, and collapse (BIR 2020, section 4).

`training.reranker.sequence_pairs`, the paper's: any Hugging Face encoder over `[CLS]` query `[SEP]` candidate `[SEP]`,
256 + 256 tokens, the BM25 top 10 of each training query with its classes left unbalanced, cross-entropy, Adam 3e-6
(0.9, 0.999), weight decay 0.01, linear warm-up over 10k steps and linear decay, dropout 0.1 in all layers, batches of
128, 300k steps.

`training.reranker.late_join`, the default reranker's: the late-join network from all-MiniLM-L6-v2, the layers below the
join frozen, on the fused pool with citation-graph votes. A list is up to 4 cited and at least 8 uncited candidates,
half of the latter from the best ranked; every cited one is held against all uncited ones (softmax cross-entropy). In a
share of the lists the first stage's own log-odds are added to the scores, so that the network learns what the first
stage lacks. What is kept is a moving average of the weights, and a calibration turns its scores into probabilities.

Either can be given another loss (`training.reranker.losses`), other candidates, and validation queries that say when
to stop (`training.reranker.loop`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rerank.token_split import TokenSplit
from training.reranker.lists import TrainingList, TrainingLists
from training.reranker.loop import Outcome, Precision, Stops, check_folder
from training.reranker.losses import LossName


@dataclass(frozen=True, slots=True)
class Choices:
    """Options of a run; None for the recipe's own."""

    depth: int  # candidates of a list to learn from
    loss: LossName | None = None
    tokens: TokenSplit | None = None
    learning_rate: float | None = None
    batch_size: int | None = None  # pairs a step
    steps: int | None = None
    precision: Precision = "auto"
    stops: Stops = field(default_factory=Stops)
    seed: int = 0


def train_reranker(
    base: str, lists: TrainingLists, out: Path, choices: Choices, resume: bool = False,
    validation: Sequence[TrainingList] = (),
) -> Outcome:  # fmt: skip
    """Train the late-join network (`base` "late-join") or any encoder that reads pairs; see the recipes.

    Raises:
        TrainingError, ModelError: see `training.reranker.sequence_pairs` and `training.reranker.late_join`.
    """
    common = {name: getattr(choices, name) for name in ("precision", "stops", "seed")}
    given = {name: getattr(choices, name) for name in ("loss", "learning_rate", "steps")}
    given = {name: value for name, value in given.items() if value is not None}
    if base == "late-join":
        return _late_join(lists, out, choices, {**common, **given}, resume, validation)
    from training.reranker.sequence_pairs import SequencePairSettings, train_sequence_pairs

    paper = replace(SequencePairSettings(depth=choices.depth), **common, **given)
    paper = replace(paper, warm_up=min(paper.warm_up, paper.steps // 10))
    if choices.tokens is not None:
        paper = replace(paper, split=choices.tokens)
    if choices.batch_size is not None:
        paper = replace(paper, batch_size=choices.batch_size, chunk=min(paper.chunk, choices.batch_size))
    return train_sequence_pairs(base, lists, out, paper, resume, validation)


def check_run(base: str, out: Path, choices: Choices, resume: bool) -> None:
    """Refuse what cannot be trained before the lists are retrieved, which may take hours.

    Raises:
        TrainingError: `out` holds a checkpoint that is not resumed.
        ModelError: `base` cannot be loaded or has too few positions.
    """
    check_folder(out, resume)
    if base != "late-join":
        from training.reranker.sequence_pairs import check_base

        check_base(base, choices.tokens or TokenSplit())


def _late_join(
    lists: TrainingLists, out: Path, choices: Choices, figures: dict[str, Any], resume: bool,
    validation: Sequence[TrainingList],
) -> Outcome:  # fmt: skip
    from training.reranker.late_join import LateJoinSettings, train_late_join

    own = replace(LateJoinSettings(), **figures)
    if choices.tokens is not None:
        own = replace(own, split=choices.tokens, score_split=choices.tokens)
    if choices.batch_size is not None:
        own = replace(own, lists=max(1, choices.batch_size // own.size))
    return train_late_join(lists.shortened(choices.depth), out, own, resume, validation)
