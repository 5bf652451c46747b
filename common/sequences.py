"""What is done in several rooms with sequences of any kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item")


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in their order, `size` at a time; the last batch may be shorter, and none is empty."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


def contained(keys: NDArray[Any], among: NDArray[Any]) -> NDArray[np.bool_]:
    """Which of `keys` are in `among`, which ascends; the shape is that of `keys`."""
    if not len(among):
        return np.zeros(keys.shape, np.bool_)
    places = np.minimum(np.searchsorted(among, keys), len(among) - 1)
    return np.asarray(among[places] == keys, np.bool_)
