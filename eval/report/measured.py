"""What a report is made of: the gold citations of a split's part, its runs, and the curves that the plots show of them.

Recall by depth, F1 by cut-off, wins and losses, F1 by the number of gold citations, times.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.systems import SYSTEMS
from common.errors import IndexDirectoryError, SourceError
from common.measures import harmonic
from eval.comparison import scored_runs
from eval.indexes import encoder_of
from eval.metrics import Qrels, QueryScores, Run
from eval.split import RUNS, SplitRecord, read_record
from eval.trec import Times, read_qrels, read_times, run_files, system_of

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
    encoder: str | None  # of the index; None where it has no vectors, is not there or cannot be opened


def read_measured(folder: Path, part: str) -> Measured:
    """Read and score `FOLDER/runs/PART/*.trec`.

    Raises:
        SourceError: no split, no such part or no runs there, or a damaged file.
    """
    record = read_record(folder)
    gold, runs = folder / f"{part}.qrels", folder / RUNS / part
    if not gold.is_file():
        raise SourceError(f"{folder} has no part {part!r}")
    known = {system.name: place for place, system in enumerate(SYSTEMS.values())}
    names = {path: system_of(path) for path in run_files(runs)}
    if not names:
        raise SourceError(f"no runs in {runs}: make them with `citescout eval run {folder} --part {part}`")
    if unprintable := [path for path, name in names.items() if not name.isprintable()]:
        raise SourceError(f"the name of {str(unprintable[0])!r} cannot be shown: rename the run")
    paths = sorted(names, key=lambda path: (known.get(names[path], len(known)), names[path]))
    qrels, without_gold = read_qrels(gold)
    measured = {
        name: MeasuredSystem(path, scores, gold_ranks(qrels, run))
        for path, (name, run, scores) in zip(paths, scored_runs(qrels, paths, without_gold), strict=True)
    }
    return Measured(
        part,
        record,
        folder / f"{part}.papers.jsonl",
        folder / f"{part}.queries.jsonl",
        qrels,
        len(without_gold),
        measured,
        read_times(runs),
        _encoder_of(folder / f"index-{part}"),
    )


def _encoder_of(index: Path) -> str | None:
    with suppress(IndexDirectoryError):  # it is damaged, or of another version: the runs are here
        return encoder_of(index)
    return None


def gold_ranks(qrels: Qrels, run: Run) -> GoldRanks:
    """The ranks of the gold papers in each query's list."""
    return {
        query: {paper: rank for rank, paper in enumerate(run.get(query, ()), start=1) if paper in gold}
        for query, gold in qrels.items()
    }


Floats = NDArray[np.float64]

# The depths of the page's table, and between them as many as a logarithmic axis shows.
TABLE_DEPTHS = (1, 5, 10, 20, 50, 100, 200, 500, 1000)
DEPTHS: tuple[int, ...] = tuple(sorted({*np.geomspace(1, 1000, 90).round().astype(int).tolist(), *TABLE_DEPTHS}))
TABLE_CUTOFFS = (1, 5, 10, 15, 20, 25, 30, 40, 50)
CUTOFFS: tuple[int, ...] = tuple(range(1, 51))
# Fewest and most gold citations of a group of queries; None for any number.
GROUPS: tuple[tuple[int, int | None], ...] = ((1, 2), (3, 5), (6, 10), (11, 20), (21, 50), (51, None))
_SAME = 1e-9  # F1 values that lie no farther apart are equal


@dataclass(frozen=True, slots=True)
class WinsAndLosses:
    """A system against the baseline, query by query."""

    differences: Floats  # of F1@20, the greatest gain first
    better: int
    equal: int
    worse: int


@dataclass(frozen=True, slots=True)
class Seconds:
    """How long a system takes for a query."""

    queries: int
    median: float
    p95: float


def group_name(group: tuple[int, int | None]) -> str:
    """One of `GROUPS` as a reader sees it: "3–5", "over 50"."""
    fewest, most = group
    return f"{fewest}–{most}" if most else f"over {fewest - 1}"


def recall_by_depth(qrels: Qrels, ranks: GoldRanks, depths: Sequence[int] = DEPTHS) -> Floats:
    """Mean over the queries of recall at each depth, shape (len(depths),)."""
    gold = np.asarray([[len(qrels[query])] for query in qrels])
    means: Floats = (_hits(qrels, ranks, depths) / gold).mean(axis=0)
    return means


def f1_by_cutoff(qrels: Qrels, ranks: GoldRanks, cutoffs: Sequence[int] = CUTOFFS) -> Floats:
    """F1 of mean precision and mean recall at each cut-off, as `eval.metrics.Scores.f1_at_20` is at 20."""
    precision = _hits(qrels, ranks, cutoffs).mean(axis=0) / np.asarray(cutoffs)
    return harmonic(precision, recall_by_depth(qrels, ranks, cutoffs))


def wins_and_losses(one: QueryScores, baseline: QueryScores) -> WinsAndLosses:
    """Each query's F1@20 with one system minus that with the other, which must have been asked the same queries."""
    differences = np.sort(one.f1_at_20 - baseline.f1_at_20)[::-1]
    better = int(np.count_nonzero(differences > _SAME))
    worse = int(np.count_nonzero(differences < -_SAME))
    return WinsAndLosses(differences, better, len(differences) - better - worse, worse)


def groups_by_gold(qrels: Qrels, queries: Sequence[str]) -> list[NDArray[np.bool_]]:
    """For each of `GROUPS`, which of the queries are in it."""
    gold = np.asarray([len(qrels[query]) for query in queries])
    return [(gold >= fewest) & (gold <= (most or gold.max())) for fewest, most in GROUPS]


def f1_by_group(scores: QueryScores, groups: Sequence[NDArray[np.bool_]]) -> list[float | None]:
    """F1@20 of the mean precision and mean recall of each group's queries; None for a group without queries."""
    precision, recall = scores.values["P@20"], scores.values["R@20"]
    return [float(harmonic(precision[group].mean(), recall[group].mean())) if group.any() else None for group in groups]


def seconds_of(times: Sequence[float]) -> Seconds:
    """Median and 95th percentile."""
    return Seconds(len(times), float(np.median(times)), float(np.percentile(times, 95)))


def _hits(qrels: Qrels, ranks: GoldRanks, depths: Sequence[int]) -> NDArray[np.int64]:
    """How many gold papers stand at each depth or above, shape (len(qrels), len(depths))."""
    return np.stack([np.searchsorted(sorted(ranks[query].values()), depths, side="right") for query in qrels])
