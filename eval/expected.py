"""Expected figures, out of `expected.json`: of runs of ours, and every row of the papers' tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from common.stored import parsed

_EXPECTED = Path(__file__).with_name("expected.json")

Benchmark = Literal["scidocs", "collection", "contexts"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table."""

    figures: Mapping[str, float]  # by name; shares, not per cent
    system: str | None = None  # the system, baseline or variant here that makes it; None where only a model or run does
    model: str | None = None  # what has to be given for it, in words; None if nothing


@dataclass(frozen=True, slots=True)
class Expectation:
    """A table, or one column group of it; its figures are of a split, an experiment, SciDocs or a collection."""

    name: str
    source: str  # the paper and its table
    says: str
    tolerance: float
    rows: Mapping[str, Row]  # by the paper's name of it
    data: str | None = None  # what only the user can obtain, in words; None where it is the demo corpus
    protocol: str | None = None  # of a split
    train_share: float | None = None
    part: str = "test"
    experiment: str | None = None  # its name
    benchmark: Benchmark | None = None
    queries: int = 0  # that an experiment, or sentences, are drawn


def figures_of(table: str) -> dict[str, dict[str, float]]:
    """Row → figure → value, of the table of this name."""
    return {row: dict(one.figures) for row, one in expectations()[table].rows.items()}


def expectations() -> dict[str, Expectation]:
    """All that is written down, by name."""
    found: tuple[Expectation, ...] = parsed(_EXPECTED.read_bytes(), tuple[Expectation, ...], _EXPECTED.name)
    return {one.name: one for one in found}
