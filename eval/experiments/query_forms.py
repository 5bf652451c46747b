"""The three ways to make a query of a paper in progress (BIR 2020, section 5.3 and table 4)."""

from __future__ import annotations

from citescout.settings import Settings
from eval.experiments.asking import ask
from eval.experiments.base import Experiment, Inputs, register
from eval.experiments.findings import Findings, Panel, counts_of, exact, rows_of
from indexer.bm25_parameters import PYSERINI
from retrieval.forms import QueryForm

_FIGURES = ("F1@20", "MRR", "R@1000")
_FORMS: tuple[QueryForm, ...] = ("title+abstract", "title", "key-terms")
# Table 4, by form: F1@20, MRR, R@1000 of BM25 on each development set.
_TABLE_4 = {
    "Open Research": ((0.095, 0.351, 0.363), (0.063, 0.244, 0.287), (0.065, 0.251, 0.282)),
    "PubMed": ((0.268, 0.720, 0.765), (0.199, 0.584, 0.654), (0.201, 0.595, 0.604)),
    "DBLP": ((0.194, 0.585, 0.691), (0.133, 0.424, 0.551), (0.130, 0.425, 0.510)),
}
PUBLISHED: dict[str, dict[str, dict[str, float]]] = {
    source: {form: dict(zip(_FIGURES, row, strict=True)) for form, row in zip(_FORMS, rows, strict=True)}
    for source, rows in _TABLE_4.items()
}


def run(inputs: Inputs) -> Findings:
    """Ask BM25, with Pyserini's parameters as in the paper, in every form."""
    variants: dict[str, Settings] = {
        form: Settings(sources=("bm25",), query_form=form, bm25=PYSERINI, blend=False, depth=0) for form in _FORMS
    }
    measured = ask(inputs, variants)
    rows = rows_of(measured, _FIGURES, seed=inputs.seed)
    panels = tuple(
        Panel(
            kind="points",
            places=_FORMS,
            series={
                "here": [row.figures[figure] for row in rows],
                **{source: [exact(found[form][figure]) for form in _FORMS] for source, found in PUBLISHED.items()},
            },
            quantity=figure,
        )
        for figure in _FIGURES
    )
    return Findings(rows, counts_of(measured), panels, PUBLISHED)


register(
    Experiment(
        "query-forms",
        "What should BM25 be asked: title and abstract, title, or key terms?",
        run,
        paper="BIR 2020, table 4",
    )
)
