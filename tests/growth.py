"""How the time that work takes grows with its size: a ratio, which is the same on any machine."""

import gc
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

TIMES = 8  # as much work
NEARLY_LINEAR = 24  # times as long; what grows with the square takes 64 times as long
_LEAST = 0.001  # seconds that are measured well
_PATIENCE = 120  # seconds for what should take less than one


def growth(work: Callable[[int], object], size: int) -> float:
    """The processor time of `work(size)` as a multiple of that of an eighth of the size, each the best of several."""

    def seconds(amount: int) -> float:
        started = time.process_time()
        work(amount)
        return time.process_time() - started

    seconds(size // TIMES)  # what is imported and compiled at first use
    gc.collect()
    small = min(seconds(size // TIMES) for _ in range(3))
    return min(seconds(size) for _ in range(2)) / max(small, _LEAST)


@contextmanager
def that_ends() -> Iterator[None]:
    """Raises TimeoutError in what would go on for hours, if it is no function of another language."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"it has not ended after {_PATIENCE} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(_PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
