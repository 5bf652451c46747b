"""The texts of an index by docid, read when they are asked for."""

from collections.abc import Sequence
from typing import overload

from encoders.text import Text
from indexer.generations import OpenGeneration


class CatalogTexts(Sequence[Text]):
    """Every docid's title and abstract; both are empty where a docid is no paper (any more).

    The generation must stay open while they are read.
    """

    def __init__(self, generation: OpenGeneration) -> None:
        """Of an open generation."""
        self._generation = generation

    def __len__(self) -> int:
        return len(self._generation.removed)

    @overload
    def __getitem__(self, docid: int) -> Text: ...
    @overload
    def __getitem__(self, docid: slice) -> list[Text]: ...
    def __getitem__(self, docid: int | slice) -> Text | list[Text]:
        if isinstance(docid, slice):
            return [self[one] for one in range(*docid.indices(len(self)))]
        if not 0 <= docid < len(self):
            raise IndexError(docid)
        if self._generation.removed[docid]:
            return Text("", "")
        return self._generation.catalog.texts([docid])[0]
