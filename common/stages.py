"""How long the stages of one query take, reported to a watcher; next to no cost without one."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

Answered = TypeVar("Answered")
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


def stage_seconds(answer: Callable[[], Answered]) -> tuple[Answered, dict[str, float]]:
    """An answer, and the seconds of each stage that it took, 0 for others, and "whole" among them."""
    spent: dict[str, float] = defaultdict(float)

    def note(stage: str, seconds: float) -> None:
        spent[stage] += seconds

    started = time.perf_counter()
    with watched(note):
        answered = answer()
    spent["whole"] = time.perf_counter() - started
    return answered, spent
