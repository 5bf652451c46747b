"""What a baseline is: one declaration, and a ranker that is fitted on the texts of a corpus."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from common.arrays import unit_rows
from common.order import POSITIVE, SIGNED, Precision
from encoders.text import Text
from retrieval.hits import Hits

# (queries, papers): may this paper be in the list of this query?
AllowedMatrix = NDArray[np.bool_]
Matrix = NDArray[np.float32]
# Of each paper, the numbers of those that it cites.
Citations = Sequence[NDArray[np.integer]]
Need = Literal["nothing", "citations", "glove", "download"]


class Ranker(ABC):
    """Ranks the papers that it was fitted on; a paper's number is its place among them."""

    def see(self, citations: Citations) -> None:  # noqa: B027 - most learn from texts alone
        """Keep who cites whom, before `fit`; what the papers cite that are asked is hidden."""

    @abstractmethod
    def fit(self, papers: Sequence[Text]) -> None:
        """Learn from the texts of a corpus.

        Raises:
            SourceError: there is nothing to learn from, or a file that is needed cannot be read.
        """

    @abstractmethod
    def rank(self, queries: Sequence[Text], allowed: AllowedMatrix, depth: int) -> list[Hits]:
        """The `depth` best allowed papers of each query; a query's list does not depend on the other queries."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a user may choose about the baselines."""

    seed: int = 0
    glove: Path | None = None  # a text file of word vectors
    rerank_depth: int = 100  # candidates that a reranking baseline reads
    epochs: int | None = None  # passes over the texts of what is trained on them; None for those of the papers


@dataclass(frozen=True, slots=True)
class Baseline:
    """One row of the table."""

    name: str
    description: str  # one line
    make: Callable[[Setup], Ranker]  # raises CitescoutError at once where a file, a library or a model is missing
    needs: Need = "nothing"  # beside texts: citations, or what the installation has not


registered: dict[str, Baseline] = {}


def register(baseline: Baseline) -> None:
    """Give a baseline a name for `--systems`."""
    registered[baseline.name] = baseline


class ScoreRanker(Ranker):
    """A ranker that scores every paper for every query."""

    precision: ClassVar[Precision] = POSITIVE  # of the scores

    @abstractmethod
    def scores(self, queries: Sequence[Text]) -> Matrix:
        """Shape (queries, papers); -inf where a pair has nothing to be compared by, which is never recommended."""

    def rank(self, queries: Sequence[Text], allowed: AllowedMatrix, depth: int) -> list[Hits]:
        """See `Ranker.rank`."""
        scores = self.scores(queries)
        found = (np.flatnonzero(may & np.isfinite(row)) for may, row in zip(allowed, scores, strict=True))
        return [
            Hits.best(docids, row[docids], depth, self.precision) for docids, row in zip(found, scores, strict=True)
        ]


class VectorRanker(ScoreRanker):
    """A ranker by the cosine of vectors; a zero vector is that of a text in which nothing is known."""

    precision = SIGNED

    @abstractmethod
    def learn(self, papers: Sequence[Text]) -> Matrix:
        """Fit the model; the vectors of the papers, shape (papers, dimension)."""

    @abstractmethod
    def vectors(self, queries: Sequence[Text]) -> Matrix:
        """The vectors of queries, shape (queries, dimension)."""

    def fit(self, papers: Sequence[Text]) -> None:
        """See `Ranker.fit`."""
        # In 64 bits, so that a cosine is the same whatever is computed along with it: how sums of 32 bits are rounded
        # depends on how many queries there are, and decides near a tie's bound.
        self._papers = unit_rows(self.learn(papers)).astype(np.float64)

    def scores(self, queries: Sequence[Text]) -> Matrix:
        """Cosines; see `ScoreRanker.scores`."""
        vectors = unit_rows(self.vectors(queries))
        cosines = (vectors.astype(np.float64) @ self._papers.T).astype(np.float32)
        cosines[~vectors.any(axis=1)] = -np.inf
        cosines[:, ~self._papers.any(axis=1)] = -np.inf
        return cosines
