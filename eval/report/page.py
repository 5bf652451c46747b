"""A report as one HTML file that needs nothing else."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eval.comparison import shown_p
from eval.metrics import METRICS
from eval.report import wording
from eval.report.content import Report
from eval.report.failures import ENOUGH_GOLD
from eval.report.measured import CUTOFFS, DEPTHS, GROUPS, TABLE_CUTOFFS, TABLE_DEPTHS, group_name
from eval.report.plots import draw

if TYPE_CHECKING:
    from jinja2 import Template

_FOLDER = Path(__file__).parent
_LONGEST_TEXT = 300  # characters of a title
_ROWS = 10  # gold papers of each kind that the page shows of a query


def template(name: str, **filters: Callable[..., Any]) -> Template:
    """A page of this folder, with `filters` beside `plain`."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"plain": plain, **filters}
    return environment.get_template(name)


def style_sheet() -> str:
    """What all pages look like."""
    return (_FOLDER / "page.css").read_text(encoding="utf-8")


def html(report: Report) -> str:
    """The page; the same report gives the same text."""
    return template("page.html", p=shown_p).render(
        report=report,
        plots=draw(report),
        style=style_sheet(),
        wording=wording,
        best=next(system for system in report.systems if system.name == report.best),
        base=next(system for system in report.systems if system.name == report.baseline),
        figures=list(METRICS),
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
