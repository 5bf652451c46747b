"""What is done in several packages with sequences of any kind."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Item = TypeVar("Item")


def batches(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in their order, `size` at a time; the last batch may be shorter, and none is empty."""
    source = iter(items)
    while batch := list(islice(source, size)):
        yield batch
