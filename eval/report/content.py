"""All figures of a report, computed once: the page shows them, and JSON keeps them for machines."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Any

from eval.comparison import Row, compare, latex
from eval.report.failures import Failures, find_failures
from eval.report.measured import (
    CUTOFFS,
    DEPTHS,
    GROUPS,
    Floats,
    Measured,
    Seconds,
    WinsAndLosses,
    f1_by_cutoff,
    f1_by_group,
    groups_by_gold,
    recall_by_depth,
    seconds_of,
    wins_and_losses,
)
from eval.significance import DRAWS
from eval.split import SplitRecord


@dataclass(frozen=True, slots=True)
class SystemFigures:
    """One system."""

    row: Row
    recall: Floats  # at each of DEPTHS
    f1: Floats  # at each of CUTOFFS
    f1_by_group: Sequence[float | None]  # for each of GROUPS
    against: WinsAndLosses | None  # None for the baseline
    seconds: Seconds | None  # None where no times were kept

    @property
    def name(self) -> str:
        """As in the tables."""
        return self.row.name


@dataclass(frozen=True, slots=True)
class Report:
    """One part of a split."""

    version: str  # of the program
    part: str
    record: SplitRecord
    encoder: str | None  # of the index that is there, if it has vectors
    queries: int
    queries_without_gold: int
    gold_citations: int  # to be found
    group_sizes: Sequence[int]  # queries in each of GROUPS
    baseline: str
    best: str  # the first of those with the highest F1@20
    seed: int  # of intervals and tests
    systems: Sequence[SystemFigures]
    failures: Failures
    latex: str


def make_report(measured: Measured, baseline: str | None = None, seed: int = 0) -> Report:
    """Compute everything; the first system is the baseline unless another is named.

    Raises:
        SourceError: no such baseline, or see `find_failures`.
    """
    scored = {name: system.scores for name, system in measured.systems.items()}
    rows = compare(scored, baseline, seed=seed)
    base = next(row.name for row in rows if row.against is None)
    best = max(rows, key=lambda row: row.figures["F1@20"].value).name
    groups = groups_by_gold(measured.qrels, scored[base].queries)
    systems = [
        SystemFigures(
            row=row,
            recall=recall_by_depth(measured.qrels, measured.systems[row.name].ranks),
            f1=f1_by_cutoff(measured.qrels, measured.systems[row.name].ranks),
            f1_by_group=f1_by_group(scored[row.name], groups),
            against=None if row.name == base else wins_and_losses(scored[row.name], scored[base]),
            seconds=seconds_of(measured.times[row.name]) if row.name in measured.times else None,
        )
        for row in rows
    ]
    return Report(
        version=version("citescout"),
        part=measured.part,
        record=measured.record,
        encoder=measured.encoder,
        queries=len(measured.qrels),
        queries_without_gold=measured.without_gold,
        gold_citations=sum(map(len, measured.qrels.values())),
        group_sizes=[int(group.sum()) for group in groups],
        baseline=base,
        best=best,
        seed=seed,
        systems=systems,
        failures=find_failures(measured, best, base),
        latex=latex(rows),
    )


def as_json(report: Report) -> dict[str, Any]:
    """The report as JSON has it; lists follow `depths`, `cutoffs` and `groups`."""
    record = report.record
    return {
        **{name: getattr(report, name) for name in _AS_THEY_ARE},
        "split": {
            "source": record.source,
            "protocol": asdict(record.protocol) | {"test_ids": record.named},
            "counts": asdict(record.counts),
        },
        "draws": DRAWS,
        "depths": DEPTHS,
        "cutoffs": CUTOFFS,
        "groups": [
            {"fewest_gold": fewest, "most_gold": most, "queries": size}
            for (fewest, most), size in zip(GROUPS, report.group_sizes, strict=True)
        ],
        "systems": {system.name: _system(system) for system in report.systems},
        "failures": asdict(report.failures),
    }


_AS_THEY_ARE = (
    "version", "part", "encoder", "queries", "queries_without_gold", "gold_citations", "baseline", "best", "seed"
)  # fmt: skip


def _system(system: SystemFigures) -> dict[str, Any]:
    row, against = system.row, system.against
    return {
        "figures": {name: asdict(interval) for name, interval in row.figures.items()},
        "f1_at_20_per_query": row.means.f1_at_20_per_query,
        "precision_at_1": row.means.precision_at_1,
        "bpref": row.means.bpref,
        "unanswered": row.unanswered,
        "against_baseline": row.against
        and against
        and {
            "f1_at_20": asdict(row.against.interval),
            "p": row.against.p,
            "p_holm": row.adjusted_p,
            **asdict(against),
            "differences": against.differences.tolist(),
        },
        "recall_by_depth": system.recall.tolist(),
        "f1_by_cutoff": system.f1.tolist(),
        "f1_at_20_by_group": list(system.f1_by_group),
        "seconds": system.seconds and asdict(system.seconds),
    }
