"""Findings as a Markdown table; and all files of an experiment."""

from __future__ import annotations

import orjson

from common.files import write_atomically
from eval.comparison import shown_p, with_range
from eval.experiments.base import Experiment, Inputs
from eval.experiments.findings import COMPARED, Findings
from eval.experiments.plot import write_plot
from eval.experiments.record import record_of


def write_report(experiment: Experiment, inputs: Inputs, findings: Findings) -> str:
    """Write OUT/NAME.json and OUT/NAME.svg; the Markdown is returned."""
    record = orjson.dumps(record_of(experiment, inputs, findings), option=orjson.OPT_INDENT_2)
    write_atomically(inputs.out / f"{experiment.name}.json", record)
    write_plot(findings.panels, experiment.question, inputs.out / f"{experiment.name}.svg")
    return markdown(findings)


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
    heads += [f"{source}: {' '.join(findings.figures)}" for source in findings.published]
    lines = [f"| {' | '.join(heads)} |", "|---" * len(heads) + "|"]
    for row in findings.rows:
        cells = [row.name, *(with_range(found) for found in row.figures.values())]
        cells += [with_range(row.against.interval, "+") if row.against else "baseline", shown_p(row.adjusted_p)]
        if timed:
            cells.append("" if row.seconds is None else f"{row.seconds:.2f}")
        for reported in findings.published.values():
            cells.append(" ".join(f"{reported[row.name][one]:.3f}" for one in findings.figures if row.name in reported))
        lines.append(f"| {' | '.join(cells)} |")
    counts = findings.queries
    return "\n".join(
        [
            *lines,
            "",
            f"Means over {len(counts)} {'corpus' if len(counts) == 1 else 'corpora'} ({', '.join(counts)}), "
            f"{sum(counts.values()):,} validation queries; [95 % bootstrap intervals over the queries].",
            *findings.notes,
        ]
    )
