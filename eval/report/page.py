"""A report, or the records of experiments, as one HTML file that needs nothing else."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.words import counted
from eval.comparison import shown_p, table_of
from eval.experiments.findings import COMPARED, Panel, Row
from eval.experiments.report import Record, draw_panel
from eval.experiments.report import table_of as table_of_findings
from eval.metrics import METRICS
from eval.report import wording
from eval.report.content import Report
from eval.report.failures import ENOUGH_GOLD
from eval.report.measured import CUTOFFS, DEPTHS, GROUPS, TABLE_CUTOFFS, TABLE_DEPTHS, group_name
from eval.report.plots import COLOURS, draw, picture, style

if TYPE_CHECKING:
    from jinja2 import Template
    from markupsafe import Markup

_FOLDER = Path(__file__).parent
_LONGEST_TEXT = 300  # characters of a title
_ROWS = 10  # gold papers of each kind that the page shows of a query


def template(name: str, **filters: Callable[..., Any]) -> Template:
    """A page of this folder, with the common style, and `filters` beside `plain`, `p` and `ranges`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"plain": plain, "p": shown_p, "ranges": ranges, **filters}
    environment.globals["style"] = (_FOLDER / "page.css").read_text(encoding="utf-8")
    return environment.get_template(name)


def html(report: Report) -> str:
    """The page; the same report gives the same text."""
    heads, rows = table_of([system.row for system in report.systems])
    return template("page.html").render(
        report=report,
        plots=draw(report),
        wording=wording,
        best=next(system for system in report.systems if system.name == report.best),
        base=next(system for system in report.systems if system.name == report.baseline),
        heads=heads,
        systems=[(one, list(zip(heads, row, strict=True))[1:]) for one, row in zip(report.systems, rows, strict=True)],
        highest={name: max(system.row.figures[name].value for system in report.systems) for name in METRICS},
        depths=[(depth, DEPTHS.index(depth)) for depth in TABLE_DEPTHS],
        cutoffs=[(cutoff, CUTOFFS.index(cutoff)) for cutoff in TABLE_CUTOFFS],
        groups=[(group_name(group), number) for number, group in enumerate(GROUPS) if report.group_sizes[number]],
        enough_gold=ENOUGH_GOLD,
        rows=_ROWS,
    )


def plain(text: str) -> str:
    """On one line, without control characters, and not endless."""
    line = " ".join("".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in text).split())
    return line if len(line) <= _LONGEST_TEXT else line[: _LONGEST_TEXT - 1] + "…"


def ranges(cell: str) -> Markup:
    """A cell whose range, if it has one, is in small letters."""
    from markupsafe import Markup, escape

    return Markup(re.sub(r"\[.*\]", r"<small>\g<0></small>", str(escape(cell))))  # noqa: S704 - it is escaped


def experiments_html(records: Sequence[Record]) -> str:
    """The page; the same records give the same text."""
    with style():
        plots = {record.place: plot(record) for record in records}
    return template("experiments.html", set=set_of, shown=_shown, table=table_of_findings).render(
        groups=[(name, list(found)) for name, found in groupby(records, lambda record: record.experiment)],
        records=records,
        plots=plots,
        best=best,
        compared=COMPARED,
    )


def best(record: Record) -> Row:
    """The first of the rows with the highest F1@20."""
    return max(record.findings.rows, key=lambda row: row.figures[COMPARED].value)


def set_of(record: Record) -> str:
    """What the queries come from, in a few words: "union, 200 queries"."""
    corpora = list(record.findings.queries)
    asked = sum(record.findings.queries.values())
    where = corpora[0] if len(corpora) == 1 else f"{len(corpora)} corpora"
    return f"{where}, {counted(asked, 'query', 'queries')}"


def plot(record: Record) -> str:
    """F1@20 of every row with its range, as a picture; a line marks the baseline."""
    from matplotlib.figure import Figure

    rows = record.findings.rows
    found = [row.figures[COMPARED] for row in rows]
    base = next(row for row in rows if row.against is None)
    figure = Figure(figsize=(5.0, 0.9 + 0.23 * len(rows)), layout="constrained")
    axes = figure.add_subplot()
    axes.axvline(base.figures[COMPARED].value, color=COLOURS[0], linewidth=0.8, linestyle=":")
    names = tuple(plain(row.name) for row in rows)
    draw_panel(Panel("points", names, {COMPARED: found}, f"{COMPARED}; the dotted line is {plain(base.name)}"), axes)
    figures = "; ".join(f"{row.name} {row.figures[COMPARED].value:.3f}" for row in rows)
    return picture(figure, f"{COMPARED} of every variant with its 95 % range: {figures}.")


def _shown(value: object) -> str:
    """An option's value as a reader sees it."""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
