"""Expected scores, and whether they come out again: measured anew and compared with what is written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from common.errors import SourceError
from eval.comparison import score_files
from eval.experiments.base import Inputs, experiments
from eval.indexes import index_of_papers
from eval.protocols import PROTOCOLS
from eval.significance import FIGURES, figure_of
from eval.split import write_split
from eval.split_run import run_split
from eval.trec import read_qrels
from indexer.readers import read_papers

_EXPECTED = Path(__file__).with_name("expected.json")


@dataclass(frozen=True, slots=True)
class Expectation:
    """Figures of one split, from a run of ours or from a paper; or of an experiment on the demo corpus."""

    name: str
    says: str
    needs_data: bool  # which only the user can obtain; else it is the demo corpus
    protocol: str | None  # None of an experiment
    train_share: float | None
    part: str
    experiment: str | None  # its name; None of a split
    queries: int  # that it is asked to draw
    tolerance: float
    figures: Mapping[str, Mapping[str, float]]  # system or variant → figure → value


@dataclass(frozen=True, slots=True)
class Outcome:
    """One figure, expected and found."""

    system: str
    figure: str
    expected: float
    found: float
    tolerance: float

    @property
    def holds(self) -> bool:
        """Within the tolerance, which takes in the rounding of what is written down."""
        return abs(self.found - self.expected) <= self.tolerance + 5e-4


def expectations() -> dict[str, Expectation]:
    """All that is written down, by name."""
    return {
        entry["name"]: Expectation(
            name=entry["name"],
            says=entry["says"],
            needs_data=entry["data"] is None,
            protocol=entry.get("protocol"),
            train_share=entry.get("train_share"),
            part=entry.get("part", "test"),
            experiment=entry.get("experiment"),
            queries=entry.get("queries", 0),
            tolerance=entry["tolerance"],
            figures=entry["figures"],
        )
        for entry in orjson.loads(_EXPECTED.read_bytes())
    }


def reproduce(expectation: Expectation, work: Path, sources: Sequence[str]) -> list[Outcome]:
    """Split, run and score the papers of `sources` below `work`, or do the experiment on them.

    Raises:
        SourceError: no source is given, or one cannot be read.
    """
    if not sources:
        name = expectation.name
        raise SourceError(f"{name} needs its papers: citescout eval reproduce {name} --data FILE_OR_FOLDER")
    found = _experiment(expectation, work, sources) if expectation.experiment else _split(expectation, work, sources)
    return [
        Outcome(system, figure, value, found[system][figure], expectation.tolerance)
        for system, figures in expectation.figures.items()
        for figure, value in figures.items()
    ]


def _split(expectation: Expectation, work: Path, sources: Sequence[str]) -> dict[str, dict[str, float]]:
    """Figures by system."""
    protocol = PROTOCOLS[expectation.protocol or "corpus"]
    if expectation.train_share is not None:
        protocol = replace(protocol, train_share=expectation.train_share)
    folder = work / expectation.name
    write_split(read_papers(sources), protocol, folder)
    only_bm25 = set(expectation.figures) == {"BM25"}
    runs = run_split(folder, expectation.part, list(expectation.figures), None if only_bm25 else "minilm")
    scored = score_files(read_qrels(folder / f"{expectation.part}.qrels")[0], runs)
    return {system: {figure: figure_of(one, figure) for figure in FIGURES} for system, one in scored.items()}


def _experiment(expectation: Expectation, work: Path, sources: Sequence[str]) -> dict[str, dict[str, float]]:
    """Figures by variant."""
    index = index_of_papers(lambda: read_papers(sources), work / "index", "minilm", ", ".join(sources))
    inputs = Inputs((index,), work / expectation.name, queries=expectation.queries)
    findings = experiments()[expectation.experiment or ""].run(inputs)
    return {row.name: {name: one.value for name, one in row.figures.items()} for row in findings.rows}
