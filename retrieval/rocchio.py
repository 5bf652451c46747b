"""Relevance feedback: a query's vector moved by what its author thinks of papers (Rocchio 1971)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Of the query, the middle of the liked and the middle of the disliked papers; those of Manning, Raghavan and Schütze
# (Introduction to Information Retrieval, 2008, section 9.1.1).
ALPHA, BETA, GAMMA = 1.0, 0.75, 0.15


def rocchio(
    query: NDArray[np.float32], liked: NDArray[np.float32], disliked: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The unit vector of α·query + β·liked − γ·disliked, all of shape (dimension,); zeros stand for no paper."""
    moved = ALPHA * query + BETA * liked - GAMMA * disliked
    length = float(np.linalg.norm(moved))
    return np.asarray(moved / length, np.float32) if length else query
