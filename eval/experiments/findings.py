"""What an experiment found: a row of figures for every variant, and what is to be drawn."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from eval.metrics import QueryScores
from eval.significance import Difference, Interval, differences_to, figure_of, mean_interval

# Rows are compared by it.
COMPARED = "F1@20"


@dataclass(frozen=True, slots=True)
class Measured:
    """How one variant did on every corpus."""

    scores: Mapping[str, QueryScores]  # by corpus
    seconds: float | None = None  # a query, over all corpora; None where not timed


@dataclass(frozen=True, slots=True)
class Row:
    """One variant."""

    name: str
    figures: Mapping[str, Interval]  # means over the corpora
    by_corpus: Mapping[str, Mapping[str, float]]  # corpus → figure → value
    against: Difference | None = None  # its F1@20 minus the baseline's; None for the baseline
    adjusted_p: float | None = None  # of that, after Holm for all rows
    seconds: float | None = None  # a query


@dataclass(frozen=True, slots=True)
class Panel:
    """One diagram: points over named places, one colour a series."""

    kind: Literal["lines", "points"]  # places along the bottom, joined; or down the side, unjoined
    places: tuple[str, ...]
    series: Mapping[str, Sequence[Interval | None]]  # None where a series has no value
    quantity: str  # of the values
    axis: str = ""  # what the places are


@dataclass(frozen=True, slots=True)
class Findings:
    """All that an experiment found."""

    rows: tuple[Row, ...]
    queries: Mapping[str, int]  # by corpus
    panels: tuple[Panel, ...]
    # Figures that papers report for the same variant: set of papers → variant → figure → value.
    published: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()  # what a reader has to know

    @property
    def figures(self) -> tuple[str, ...]:
        """Names of the figures."""
        return tuple(self.rows[0].figures)


def rows_of(
    measured: Mapping[str, Measured], figures: Sequence[str], baseline: str | None = None, seed: int = 0
) -> tuple[Row, ...]:
    """A row for every variant, in their order; the first is the baseline unless another is named."""
    scores = {name: list(one.scores.values()) for name, one in measured.items()}
    compared = differences_to(scores, next(iter(measured)) if baseline is None else baseline, COMPARED, seed)
    return tuple(
        Row(
            name=name,
            figures={figure: mean_interval(scores[name], figure, seed=seed) for figure in figures},
            by_corpus={corpus: values_of(found, figures) for corpus, found in one.scores.items()},
            against=compared[name][0],
            adjusted_p=compared[name][1],
            seconds=one.seconds,
        )
        for name, one in measured.items()
    )


def points(rows: Sequence[Row]) -> tuple[Panel, ...]:
    """A diagram of each figure, the rows down the side."""
    return tuple(replace(panel, kind="points") for panel in curves(rows, [row.name for row in rows], ""))


def curves(rows: Sequence[Row], places: Sequence[object], axis: str) -> tuple[Panel, ...]:
    """A diagram of each figure, the rows in their order at these places along the bottom."""
    names = tuple(map(str, places))
    return tuple(
        Panel("lines", names, {figure: [row.figures[figure] for row in rows]}, figure, axis)
        for figure in rows[0].figures
    )


def values_of(scores: QueryScores, figures: Sequence[str]) -> dict[str, float]:
    """The figures of one corpus."""
    return {figure: figure_of(scores, figure) for figure in figures}


def counts_of(measured: Mapping[str, Measured]) -> dict[str, int]:
    """Queries of every corpus; all variants answered the same ones."""
    first = next(iter(measured.values()))
    return {corpus: len(scores.queries) for corpus, scores in first.scores.items()}


def exact(value: float) -> Interval:
    """A published figure, which has no interval."""
    return Interval(value, value, value)
