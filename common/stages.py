"""How long the stages of one query take, reported to a watcher; next to no cost without one."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

Watcher = Callable[[str, float], None]  # stage, seconds

_watcher: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Tell `watcher` of every stage that ends within; of this thread only."""
    token = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(token)


@contextmanager
def stage(name: str) -> Iterator[None]:
    """One stage; also reported when it fails."""
    watcher = _watcher.get()
    if watcher is None:
        yield
        return
    start = time.perf_counter()
    try:
        yield
    finally:
        watcher(name, time.perf_counter() - start)
