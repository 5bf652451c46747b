"""What each source of candidates adds to the pool: BM25, dense vectors, the citation graph."""

from __future__ import annotations

from citescout.settings import Settings
from eval.experiments.asking import ask
from eval.experiments.base import Experiment, Inputs, register
from eval.experiments.findings import Findings, Panel, counts_of, rows_of
from retrieval.first_stage import Source

_FIGURES = ("R@100", "R@1000", "F1@20")
# The graph expands what the others found, so it never stands alone.
COMBINATIONS: tuple[tuple[Source, ...], ...] = (
    ("bm25",),
    ("dense",),
    ("bm25", "dense"),
    ("bm25", "graph"),
    ("dense", "graph"),
    ("bm25", "dense", "graph"),
)


def run(inputs: Inputs) -> Findings:
    """Rank by reciprocal rank fusion of each combination, nothing learned."""
    variants = {" + ".join(sources): Settings(sources=sources, blend=False, depth=0) for sources in COMBINATIONS}
    measured = ask(inputs, variants)
    rows = rows_of(measured, _FIGURES, seed=inputs.seed)
    panels = tuple(
        Panel("points", tuple(variants), {figure: [row.figures[figure] for row in rows]}, figure) for figure in _FIGURES
    )
    return Findings(rows, counts_of(measured), panels)


register(Experiment("sources", "What do BM25, dense vectors and the citation graph each add?", run))
