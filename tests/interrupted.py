"""Trainings that end in the middle of a step."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest


def interrupt(*_: object) -> None:
    raise KeyboardInterrupt


@contextmanager
def ending_at(step: int, how: Callable[[], None] = interrupt) -> Iterator[None]:
    """A training that comes to this step meanwhile ends in it, before it changes a weight."""
    from training import loop  # which imports torch

    rate = loop.rate

    def ending(number, *others):
        if number == step:
            how()
        return rate(number, *others)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(loop, "rate", ending)
        yield
