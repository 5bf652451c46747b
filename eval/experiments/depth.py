"""How many candidates a cross-encoder should read, and what they cost."""

from dataclasses import replace

from citescout.settings import Settings
from eval.experiments.asking import RerankerChoice, ask
from eval.experiments.base import Experiment, Inputs, register
from eval.experiments.findings import Findings, Panel, counts_of, exact, rows_of
from indexer.bm25_parameters import PYSERINI

TIMED = 2  # queries of each index at which the clock is looked at
DEPTHS = (0, 10, 20, 50, 100, 200, 500, 1000)
# Those of the paper, and the one that is served, which need not be read to its end.
_LISTS = {
    "BM25": (Settings(sources=("bm25",), bm25=PYSERINI, blend=False), DEPTHS),
    "blend": (Settings(), DEPTHS[:-1]),
}


def run(inputs: Inputs) -> Findings:
    """Let the cross-encoder read the top of BM25's list and of the blend's; depth 0 is the list as it is."""
    variants = {
        f"{name}, {depth}": replace(settings, depth=depth)
        for name, (settings, depths) in _LISTS.items()
        for depth in depths
    }
    # One process: others would share the cores, and times would be longer.
    measured = ask(replace(inputs, jobs=1), variants, RerankerChoice(inputs.reranker), TIMED)
    rows = rows_of(measured, ("F1@20", "MRR"), seed=inputs.seed)
    found = {row.name: row for row in rows}
    curves = {name: [found.get(f"{name}, {depth}") for depth in DEPTHS] for name in _LISTS}
    effect = {name: [row.figures["F1@20"] if row else None for row in curve] for name, curve in curves.items()}
    cost = {name: [exact(row.seconds or 0.0) if row else None for row in curve] for name, curve in curves.items()}
    panels = tuple(
        Panel("lines", tuple(map(str, DEPTHS)), series, quantity, "candidates read")
        for series, quantity in ((effect, "F1@20"), (cost, "seconds a query"))
    )
    notes = (
        f"Seconds are of the whole answer to the first {TIMED} queries of each index. The blend that ships may have "
        "learned from some of these queries.",
    )
    return Findings(rows, counts_of(measured), panels, notes=notes)


register(Experiment("depth", "How many candidates should the cross-encoder read?", run, ("reranker",)))
