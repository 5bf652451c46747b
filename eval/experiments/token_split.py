"""More tokens for the query or for the candidate (BIR 2020, section 5.3 and figure 1).

The paper trains a SciBERT-Base for every split; without `trained`, one cross-encoder reads with all of them.
"""

from eval.experiments.asking import RerankerChoice
from eval.experiments.base import Experiment, Inputs, register
from eval.experiments.findings import Findings, Measured, counts_of, curves, rows_of
from eval.experiments.fine_tuning import DEPTH, bm25_lists, fine_tuned, retrieved_lists
from rerank.token_split import TokenSplit

# The paper draws a curve and gives no table.
_FOUND = (
    "Published (SciBERT-Base, a model for each split, Open Research): 64 to 256 query tokens are worth .02 F1@20, "
    "256 to 64 candidate tokens cost next to nothing."
)
_EIGHTHS = (1, 2, 3, 4, 5, 6, 7)  # of all tokens, for the query


def splits_of(tokens: int) -> dict[str, TokenSplit]:
    """Splits by the names of their rows: 64 + 448 to 448 + 64 of 512 tokens."""
    splits = [TokenSplit(tokens * part // 8, tokens - tokens * part // 8) for part in _EIGHTHS]
    return {f"{split.query} + {split.candidate}": split for split in splits}


def run(inputs: Inputs) -> Findings:
    """Let a cross-encoder read BM25's best 50 with every split; the even one is the baseline.

    Raises:
        SourceError: an index that cannot be asked, or no cross-encoder.
        TrainingError: no cited paper in the top 10 of any training query.
        ModelError: no such model, or it has too few positions for the tokens.
    """
    splits = splits_of(inputs.tokens)
    measured: dict[str, Measured] = {}
    notes = [_FOUND]
    lists = retrieved_lists(inputs) if inputs.trained else None
    if lists is not None:
        notes.append(f"A model of its own for each split, {inputs.steps:,} steps, from {lists}.")
    for name, split in splits.items():
        if lists is None:
            measured[name] = bm25_lists(inputs, DEPTH, RerankerChoice(inputs.reranker, split))
        else:
            folder = inputs.out / "token-split" / name.replace(" ", "")
            measured[name] = fine_tuned(inputs.base, lists, folder, inputs, inputs.seed, split)
    even = list(splits)[len(splits) // 2]
    rows = rows_of(measured, ("F1@20", "MRR"), even, inputs.seed)
    panels = curves(rows, [split.query for split in splits.values()], f"tokens of {inputs.tokens} for the query")
    return Findings(rows, counts_of(measured), panels, notes=tuple(notes))


register(
    Experiment(
        "token-split",
        "Should a cross-encoder read more of the query or of the candidate?",
        run,
        ("reranker", "tokens", "trained", "base", "steps", "batch_size", "learning_rate", "training_queries"),
        "BIR 2020, figure 1",
    )
)
