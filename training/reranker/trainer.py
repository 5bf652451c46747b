"""Both recipes for a cross-encoder: what a user chooses, and the recipe's own figures for the rest.

Both are fed with the same records, lists of *retrieved* candidates. Cited papers that the first stage did not find must
not be added: networks then learn that little overlap means cited, and collapse (BIR 2020, section 4).

`training.reranker.sequence_pairs`, the paper's: any Hugging Face encoder over `[CLS]` query `[SEP]` candidate `[SEP]`,
256 + 256 tokens, the BM25 top 10 of each training query with its classes left unbalanced, cross-entropy, Adam 3e-6
(0.9, 0.999), weight decay 0.01 (of matrices, as in BERT's own code), linear warm-up over 10k steps and linear decay,
dropout 0.1 in all layers, batches of 128, 300k steps.

`training.reranker.late_join`, the default reranker's: the late-join network from all-MiniLM-L6-v2, the layers below the
join frozen, on the fused pool with citation-graph votes. A list is up to 4 cited and at least 8 uncited candidates,
half of the latter from the best ranked; every cited one is held against all uncited ones (softmax cross-entropy). In a
share of the lists the first stage's own log-odds are added to the scores, so that the network learns what the first
stage lacks. What is kept is a moving average of the weights, and a calibration turns its scores into probabilities.

Either can be given another loss (`training.losses`), other candidates, and validation queries that say when
to stop (`training.loop`).
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rerank.token_split import TokenSplit
from training.checkpoints import check_out
from training.reranker.lists import Outcome, TrainingList, TrainingLists
from training.reranker.settings import LateJoinSettings, RerankerSettings, SequencePairSettings

LATE_JOIN = "late-join"

RecipeSettings = LateJoinSettings | SequencePairSettings


def recipe_settings(base: str, tokens: TokenSplit | None = None, **given: Any) -> RecipeSettings:
    """The settings of the base's recipe with those fields that are `given` and not None."""
    known = {name: value for name, value in {"split": tokens, **given}.items() if value is not None}
    if base == LATE_JOIN:
        found = replace(LateJoinSettings(), **known)
        return found if tokens is None else replace(found, score_split=tokens)
    pairs = replace(SequencePairSettings(), **known)
    return replace(pairs, warm_up=min(pairs.warm_up, pairs.steps // 10), chunk=min(pairs.chunk, pairs.batch_size))


def train_reranker(
    base: str, lists: TrainingLists, out: Path, settings: RecipeSettings, resume: bool = False,
    validation: Sequence[TrainingList] = (),
) -> Outcome:  # fmt: skip
    """Train the late-join network (`base` "late-join") or any encoder that reads pairs; see the recipes.

    A checkpoint stays until the caller removes it.

    Raises:
        TrainingError, ModelError: see `training.reranker.sequence_pairs` and `training.reranker.late_join`.
    """
    if isinstance(settings, LateJoinSettings):
        from training.reranker.late_join import train_late_join

        return train_late_join(lists, out, settings, resume, validation)
    from training.reranker.sequence_pairs import train_sequence_pairs

    return train_sequence_pairs(base, lists, out, settings, resume, validation)


def check_run(base: str, out: Path, settings: RerankerSettings, resume: bool) -> None:
    """Refuse what cannot be trained before the lists are retrieved, which may take hours.

    Raises:
        TrainingError: `out` holds a model, or a checkpoint that is not resumed.
        ModelError: `base` cannot be loaded or has too few positions.
    """
    check_out(out, resume)
    if base != LATE_JOIN:
        from training.reranker.sequence_pairs import check_base

        check_base(base, settings.split)
