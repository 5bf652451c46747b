"""Progress bars on stderr: silent when stderr is no terminal, or when the user asked for quiet."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

T = TypeVar("T")


class Bar:
    """A bar that nobody sees, and what callers do with one of tqdm, which takes its place where it is seen.

    tqdm has one that is disabled, too, but makes locks for it, which settle how multiprocessing starts processes.
    """

    total: Any = None  # of what is counted, None where unknown

    def update(self, n: int = 1, /) -> None:
        """Count `n` more."""

    def set_postfix(self, *, loss: str) -> None:
        """Show it behind the bar."""


_quiet = False


def set_quiet(quiet: bool) -> None:
    """Turn every later progress bar of this process off (True) or back on (False)."""
    global _quiet
    _quiet = quiet


def hidden() -> bool:
    """Whether bars are hidden."""
    return _quiet or not sys.stderr.isatty()


def progress(items: Iterable[T], what: str, total: int | None = None) -> Iterator[T]:
    """Yield `items` while a bar labelled `what` counts them."""
    if not hidden():
        from tqdm import tqdm  # where a bar is seen only: it takes a while to load

        items = tqdm(items, desc=what, total=total, leave=False, file=sys.stderr)
    yield from items


@contextmanager
def counter(what: str, total: int | None = None) -> Iterator[Bar]:
    """A bar that the caller moves with `.update(n)`, for work that arrives in batches; none where `total` is 0."""
    if hidden() or total == 0:
        yield Bar()
        return
    from tqdm import tqdm

    bar: Any
    with tqdm(desc=what, total=total, leave=False, file=sys.stderr) as bar:
        yield bar
