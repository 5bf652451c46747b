"""What an approximate search structure can do."""

from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from common.progress import counter
from indexer.vectors import Codes, Coding, blocks_of, dequantise

FLAT = "flat"  # no structure: every code is compared


class Structure(Protocol):
    """One kind of structure; what it builds is a faiss index, whose ids are docids."""

    name: ClassVar[str]
    minimum: int  # papers, below which it cannot be built or does not pay
    maps_codes: ClassVar[bool]  # whether the codes may stay on disk while a search reads few of them

    def memory(self, papers: int, dimension: int) -> int:
        """Bytes that it takes beside the codes."""

    def build(self, codes: Codes, coding: Coding) -> Any:
        """The structure of these codes."""

    def append(self, index: Any, storage: Any, codes: Codes, coding: Coding) -> None:
        """Add `codes` behind those of `storage`, a flat index of the papers that `index` has; neither is mapped."""
        self.attach(index, storage)
        add_codes(index, codes, coding)

    def attach(self, index: Any, storage: Any) -> None:
        """Let a structure that was read find the codes, where it has none of its own."""
        return

    def search(
        self, index: Any, storage: Any, vector: NDArray[np.float32], k: int, selector: Any | None, share: float
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Numbers and inner products of about the `k` nearest that `selector` lets pass, which is `share` of all."""


def add_codes(index: Any, codes: Codes, coding: Coding) -> None:
    """Add the vectors of codes to a faiss index, a block of rows at a time."""
    with counter("search structure", len(codes)) as bar:
        for block in blocks_of(codes):
            index.add(dequantise(block, coding))
            bar.update(len(block))
