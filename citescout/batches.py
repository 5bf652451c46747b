"""Many queries at once: the same answers as one by one, to the last digit, in less time."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from citescout.recommendation import Answer
from common.cpu import compute_threads
from common.sequences import batches
from retrieval.first_stage import Pool

Vector = NDArray[np.float32] | None
Asked = TypeVar("Asked")
Item = TypeVar("Item")

# Queries whose candidates are in memory at once: their texts are not more than `citescout.ranking` remembers.
_TOGETHER = 16


def answered_together(
    queries: Iterable[Asked],
    vectors: Callable[[Sequence[Asked]], Sequence[Vector]],
    pool: Callable[[Asked, Vector], Pool],
    read: Callable[[Sequence[Pool]], None],
    answer: Callable[[Asked, Pool], Answer],
) -> Iterator[Answer]:
    """The answers in the order of the queries.

    Args:
        queries: Read little further than they are answered, some at a time.
        vectors: Encodes some queries side by side, while those before them are answered: the one waits for OpenVINO,
            the other mostly for Python.
        pool: The candidates of one; runs on all cores.
        read: Reads what is to be known of all their candidates in one go.
        answer: The answer to one; runs on all cores.
    """
    encoding = ((some, _encoder_thread().submit(vectors, some)) for some in batches(queries, _TOGETHER))
    for some, encoded in _one_ahead(encoding):
        pools = list(_threads().map(pool, some, encoded.result()))
        read(pools)
        yield from _threads().map(answer, some, pools)


def _one_ahead(items: Iterable[Item]) -> Iterator[Item]:
    """The same, each given when the next one has begun, or has failed to."""
    before: list[Item] = []
    try:
        for item in items:
            yield from before
            before = [item]
    except Exception:
        yield from before
        raise
    yield from before


@cache
def _encoder_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1, "vectors")


@cache
def _threads() -> ThreadPoolExecutor:
    """One pool for all indexes of the process: Java keeps something of every thread that ever called it."""
    return ThreadPoolExecutor(compute_threads(), "queries")
