"""What the scores of a list mean: the chance that a paper is cited, and whether the index has anything on the query.

Both are logistic models (Platt 1999) of a few numbers, fitted on lists of corpora that the trees had not seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from indexer.nearness import NEAREST
from rerank.features import Direction
from retrieval.first_stage import DIRECTIONS, Pool

Likelihood = Literal["likely", "perhaps", "unlikely"]
Verdict = Literal["good", "weak", "none"]

# A list is cut where papers are less probable than these.
LIKELY, PERHAPS = 0.5, 0.1
# An index fits well from here on, weakly from there on.
GOOD, WEAK = 0.5, 0.1

_BEST = 10  # BM25 scores
# Papers that a list or an index was learned from: fewer or more say the same as these.
_FEWEST, _MOST = 10, 500
# Of each of `fit_features`: whether more of it is evidence for the index, or against it.
FIT_DIRECTIONS: tuple[Direction, ...] = (1, -1, -1, 1, 1)
# Which of them an index is judged by that has vectors, and one that has none.
WITH_VECTORS: tuple[int, ...] = (0, 1, 3, 4)
BY_WORDS: tuple[int, ...] = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether the index holds papers about what the query is about."""

    chance: float  # 0 to 1, that it does
    verdict: Verdict
    unknown_words: float = 0.0  # 0 to 1, what share of the query's words stands in no other paper

    def at_least_weak(self) -> Fit:
        """The same of a query that names a paper of the index."""
        return replace(self, chance=WEAK, verdict="weak") if self.verdict == "none" else self


def likelihood(chance: float) -> Likelihood:
    """In words, the chance that the query cites a paper, from 0 to 1."""
    if chance >= LIKELY:
        return "likely"
    return "perhaps" if chance >= PERHAPS else "unlikely"


@dataclass(frozen=True, slots=True)
class Logistic:
    """P = 1 / (1 + exp(−(bias + weights · x)))."""

    weights: tuple[float, ...]
    bias: float

    def __call__(self, values: NDArray[np.floating]) -> NDArray[np.float64]:
        """Probabilities, (n, len(weights)) → (n,)."""
        odds = np.asarray(values, np.float64) @ np.asarray(self.weights) + self.bias
        return np.asarray(1 / (1 + np.exp(-np.clip(odds, -500, 500))))

    def where(self, *last: float) -> Logistic:
        """The same of the first values alone, where the last of them are known."""
        first = len(self.weights) - len(last)
        return Logistic(self.weights[:first], self.bias + float(np.dot(self.weights[first:], last)))


def size_of(papers: float) -> float:
    """The logarithm of how many papers there are.

    Each of few papers is cited by more of those who ask, and they have more words that none of these holds.
    """
    return float(np.log(np.clip(papers, _FEWEST, _MOST)))


def verdict_of(chance: float) -> Verdict:
    """In words, the chance that an index holds what a query is about."""
    if chance >= GOOD:
        return "good"
    return "weak" if chance >= WEAK else "none"


UNKNOWN_WORDS = 1  # of what `fit_features` finds


def fit_features(pool: Pool, nearness: NDArray[np.floating] | None) -> NDArray[np.float64] | None:
    """What says whether an index is about a query, shape (5,); None where BM25 was not asked.

    The mean of the best BM25 scores as a share of what the query's words weigh, the share of its words that stand in
    no other paper, `size_of` the index; and how near the nearest papers are: the mean cosines of the nearest 10 and 50
    with the query against those that papers of the index have with each other, in standard deviations, by what
    `indexer.nearness` measured, shape (2, 2). NaN without that or vectors.

    Of a query that only part of the index counts for, such as what is older, as large a part of the best is looked at:
    in a tenth of an index the nearest paper is as near as the nearest ten are in all of it.
    """
    if "bm25" not in pool.hits:
        return None
    words = np.asarray(list(pool.term_weights.values()), np.float64)
    idf = np.asarray([pool.term_idf[term] for term in pool.term_weights], np.float64)
    weight = float(words @ np.where(idf > 0, idf, pool.rarest_idf))
    share = float(pool.evidence.papers.mean())
    found = _mean_of_best(pool.hits["bm25"].scores, _BEST * share)
    unknown = float(words[idf == 0].sum() / max(words.sum(), 1e-9))
    text = [found / max(weight, 1e-9), unknown, size_of(np.expm1(pool.rarest_idf))]
    cosines = pool.cosines[:, DIRECTIONS.index("query")]
    near = [np.nan] * len(NEAREST)
    if nearness is not None and not np.isnan(cosines).all():
        nearest = np.sort(cosines)[::-1]
        near = [
            (_mean_of_best(nearest, count * share) - mean) / max(spread, 1e-6)
            for count, (mean, spread) in zip(NEAREST, nearness, strict=True)
        ]
    return np.asarray([*text, *near])


def _mean_of_best(scores: Sequence[float] | NDArray[np.floating], count: float) -> float:
    """Of the first `count`, at least one, the last of them in part; what is missing counts as 0."""
    weights = np.clip(max(count, 1.0) - np.arange(len(scores)), 0, 1)
    return float(weights @ scores / max(count, 1.0))


@dataclass(frozen=True, slots=True)
class Calibration:
    """What the scores and pools of an order mean."""

    cited: Logistic  # of the last stage's score: that the query cites the paper
    fits: Logistic  # of `fit_features` WITH_VECTORS: that the index is about the query
    fits_by_words: Logistic  # of those BY_WORDS, or of the first of them
    fits_static: Logistic  # WITH_VECTORS, where these are the static encoder's: these of any two texts are near

    def chances(self, scores: NDArray[np.floating], fit: Fit | None = None) -> NDArray[np.float32]:
        """The chance that the query cites each paper, from the last stage's scores, (n,) → (n,), 0 to 1.

        In the order of the scores, so that a list need not be sorted again. Where the index does not fit the query,
        all of them are as much lower: scores only say which of its papers come nearest.
        """
        least = min(1.0, fit.chance / GOOD) if fit else 1.0
        return (least * self.cited(np.asarray(scores)[:, None])).astype(np.float32)

    def fit(self, pool: Pool, nearness: NDArray[np.floating] | None, static: bool = False) -> Fit | None:
        """Whether the index is about the query; None where unknown.

        Args:
            pool: Of the query.
            nearness: As `indexer.nearness` measured it; None of an index without vectors.
            static: Whether the vectors are those of the static encoder.
        """
        found = fit_features(pool, nearness)
        if found is None:
            return None
        known, by = WITH_VECTORS, self.fits_static if static else self.fits
        if np.isnan(found).any():
            known, by = BY_WORDS, self.fits_by_words
        chance = float(by(found[None, known[: len(by.weights)]])[0])
        return Fit(chance, verdict_of(chance), float(found[UNKNOWN_WORDS]))
