"""What a cross-encoder asks of the network behind it."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from encoders.text import Text
from rerank.token_split import TokenIds, TokenSplit


class PairNetwork(Protocol):
    """A network with its tokenizer and runtime."""

    split: TokenSplit

    def token_ids(self, candidates: Sequence[Text]) -> list[TokenIds]:
        """What is read of candidates; it depends on no query."""

    def read(self, query: Text) -> Any:
        """What is computed of the query alone, once for all candidates; `asked` of `logits`."""

    def logits(self, asked: Any, candidates: Sequence[TokenIds], batch_size: int) -> NDArray[np.float32]:
        """The log-odds of being cited, (len(candidates),)."""
