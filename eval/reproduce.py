"""Expected scores, and whether they come out again: split, run and score, compared with what is written down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import orjson

from common.errors import SourceError
from eval.comparison import score_files
from eval.protocols import PROTOCOLS
from eval.significance import figure_of
from eval.split import write_split
from eval.split_run import run_split
from eval.trec import read_qrels
from indexer.readers import read_papers

EXPECTED = Path(__file__).with_name("expected.json")


@dataclass(frozen=True, slots=True)
class Expectation:
    """Figures of one split, from a run of ours or from a paper."""

    name: str
    says: str
    needs_data: bool  # which only the user can obtain; else it is the demo corpus
    protocol: str
    train_share: float | None
    part: str
    tolerance: float
    figures: Mapping[str, Mapping[str, float]]  # system → figure → value


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


def expectations(path: Path = EXPECTED) -> dict[str, Expectation]:
    """All that is written down, by name."""
    return {
        entry["name"]: Expectation(
            name=entry["name"],
            says=entry["says"],
            needs_data=entry["data"] is None,
            protocol=entry["protocol"],
            train_share=entry.get("train_share"),
            part=entry["part"],
            tolerance=entry["tolerance"],
            figures=entry["figures"],
        )
        for entry in orjson.loads(path.read_bytes())
    }


def reproduce(expectation: Expectation, work: Path, sources: Sequence[str]) -> list[Outcome]:
    """Split, run and score the papers of `sources` below `work`.

    Raises:
        SourceError: no source is given, or one cannot be read.
    """
    if not sources:
        name = expectation.name
        raise SourceError(f"{name} needs its papers: citescout eval reproduce {name} --data FILE_OR_FOLDER")
    protocol = PROTOCOLS[expectation.protocol]
    if expectation.train_share is not None:
        protocol = replace(protocol, train_share=expectation.train_share)
    folder = work / expectation.name
    write_split(read_papers(sources), protocol, folder)
    only_bm25 = set(expectation.figures) == {"BM25"}
    runs = run_split(folder, expectation.part, list(expectation.figures), None if only_bm25 else "minilm")
    scored = score_files(read_qrels(folder / f"{expectation.part}.qrels")[0], runs)
    return [
        Outcome(system, figure, value, figure_of(scored[system], figure), expectation.tolerance)
        for system, figures in expectation.figures.items()
        for figure, value in figures.items()
    ]
