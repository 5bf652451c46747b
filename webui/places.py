"""Work beside the answering of questions that takes a process or many searches: little of it at once."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from webui.answers import BusyError

_AT_ONCE = threading.BoundedSemaphore(2)
# Each that waits keeps one of the six threads that the server has for all but questions.
_ADMITTED = threading.BoundedSemaphore(4)
_PATIENCE = 20.0  # seconds until a further one is asked to come again
_RETRY_AFTER = 5  # seconds


@contextmanager
def place() -> Iterator[None]:
    """Hold one of the places.

    Raises:
        BusyError: none becomes free in time, or too many wait.
    """
    busy = BusyError("too much to read at once: try again in a moment", _RETRY_AFTER)
    if not _ADMITTED.acquire(blocking=False):
        raise busy
    try:
        if not _AT_ONCE.acquire(timeout=_PATIENCE):
            raise busy
        try:
            yield
        finally:
            _AT_ONCE.release()
    finally:
        _ADMITTED.release()
