"""Findings as a Markdown table, a JSON record and a diagram."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import orjson

from common.files import write_atomically
from eval.experiments.base import Experiment, Inputs
from eval.experiments.findings import COMPARED, Findings, Row
from eval.experiments.plot import write_plot
from eval.significance import Interval


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
        cells = [row.name, *(_with_range(found) for found in row.figures.values())]
        cells += [_with_range(row.against.interval, "+") if row.against else "baseline", _p(row.adjusted_p)]
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


def record_of(experiment: Experiment, inputs: Inputs, findings: Findings) -> dict[str, Any]:
    """What is kept: how it was measured, every row with its intervals and corpora, and the published figures."""
    return {
        "experiment": experiment.name,
        "question": experiment.question,
        "queries": dict(findings.queries),
        "seed": inputs.seed,
        "newest": inputs.newest,
        **{option: getattr(inputs, option) for option in experiment.options},
        "rows": [_row(row) for row in findings.rows],
        "published": {source: dict(reported) for source, reported in findings.published.items()},
        "notes": list(findings.notes),
    }


def _row(row: Row) -> dict[str, Any]:
    record = asdict(row)
    return {key: value for key, value in record.items() if value is not None}


def _with_range(found: Interval, sign: str = "") -> str:
    return f"{found.value:{sign}.3f} [{found.low:{sign}.3f}, {found.high:{sign}.3f}]"


def _p(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}" if value >= 1e-3 else "< .001"
