"""What is kept and shown of an experiment: a record as JSON, a Markdown table, and diagrams as SVG.

The record says how it was measured and what came out, and is read again. The same findings give the same bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from common.errors import CitescoutError, SourceError, extra_needed, os_errors
from common.files import write_atomically
from common.stored import parsed
from common.words import counted
from eval.comparison import shown_p
from eval.experiments.base import Experiment, Inputs
from eval.experiments.findings import COMPARED, Findings, Panel, Row
from eval.tables import markdown_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's colours, which colour-blind readers distinguish as well.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKS = ("o", "s", "D", "^", "v", "P", "X")


def check_plots() -> None:
    """Raise CitescoutError where diagrams cannot be drawn, better before the measurements than after them."""
    with extra_needed(CitescoutError, "drawing needs matplotlib", "eval"):
        import matplotlib  # noqa: F401


def write_plot(panels: Sequence[Panel], title: str, path: Path) -> None:
    """Draw the panels side by side."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    most = max(len(panel.places) * len(panel.series) for panel in panels)
    height = 1.6 + 0.16 * most if panels[0].kind == "points" else 3.6
    # Ids in an SVG are random unless salted.
    with rc_context({"svg.hashsalt": "citescout", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(max(7.5, 4.6 * len(panels)), max(2.9, height)), layout="constrained")
        for panel, axes in zip(panels, figure.subplots(1, len(panels), squeeze=False)[0], strict=True):
            draw_panel(panel, axes)
        if len(panels[0].series) > 1:  # the panels of one experiment show the same series
            handles, labels = figure.axes[0].get_legend_handles_labels()
            figure.legend(handles, labels, loc="outside lower center", ncols=len(labels))
        figure.suptitle(title)
        target = BytesIO()
        figure.savefig(target, format="svg", metadata={"Date": None})
    write_atomically(path, target.getvalue())


def draw_panel(panel: Panel, axes: Axes) -> None:
    """One of the panels."""
    styles = cycle(zip(_COLOURS, _MARKS, strict=True))
    points = panel.kind == "points"
    step = 0.7 / max(len(panel.series), 1)
    for number, ((name, found), (colour, mark)) in enumerate(zip(panel.series.items(), styles, strict=False)):
        known = [(place, one) for place, one in enumerate(found) if one is not None]
        # Points of several series would hide each other; lines are distinct anyway.
        shift = (number - (len(panel.series) - 1) / 2) * step if points else 0.0
        places = [place + shift for place, _ in known]
        values = [one.value for _, one in known]
        reach = np.transpose([one.reach for _, one in known]) if known else None
        style: Any = {"color": colour, "marker": mark, "markersize": 4, "label": name, "elinewidth": 1, "capsize": 2}
        if points:
            axes.errorbar(values, places, xerr=reach, linestyle="", **style)
        else:
            axes.errorbar(places, values, yerr=reach, linewidth=1.2, **style)
    along, across = (axes.yaxis, axes.xaxis) if points else (axes.xaxis, axes.yaxis)
    along.set_ticks(range(len(panel.places)), panel.places)
    along.set_label_text(panel.axis)
    across.set_label_text(panel.quantity)
    if points:
        axes.invert_yaxis()
    axes.grid(visible=True, alpha=0.3, linewidth=0.5)
    if any(one.low < 0 for found in panel.series.values() for one in found if one):  # differences
        (axes.axvline if points else axes.axhline)(0, color="black", linewidth=0.8)


@dataclass(frozen=True, slots=True)
class Record:
    """One run of an experiment."""

    place: str  # of its file, below the folder that was read
    experiment: str  # name
    question: str
    seed: int  # of the queries, the intervals, the tests and the training
    options: Mapping[str, Any]  # those that only some experiments have
    findings: Findings  # without panels
    newest: int  # the queries were drawn from this many times as many of the newest papers


def record_of(experiment: Experiment, inputs: Inputs, findings: Findings) -> dict[str, Any]:
    """What is kept: how it was measured, every row with its intervals and corpora, and the published figures."""
    return {
        "experiment": experiment.name,
        "question": experiment.question,
        "queries": dict(findings.queries),
        "seed": inputs.seed,
        "newest": inputs.newest,
        "options": {option: getattr(inputs, option) for option in experiment.options},
        "rows": [{key: value for key, value in asdict(row).items() if value is not None} for row in findings.rows],
        "published": {source: dict(reported) for source, reported in findings.published.items()},
        "notes": list(findings.notes),
    }


def read_records(folder: Path) -> list[Record]:
    """The records anywhere below a folder, by experiment and place; other JSON files (of models, say) are passed over.

    Raises:
        SourceError: no such folder, no record in it, or a damaged file.
    """
    if not folder.is_dir():
        raise SourceError(f"{folder} is not a folder with records of experiments")
    found = [record for path in sorted(folder.rglob("*.json")) if (record := _read(path, folder))]
    if not found:
        raise SourceError(f"no record of an experiment in {folder}: `citescout eval experiment NAME --out {folder}`")
    return sorted(found, key=lambda record: (record.experiment, record.place))


def _read(path: Path, folder: Path) -> Record | None:
    try:
        with os_errors(SourceError, f"read {path}"):
            content = orjson.loads(path.read_bytes())
    except ValueError as error:
        raise SourceError(f"{path} is damaged: no JSON ({error})") from None
    if not isinstance(content, dict) or "experiment" not in content:
        return None
    named = {"place": path.relative_to(folder).as_posix(), "findings": {"panels": (), **content}}
    what = f"{path} is not a record of an experiment"
    record: Record = parsed(orjson.dumps({**content, **named}), Record, what)
    try:
        _check(record.findings.rows, record.findings.queries)
    except ValueError as error:
        raise SourceError(f"{what}: {error}") from None
    return record


def _check(rows: tuple[Row, ...], queries: Mapping[str, int]) -> None:
    """Raise ValueError where the rows do not make a table."""
    if not rows:
        raise ValueError("it has no row")
    if COMPARED not in rows[0].figures:
        raise ValueError(f"there is no {COMPARED} in its rows")
    for row in rows:
        if row.figures.keys() != rows[0].figures.keys():
            raise ValueError(f"the row {row.name!r} has other figures than the first")
        if row.by_corpus.keys() != queries.keys():
            raise ValueError(f"the row {row.name!r} has other corpora than were asked")
    if sum(row.against is None for row in rows) != 1:
        raise ValueError("one row, no more and no less, is the baseline")


def write_report(experiment: Experiment, inputs: Inputs, findings: Findings) -> str:
    """Write OUT/NAME.json and OUT/NAME.svg; the Markdown is returned."""
    record = orjson.dumps(record_of(experiment, inputs, findings), option=orjson.OPT_INDENT_2)
    write_atomically(inputs.out / f"{experiment.name}.json", record)
    write_plot(findings.panels, experiment.question, inputs.out / f"{experiment.name}.svg")
    return markdown(findings)


def table_of(findings: Findings) -> tuple[list[str], list[list[str]]]:
    """Heads and rows: figures with their 95 % intervals, differences to the baseline, and what papers report.

    Variants of the published tables that were not measured stand below, in the tables' order.
    """
    published = {source: rows for source, rows in findings.published.items() if rows}
    timed = ["seconds a query"] if any(row.seconds is not None for row in findings.rows) else []
    heads = ["variant", *findings.figures, f"{COMPARED} − baseline", "p (Holm)", *timed]
    rows = {name: [name, "not measured"] + [""] * (len(heads) - 2) for found in published.values() for name in found}
    for row in findings.rows:
        against = row.against.interval.shown("+.3f") if row.against else "baseline"
        seconds = "" if row.seconds is None else f"{row.seconds:.2f}"
        figures = (found.shown() for found in row.figures.values())
        rows[row.name] = [row.name, *figures, against, shown_p(row.adjusted_p), *([seconds] if timed else [])]
    for source, found in published.items():
        heads.append(f"{source}: {' '.join(next(iter(found.values())))}")
        for name, cells in rows.items():
            cells.append(" ".join(f"{value:.3f}" for value in found.get(name, {}).values()))
    measured = [row.name for row in findings.rows]
    return heads, [rows[name] for name in dict.fromkeys([*measured, *rows])]


def markdown(findings: Findings) -> str:
    """The table, and what there is to know of it."""
    counts = findings.queries
    return "\n".join(
        [
            markdown_table(*table_of(findings)),
            "",
            f"Means over {counted(len(counts), 'corpus', 'corpora')} ({', '.join(counts)}), "
            f"{sum(counts.values()):,} queries; [95 % bootstrap intervals over the queries].",
            *findings.notes,
        ]
    )
