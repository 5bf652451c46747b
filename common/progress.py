"""Progress bars on stderr: silent when stderr is no terminal, or when the user asked for quiet."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from tqdm import tqdm

T = TypeVar("T")

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
def counter(what: str, total: int | None = None) -> Iterator[tqdm[None]]:
    """A bar that the caller moves with `.update(n)`, for work that arrives in batches; none where `total` is 0."""
    from tqdm import tqdm

    with tqdm(desc=what, total=total, disable=hidden() or total == 0, leave=False, file=sys.stderr) as bar:
        yield bar
