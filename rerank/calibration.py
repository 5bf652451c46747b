"""What the scores of a list mean: the chance that a paper is cited, and whether the index has anything on the query."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Likelihood = Literal["likely", "perhaps", "unlikely"]
Verdict = Literal["good", "weak", "none"]

# A list is cut where a paper is less probable than these.
LIKELY, PERHAPS = 0.5, 0.1


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether the index holds papers about what the query is about."""

    chance: float  # 0 to 1, that it does
    verdict: Verdict


def likelihood(chance: float) -> Likelihood:
    """In words, the chance that the query cites a paper, from 0 to 1."""
    if chance >= LIKELY:
        return "likely"
    return "perhaps" if chance >= PERHAPS else "unlikely"
