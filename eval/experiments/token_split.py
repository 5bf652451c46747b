"""More tokens for the query or for the candidate (BIR 2020, section 5.3 and figure 1)."""

from __future__ import annotations

from citescout.settings import Settings
from eval.experiments.asking import Reading, ask
from eval.experiments.base import Experiment, Inputs, register
from eval.experiments.findings import Findings, Measured, Panel, counts_of, rows_of
from indexer.bm25_parameters import PYSERINI
from rerank.token_split import TokenSplit

DEPTH = 50
_EIGHTHS = (1, 2, 3, 4, 5, 6, 7)  # of all tokens, for the query


def splits_of(tokens: int) -> dict[str, TokenSplit]:
    """Splits by the names of their rows: 64 + 448 to 448 + 64 of 512 tokens."""
    splits = [TokenSplit(tokens * part // 8, tokens - tokens * part // 8) for part in _EIGHTHS]
    return {f"{split.query} + {split.candidate}": split for split in splits}


def run(inputs: Inputs) -> Findings:
    """Let the cross-encoder read BM25's best 50 with every split; the even one is the baseline."""
    splits = splits_of(inputs.tokens)
    measured: dict[str, Measured] = {}
    settings = Settings(sources=("bm25",), bm25=PYSERINI, blend=False, depth=DEPTH)
    for name, split in splits.items():
        measured |= ask(inputs, {name: settings}, Reading(inputs.reranker, split))
    even = list(splits)[len(splits) // 2]
    rows = rows_of(measured, ("F1@20", "MRR"), even, inputs.seed)
    panels = tuple(
        Panel(
            "lines",
            tuple(str(split.query) for split in splits.values()),
            {figure: [row.figures[figure] for row in rows]},
            figure,
            f"tokens of {inputs.tokens} for the query",
        )
        for figure in ("F1@20", "MRR")
    )
    return Findings(rows, counts_of(measured), panels)


register(
    Experiment(
        "token-split", "Should a cross-encoder read more of the query or of the candidate?", run, ("reranker", "tokens")
    )
)
