"""Small operations on arrays that several packages need."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def places_in(keys: NDArray[Any], among: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Where each of `keys` stands in `among`, which ascends, and whether it does; both in the shape of `keys`.

    The places of others mean nothing.
    """
    if not len(among):
        return np.zeros(keys.shape, np.int64), np.zeros(keys.shape, np.bool_)
    places = np.minimum(np.searchsorted(among, keys), len(among) - 1)
    return places, among[places] == keys


def contained(keys: NDArray[Any], among: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of `keys` are in `among`, which ascends; the shape is that of `keys`."""
    return places_in(keys, among)[1]


def place_within(groups: NDArray[np.integer]) -> NDArray[np.int64]:
    """The place of every element within its group, from 0, shape (n,); equal `groups` stand together."""
    starts = np.flatnonzero(np.diff(groups, prepend=-1) != 0)
    return np.arange(len(groups)) - np.repeat(starts, np.diff(np.append(starts, len(groups))))


def evenly(count: int, most: int) -> NDArray[np.int64]:
    """`most` of so many places, or all where there are fewer, evenly chosen and ascending."""
    return np.unique(np.linspace(0, count - 1, min(most, count)).astype(np.int64))


def ordered(one: NDArray[np.integer], other: NDArray[np.integer]) -> NDArray[np.int64]:
    """Pairs of numbers below 2³² as one number each, (a, b) another than (b, a)."""
    return np.asarray(one, np.int64) << 32 | np.asarray(other, np.int64)


def unordered(one: NDArray[np.integer], other: NDArray[np.integer]) -> NDArray[np.int64]:
    """Pairs of numbers below 2³² as one number each, (a, b) the same as (b, a)."""
    return ordered(np.minimum(one, other), np.maximum(one, other))


def unit_rows(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """The rows at length 1, in the shape of `vectors`; zero rows stay."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)
