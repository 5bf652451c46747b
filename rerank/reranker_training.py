"""Both recipes under one roof: what a user chooses, and the recipe's own figures for the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rerank.losses import LossName
from rerank.pairs import TokenSplit
from rerank.training_lists import TrainingList
from rerank.training_loop import Outcome, Precision, Stops
from rerank.validation import shortened


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
    validation_share: float = 0.0
    stops: Stops = field(default_factory=Stops)
    seed: int = 0


def train_reranker(
    base: str, lists: Sequence[TrainingList], out: Path, choices: Choices, resume: bool = False
) -> Outcome:  # fmt: skip
    """Train the late-join network (`base` "late-join") or any encoder that reads pairs.

    Raises:
        TrainingError, ModelError: see `rerank.training` and `rerank.late_join_training`.
    """
    common = {name: getattr(choices, name) for name in ("precision", "validation_share", "stops", "seed")}
    given = {name: getattr(choices, name) for name in ("loss", "learning_rate", "steps")}
    given = {name: value for name, value in given.items() if value is not None}
    if base == "late-join":
        return _late_join(lists, out, choices, {**common, **given}, resume)
    from rerank.training import SequencePairSettings, train_sequence_pairs

    paper = replace(SequencePairSettings(depth=choices.depth), **common, **given)
    paper = replace(paper, warm_up=min(paper.warm_up, paper.steps // 10))
    if choices.tokens is not None:
        paper = replace(paper, split=choices.tokens)
    if choices.batch_size is not None:
        paper = replace(paper, batch_size=choices.batch_size, chunk=min(paper.chunk, choices.batch_size))
    return train_sequence_pairs(base, lists, out, paper, resume)


def _late_join(
    lists: Sequence[TrainingList], out: Path, choices: Choices, figures: dict[str, Any], resume: bool
) -> Outcome:
    from rerank.late_join_training import LateJoinSettings, train_late_join

    own = replace(LateJoinSettings(), **figures)
    if choices.tokens is not None:
        own = replace(own, split=choices.tokens, score_split=choices.tokens)
    if choices.batch_size is not None:
        own = replace(own, lists=max(1, choices.batch_size // own.size))
    return train_late_join([shortened(one, choices.depth) for one in lists], out, own, resume)
