"""Texts that are read when they are asked for, so that those of a large corpus need not be in memory."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from encoders.text import Text


class TextsOnDemand(Sequence[Text]):
    """A sequence of texts, each of which `_read` gives by its place from 0; none is counted from the end."""

    @abstractmethod
    def _read(self, place: int) -> Text: ...

    @overload
    def __getitem__(self, place: int) -> Text: ...

    @overload
    def __getitem__(self, place: slice) -> list[Text]: ...

    def __getitem__(self, place: int | slice) -> Text | list[Text]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        if not 0 <= place < len(self):
            raise IndexError(place)
        return self._read(int(place))


class PickedTexts(TextsOnDemand):
    """Some texts of several sequences as one sequence."""

    def __init__(self, parts: Sequence[tuple[Sequence[Text], NDArray[np.integer]]]) -> None:
        """Of pairs of a sequence and the places in it that are picked, (n,)."""
        self._parts = list(parts)
        self._ends = np.cumsum([len(places) for _, places in self._parts])

    def __len__(self) -> int:
        return int(self._ends[-1]) if self._parts else 0

    def _read(self, place: int) -> Text:
        part = int(np.searchsorted(self._ends, place, side="right"))
        texts, places = self._parts[part]
        return texts[int(places[place - int(self._ends[part])])]  # counted from the end of its part
