"""What is random in a step, as a function of the run's seed and the number of the step."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray


def seed_step(seed: int, step: int) -> None:
    """Let torch draw what belongs to this step, whichever steps came before."""
    torch.manual_seed(int(np.random.default_rng((seed, step)).integers(2**63)))


def step_generator(seed: int, step: int, *, beside_passes: bool = False) -> np.random.Generator:
    """What a step draws from; `beside_passes` apart from what `PassOrder` draws for the pass of that number."""
    return np.random.default_rng((seed, step, 1) if beside_passes else (seed, step))


class PassOrder:
    """The order of `count` examples in each pass over them; that of the last pass is remembered."""

    def __init__(self, count: int, seed: int) -> None:
        self._count, self._seed = count, seed
        self._last: tuple[int, NDArray[np.int64]] | None = None

    def of(self, number: int) -> NDArray[np.int64]:
        """The order in the pass of that number, shape (count,)."""
        if self._last is None or self._last[0] != number:
            self._last = number, np.random.default_rng([self._seed, number]).permutation(self._count)
        return self._last[1]


class ShuffledGroups:
    """Groups of `size` of `count` examples, every one once a pass; what a pass cannot fill a group with waits."""

    def __init__(self, count: int, size: int, seed: int) -> None:
        self._count, self._size, self._seed = count, size, seed
        self._groups = max(count - size, 0) // size + 1  # of a pass
        self._pass = -1

    def of(self, number: int) -> list[int]:
        """The examples of the group of that number, counted over all passes."""
        passed, place = divmod(number, self._groups)
        if passed < self._pass or self._pass < 0:
            self._generator, self._pass = np.random.default_rng(self._seed), -1
        while self._pass < passed:
            self._order = self._generator.permutation(self._count)
            self._pass += 1
        found: list[int] = self._order[place * self._size :][: self._size].tolist()
        return found
