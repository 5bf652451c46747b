"""Expected figures, as `expected.json` has them: of runs of ours, and every row of the papers' tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import orjson

_EXPECTED = Path(__file__).with_name("expected.json")
_DEMO = "demo"

Benchmark = Literal["scidocs", "collection", "contexts"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table."""

    figures: Mapping[str, float]  # by name; shares, not per cent
    system: str | None  # the system, baseline or variant here that makes it; None where only a model or run does
    model: str | None  # what has to be given for it, in words; None if nothing


@dataclass(frozen=True, slots=True)
class Expectation:
    """A table, or one column group of it; its figures are of a split, an experiment, SciDocs or a collection."""

    name: str
    source: str  # the paper and its table
    says: str
    data: str | None  # what only the user can obtain, in words; None where it is the demo corpus
    protocol: str | None  # of a split
    train_share: float | None
    part: str
    experiment: str | None  # its name
    benchmark: Benchmark | None
    queries: int  # that an experiment, or sentences, are drawn
    tolerance: float
    rows: Mapping[str, Row]  # by the paper's name of it


def expectations() -> dict[str, Expectation]:
    """All that is written down, by name."""
    return {
        entry["name"]: Expectation(
            name=entry["name"],
            source=entry["source"],
            says=entry["says"],
            data=None if entry["data"] == _DEMO else entry["data"],
            protocol=entry.get("protocol"),
            train_share=entry.get("train_share"),
            part=entry.get("part", "test"),
            experiment=entry.get("experiment"),
            benchmark=entry.get("benchmark"),
            queries=entry.get("queries", 0),
            tolerance=entry["tolerance"],
            rows={
                name: Row(row["figures"], row.get("system"), row.get("model")) for name, row in entry["rows"].items()
            },
        )
        for entry in orjson.loads(_EXPECTED.read_bytes())
    }
