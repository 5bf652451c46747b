"""The three ways to make a query of a paper in progress (BIR 2020, section 5.3 and table 4)."""

from citescout.settings import Settings
from eval.expected import figures_of
from eval.experiments.asking import ask
from eval.experiments.base import Experiment, Inputs, register
from eval.experiments.findings import Findings, Panel, counts_of, exact, rows_of
from indexer.bm25_parameters import PYSERINI
from retrieval.forms import QueryForm

_FIGURES = ("F1@20", "MRR", "R@1000")
# As in the table.
_FORMS: dict[QueryForm, str] = {"title+abstract": "Title and Abstract", "title": "Title", "key-terms": "Key Terms"}
_SETS = {"Open Research": "open-research", "PubMed": "pubmed", "DBLP": "dblp"}


def published() -> dict[str, dict[str, dict[str, float]]]:
    """BM25's figures in each set of papers, by form."""
    tables = {source: figures_of(f"{name}-query-forms") for source, name in _SETS.items()}
    return {source: {form: table[row] for form, row in _FORMS.items()} for source, table in tables.items()}


def run(inputs: Inputs) -> Findings:
    """Ask BM25, with Pyserini's parameters as in the paper, in every form."""
    variants: dict[str, Settings] = {
        form: Settings(sources=("bm25",), query_form=form, bm25=PYSERINI, blend=False, depth=0) for form in _FORMS
    }
    measured = ask(inputs, variants)
    rows = rows_of(measured, _FIGURES, seed=inputs.seed)
    reported = published()
    panels = tuple(
        Panel(
            kind="points",
            places=tuple(_FORMS),
            series={
                "here": [row.figures[figure] for row in rows],
                **{source: [exact(found[form][figure]) for form in _FORMS] for source, found in reported.items()},
            },
            quantity=figure,
        )
        for figure in _FIGURES
    )
    return Findings(rows, counts_of(measured), panels, reported)


register(
    Experiment(
        "query-forms",
        "What should BM25 be asked: title and abstract, title, or key terms?",
        run,
        paper="BIR 2020, table 4",
    )
)
