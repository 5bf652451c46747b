"""A value that takes long to make, made on a thread of its own beside other work."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

T = TypeVar("T")


class Background(Generic[T]):
    """Made once, from now on or from when it is first asked for; safe to share between threads."""

    def __init__(self, make: Callable[[], T], at_once: bool = True) -> None:
        self._make = make
        self._starting = threading.Lock()
        self._made: Future[T] | None = None
        if at_once:
            self._start()

    @property
    def started(self) -> bool:
        """Whether it is made, or being made."""
        return self._made is not None

    def get(self) -> T:
        """The value, or the error that making it ended in."""
        return self._start().result()

    def _start(self) -> Future[T]:
        with self._starting:
            if self._made is None:
                thread = ThreadPoolExecutor(1)
                self._made = thread.submit(self._make)
                thread.shutdown(wait=False)
            return self._made
