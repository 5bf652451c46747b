"""The records of experiments as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from eval.comparison import shown_p
from eval.experiments.findings import COMPARED, Row
from eval.experiments.report import Record, published_cells, published_heads, unmeasured_rows
from eval.report.page import plain, style_sheet, template
from eval.report.plots import COLOURS, picture, style


def html(records: Sequence[Record]) -> str:
    """The page; the same records give the same text."""
    with style():
        plots = {record.place: plot(record) for record in records}
    page = template(
        "experiments.html",
        p=shown_p,
        set=set_of,
        shown=_shown,
        heads=published_heads,
        cells=published_cells,
        unmeasured=unmeasured_rows,
    )
    return page.render(
        groups=[(name, list(found)) for name, found in groupby(records, lambda record: record.experiment)],
        records=records,
        plots=plots,
        best=best,
        compared=COMPARED,
        style=style_sheet(),
    )


def best(record: Record) -> Row:
    """The first of the rows with the highest F1@20."""
    return max(record.findings.rows, key=lambda row: row.figures[COMPARED].value)


def set_of(record: Record) -> str:
    """What the queries come from, in a few words: "union, 200 queries"."""
    corpora = list(record.findings.queries)
    asked = sum(record.findings.queries.values())
    where = corpora[0] if len(corpora) == 1 else f"{len(corpora)} corpora"
    return f"{where}, {asked:,} quer{'y' if asked == 1 else 'ies'}"


def plot(record: Record) -> str:
    """F1@20 of every row with its range, as a picture; a line marks the baseline."""
    from matplotlib.figure import Figure

    rows = record.findings.rows
    found = [row.figures[COMPARED] for row in rows]
    base = next(row for row in rows if row.against is None)
    figure = Figure(figsize=(5.0, 0.9 + 0.23 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    axes.axvline(base.figures[COMPARED].value, color=COLOURS[0], linewidth=0.8, linestyle=":")
    axes.errorbar(
        [one.value for one in found],
        range(len(rows)),
        xerr=[[one.value - one.low for one in found], [one.high - one.value for one in found]],
        linestyle="none",
        marker="o",
        color=COLOURS[1],
        capsize=2,
    )
    axes.set_yticks(range(len(rows)), [plain(row.name) for row in rows])
    axes.invert_yaxis()
    axes.set_xlabel(f"{COMPARED}; the dotted line is {plain(base.name)}")
    figures = "; ".join(f"{row.name} {row.figures[COMPARED].value:.3f}" for row in rows)
    return picture(figure, f"{COMPARED} of every variant with its 95 % range: {figures}.")


def _shown(value: object) -> str:
    """An option's value as a reader sees it."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
