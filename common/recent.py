"""A bounded memory of what was used last."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class RecentlyUsed(Generic[K, V]):
    """At most `most` values by key; what was asked for longest ago goes first. Safe to share between threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """The value, or None where there is none (any more)."""
        return self.get_all([key]).get(key)

    def get_all(self, keys: Iterable[K]) -> dict[K, V]:
        """The values of those keys that have one."""
        with self._lock:
            found = {key: self._values[key] for key in keys if key in self._values}
            for key in found:
                self._values.move_to_end(key)
            return found

    def all_of(self, keys: Sequence[K], make: Callable[[list[K]], Iterable[V]]) -> list[V]:
        """The values of the keys, in their order; those that are not there are made together, and kept."""
        found = self.get_all(keys)
        if lacking := [key for key in dict.fromkeys(keys) if key not in found]:
            for key, value in zip(lacking, make(lacking), strict=True):
                found[key] = value
                self.put(key, value)
        return [found[key] for key in keys]

    def put(self, key: K, value: V) -> None:
        """Keep a value."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)

    def __len__(self) -> int:
        return len(self._values)
