"""Findings as a Markdown table; and all files of an experiment."""

from __future__ import annotations

import orjson

from common.files import write_atomically
from eval.comparison import shown_p, with_range
from eval.experiments.base import Experiment, Inputs
from eval.experiments.experiment_record import record_of
from eval.experiments.findings import COMPARED, Findings
from eval.experiments.plot import write_plot


def write_report(experiment: Experiment, inputs: Inputs, findings: Findings) -> str:
    """Write OUT/NAME.json and OUT/NAME.svg; the Markdown is returned."""
    record = orjson.dumps(record_of(experiment, inputs, findings), option=orjson.OPT_INDENT_2)
    write_atomically(inputs.out / f"{experiment.name}.json", record)
    write_plot(findings.panels, experiment.question, inputs.out / f"{experiment.name}.svg")
    return markdown(findings)


def published_heads(findings: Findings) -> list[str]:
    """The heads of the columns with what papers report: each set of papers with its figures."""
    return [f"{source}: {' '.join(next(iter(rows.values())))}" for source, rows in findings.published.items() if rows]


def published_cells(findings: Findings, variant: str) -> list[str]:
    """What papers report of a variant, a cell for each head."""
    return [
        " ".join(f"{value:.3f}" for value in rows.get(variant, {}).values())
        for rows in findings.published.values()
        if rows
    ]


def unmeasured_rows(findings: Findings) -> list[list[str]]:
    """Cells of the variants of the published tables that were not measured, in the tables' order."""
    measured = {row.name for row in findings.rows}
    known = dict.fromkeys(name for rows in findings.published.values() for name in rows)
    empty = [""] * (len(findings.figures) + 1 + any(row.seconds is not None for row in findings.rows))
    return [[name, "not measured", *empty, *published_cells(findings, name)] for name in known if name not in measured]


def markdown(findings: Findings) -> str:
    """The table: figures with their 95 % intervals, differences to the baseline, and what papers report."""
    timed = any(row.seconds is not None for row in findings.rows)
    heads = [
        "variant",
        *findings.figures,
        f"{COMPARED} − baseline",
        "p (Holm)",
        *(["seconds a query"] if timed else []),
    ]
    heads += published_heads(findings)
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in findings.rows:
        cells = [row.name, *(with_range(found) for found in row.figures.values())]
        cells += [with_range(row.against.interval, "+") if row.against else "baseline", shown_p(row.adjusted_p)]
        if timed:
            cells.append("" if row.seconds is None else f"{row.seconds:.2f}")
        lines.append(f"| {' | '.join([*cells, *published_cells(findings, row.name)])} |")
    lines += [f"| {' | '.join(cells)} |" for cells in unmeasured_rows(findings)]
    counts = findings.queries
    return "\n".join(
        [
            *lines,
            "",
            f"Means over {len(counts)} {'corpus' if len(counts) == 1 else 'corpora'} ({', '.join(counts)}), "
            f"{sum(counts.values()):,} queries; [95 % bootstrap intervals over the queries].",
            *findings.notes,
        ]
    )
