"""BM25's parameters for queries of a whole abstract. The papers' scripts use k1 = 1.2 and b = 0.75."""

from citescout.settings import Settings
from eval.experiments.asking import ask
from eval.experiments.base import Experiment, Inputs, register
from eval.experiments.findings import Findings, Panel, counts_of, rows_of
from indexer.bm25_parameters import PYSERINI, Bm25Parameters

K1 = (0.6, 0.9, 1.2, 1.5, 2.0, 2.5, 3.0)
B = (0.4, 0.6, 0.75, 0.9, 1.0)


def name_of(parameters: Bm25Parameters) -> str:
    """The name of a row."""
    return f"k1 {parameters.k1:g}, b {parameters.b:g}"


def run(inputs: Inputs) -> Findings:
    """Ask BM25 alone with every pair; Pyserini's own is the baseline."""
    grid = [Bm25Parameters(k1, b) for k1 in K1 for b in B]
    measured = ask(
        inputs, {name_of(pair): Settings(sources=("bm25",), bm25=pair, blend=False, depth=0) for pair in grid}
    )
    rows = rows_of(measured, ("F1@20", "MRR", "R@1000"), name_of(PYSERINI), inputs.seed)
    found = {row.name: row.figures for row in rows}
    panels = tuple(
        Panel(
            kind="lines",
            places=tuple(f"{k1:g}" for k1 in K1),
            series={f"b = {b:g}": [found[name_of(Bm25Parameters(k1, b))][figure] for k1 in K1] for b in B},
            quantity=figure,
            axis="k1",
        )
        for figure in ("F1@20", "R@1000")
    )
    return Findings(rows, counts_of(measured), panels)


register(Experiment("bm25", "Which k1 and b suit queries of a whole abstract?", run))
