"""What every encoder of documents can do, whatever is inside."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from encoders.text import Text


class Encoder(Protocol):
    """Title + abstract → vector; the inner product of a query's and a document's vector says how near they are."""

    @property
    def name(self) -> str:
        """What it was loaded by, and what an index's manifest says."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    @property
    def digest(self) -> str:
        """SHA-256 of all that a vector depends on beside the text."""

    def encode(self, texts: Sequence[Text], progress: bool = False) -> NDArray[np.float32]:
        """Vectors of documents, shape (len(texts), dimension), of length 1; zeros where nothing of a text is known."""

    def encode_queries(self, texts: Sequence[Text]) -> NDArray[np.float32]:
        """Vectors of queries, in shape and length as those of documents; the same to the last bit in any company."""

    def as_queries(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """The query vectors of texts whose document vectors are given, shape (n, dimension) both."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of an encoder without its weights."""

    dimension: int
    max_tokens: int  # longer inputs are cut
    digest: str  # SHA-256 of all that a vector depends on beside the text
