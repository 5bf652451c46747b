"""Work beside the answering of questions that takes a process or many searches: little of it at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import abort

_AT_ONCE = threading.BoundedSemaphore(2)
_PATIENCE = 20.0  # seconds until a further one is told to come again


@contextmanager
def place() -> Iterator[None]:
    """Hold one of the places; 503 where none becomes free in time."""
    if not _AT_ONCE.acquire(timeout=_PATIENCE):
        abort(503)
    try:
        yield
    finally:
        _AT_ONCE.release()
