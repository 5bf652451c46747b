"""How many threads NumPy's linear algebra works with."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

_lock = Lock()
_within = 0
_limit: Any = None  # threadpoolctl's, while anybody is within


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Products of matrices take one thread within, and as many as before when the last thread of Python leaves.

    OpenBLAS's threads wait for more work by spinning, some 20 ms after every product: longer than all products of a
    query take.
    """
    global _within, _limit
    with _lock:
        if not _within:
            _may_set()
            _limit = _libraries().limit(limits=1)
        _within += 1
    try:
        yield
    finally:
        with _lock:
            _within -= 1
            if not _within:
                _may_set()
                _limit.restore_original_limits()


def _may_set() -> None:
    """Let this thread set the limit: threadpoolctl passes over all but the one that set it first, while that lives."""
    from threadpoolctl import OpenBLASController

    OpenBLASController.clear_controlling_thread(force=True)


@cache
def _libraries() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().select(user_api="blas")
