"""What an ablation is: one published table, a variant for each of its rows, and how the variants differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from common.errors import SourceError
from encoders.ctpe.parts import Split
from eval.expectations import expectations
from eval.experiments.base import Option
from training.ctpe.settings import Negatives
from training.triplets.sampling import Mix
from training.triplets.scincl import PAPER_NEGATIVE, PAPER_POSITIVE, Drawing

# What an encoder gets to see of a paper.
Reads = Literal["title", "title+abstract", "title+abstract+venue", "title+abstract+authors"]

# What makes two papers near; other names are files of triplets that the user gives.
CITATIONS, NEIGHBOURS, CO_CITATION = "citations", "neighbours in citation space", "co-citation"


@dataclass(frozen=True, slots=True)
class Tuned:
    """An encoder that is fine-tuned on triplets; without a signal, its base as it is."""

    signals: tuple[str, ...] = (CITATIONS,)
    reads: Reads = "title+abstract"
    mix: Mix = field(default_factory=Mix)
    ranks: tuple[int, int] = (PAPER_POSITIVE, PAPER_NEGATIVE)  # SciNCL's k⁺ and k⁻, of the paper's corpus
    drawing: Drawing = field(default_factory=Drawing)
    share: float = 1.0  # of the queries with triplets
    bias_only: bool = False  # BitFit
    init: str = ""  # name of what it starts from; "" for --base


@dataclass(frozen=True, slots=True)
class Coupled:
    """A CTPE, or the mean of its word vectors."""

    words: str = "word2vec"
    split: Split = "title"
    negatives: Negatives = "random"
    made: Literal["trained", "untrained", "mean"] = "trained"


@dataclass(frozen=True, slots=True)
class Baseline:
    """One of `citescout eval baselines`."""

    name: str


Making = Tuned | Coupled | Baseline


@dataclass(frozen=True, slots=True)
class Variant:
    """One row."""

    name: str
    making: Making


@dataclass(frozen=True, slots=True)
class Ablation:
    """One table or figure of a paper; its first variant is what the others are compared with."""

    name: str  # of the command
    question: str
    paper: str  # whose, and which table
    size: str  # what the paper trained on, for the note that this here is no verdict on it
    figures: tuple[str, ...]  # that are measured
    depth: int  # papers of a list
    variants: tuple[Variant, ...]
    options: tuple[Option, ...]
    reported: Mapping[str, str] = field(default_factory=dict)  # set of papers → its name in `eval.expectations`
    finding: str = ""  # what the paper says where it prints no figures
    axis: str = ""  # what the variants count, where they are points of a curve

    def chosen(self, names: tuple[str, ...]) -> tuple[Variant, ...]:
        """The named variants and the first, which they are compared with; all without a name.

        Raises:
            SourceError: there is no such variant.
        """
        known = [variant.name for variant in self.variants]
        if unknown := [name for name in names if name not in known]:
            raise SourceError(f"{self.name} has no variant {unknown[0]!r}: there are {'; '.join(known)}")
        return tuple(one for one in self.variants if not names or one.name in (known[0], *names))

    @property
    def published(self) -> dict[str, dict[str, dict[str, float]]]:
        """Set of papers → variant → figure → value, of every row of the paper's table."""
        known = expectations()
        return {
            source: {row: dict(one.figures) for row, one in known[table].rows.items()}
            for source, table in self.reported.items()
        }
