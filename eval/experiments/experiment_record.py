"""What is kept of an experiment: how it was measured and what came out, written as JSON and read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from common.errors import SourceError
from eval.experiments.base import Experiment, Inputs
from eval.experiments.findings import COMPARED, Findings, Row
from eval.stored import parsed


@dataclass(frozen=True, slots=True)
class Record:
    """One run of an experiment."""

    place: str  # of its file, below the folder that was read
    experiment: str  # name
    question: str
    seed: int  # of the queries, the intervals, the tests and the training
    options: Mapping[str, Any]  # those that only some experiments have
    findings: Findings  # without panels
    newest: int | None = None  # the queries were drawn from this many times as many; None where it was not kept


def record_of(experiment: Experiment, inputs: Inputs, findings: Findings) -> dict[str, Any]:
    """What is kept: how it was measured, every row with its intervals and corpora, and the published figures."""
    return {
        "experiment": experiment.name,
        "question": experiment.question,
        "queries": dict(findings.queries),
        "seed": inputs.seed,
        "newest": inputs.newest,
        "options": {option: getattr(inputs, option) for option in experiment.options},
        "rows": [_without_nothing(row) for row in findings.rows],
        "published": {source: dict(reported) for source, reported in findings.published.items()},
        "notes": list(findings.notes),
    }


def read_records(folder: Path) -> list[Record]:
    """The records anywhere below a folder, by experiment and place; other JSON files (of models, say) are passed over.

    Raises:
        SourceError: no such folder, no record in it, or a damaged file.
    """
    if not folder.is_dir():
        raise SourceError(f"{folder} is no folder with records of experiments")
    found = [record for path in sorted(folder.rglob("*.json")) if (record := _read(path, folder))]
    if not found:
        raise SourceError(f"no record of an experiment in {folder}: `citescout eval experiment NAME --out {folder}`")
    return sorted(found, key=lambda record: (record.experiment, record.place))


def _read(path: Path, folder: Path) -> Record | None:
    try:
        content = orjson.loads(path.read_bytes())
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise SourceError(f"{path} is damaged: no JSON ({error})") from None
    if not isinstance(content, dict) or "experiment" not in content:
        return None
    named = {"place": path.relative_to(folder).as_posix(), "findings": {"panels": (), **content}}
    what = f"{path} is no record of an experiment"
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


def _without_nothing(row: Row) -> dict[str, Any]:
    return {key: value for key, value in asdict(row).items() if value is not None}
