"""What is done in several packages with sequences of any kind."""

import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import count, islice
from typing import TypeVar

Item = TypeVar("Item")


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in their order, `size` at a time; the last batch may be shorter, and none is empty."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch


def texts_of(texts: Iterable[str], name: str) -> Iterator[str]:
    """The texts as they come, for what a program passes as `name`.

    Raises:
        TypeError: it is one text, of which every character would count as one, or holds something that is no text.
    """
    if isinstance(texts, str | bytes):
        raise TypeError(f"{name} must be a list of texts, not one text: [{texts!r}]")
    for text in texts:
        if not isinstance(text, str):
            raise TypeError(f"{name} must be texts, not {text!r}")
        yield text


def numbered(name: str) -> Iterator[str]:
    """The name itself, then with -2, -3 and so on behind it, without end."""
    yield name
    for number in count(2):
        yield f"{name}-{number}"


def batches_within(
    items: Iterable[Item], size_of: Callable[[Item], int], limit: int, most: int = sys.maxsize
) -> Iterator[list[Item]]:
    """The items in their order, as many at a time as have together no more than that size, and `most` at most.

    What is larger by itself comes alone.
    """
    batch: list[Item] = []
    size = 0
    for item in items:
        own = size_of(item)
        if batch and (len(batch) == most or size + own > limit):
            yield batch
            batch, size = [], 0
        batch.append(item)
        size += own
    if batch:
        yield batch
