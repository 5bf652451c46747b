"""What a report is made of: the gold citations of a split's part, and its runs as far as they are needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from citescout.systems import systems
from common.errors import SourceError
from eval.comparison import scored_runs
from eval.metrics import Qrels, QueryScores, Run
from eval.report.split_record import SplitRecord, read_record
from eval.times import Times, read_times
from eval.trec import read_qrels

# Query → gold paper → its rank from 1, of those that the list holds.
GoldRanks = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class MeasuredSystem:
    """A run, scored."""

    path: Path
    scores: QueryScores
    ranks: GoldRanks


@dataclass(frozen=True, slots=True)
class Measured:
    """A part of a split with its runs."""

    part: str
    record: SplitRecord
    papers: Path  # what was indexed
    queries: Path
    qrels: Qrels
    without_gold: int  # queries that are left out
    systems: Mapping[str, MeasuredSystem]  # in the order of the tables; others behind them, by name
    times: Times


def read_measured(folder: Path, part: str) -> Measured:
    """Read and score `FOLDER/runs/PART/*.trec`.

    Raises:
        SourceError: no split, no such part or no runs there, or a damaged file.
    """
    record = read_record(folder)
    gold, runs = folder / f"{part}.qrels", folder / "runs" / part
    if not gold.is_file():
        raise SourceError(f"{folder} has no part {part!r}")
    known = {system.name: place for place, system in enumerate(systems().values())}
    names = {path: path.stem.replace("_", " ") for path in runs.glob("*.trec")}
    if not names:
        raise SourceError(f"no runs in {runs}: make them with `citescout eval run {folder} --part {part}`")
    if strange := [path for path, name in names.items() if not name.isprintable()]:
        raise SourceError(f"the name of {str(strange[0])!r} cannot be shown: rename the run")
    paths = sorted(names, key=lambda path: (known.get(names[path], len(known)), names[path]))
    qrels, without_gold = read_qrels(gold)
    measured = {
        name: MeasuredSystem(path, scores, gold_ranks(qrels, run))
        for path, (name, run, scores) in zip(paths, scored_runs(qrels, paths), strict=True)
    }
    return Measured(
        part,
        record,
        folder / f"{part}.papers.jsonl",
        folder / f"{part}.queries.jsonl",
        qrels,
        without_gold,
        measured,
        read_times(runs),
    )


def gold_ranks(qrels: Qrels, run: Run) -> GoldRanks:
    """The ranks of the gold papers in each query's list."""
    return {
        query: {paper: rank for rank, paper in enumerate(run.get(query, ()), start=1) if paper in gold}
        for query, gold in qrels.items()
    }
