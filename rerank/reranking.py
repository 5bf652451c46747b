"""How a cross-encoder is used: what its training found on validation queries, written beside its weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from common.errors import ModelError
from common.files import write_atomically
from rerank.token_split import TokenSplit

FILE = "reranking.json"
CHECKPOINT = "checkpoint.safetensors"  # beside the weights of a model whose training has not ended
DEPTH = 32  # candidates that one without a file of its own reads; more gains nothing, see docs/experiments.md


def probabilities(logits: NDArray[np.floating]) -> NDArray[np.float32]:
    """What a cross-encoder's log-odds are shown as, of any shape."""
    return (1 / (1 + np.exp(-np.clip(np.asarray(logits, np.float64), -60, 60)))).astype(np.float32)


@dataclass(frozen=True, slots=True)
class Reranking:
    """The part that a cross-encoder has in the final order."""

    weight: float | None = None  # of its log-odds beside the blend's score; None for the blend's own
    depth: int = DEPTH  # candidates that it reads
    tokens: TokenSplit | None = None  # that it reads of each side; None for its network's own
    queries: int = 0  # that the rest was measured on
    f1_at_20: float = 0.0
    mrr: float = 0.0

    @classmethod
    def of(cls, folder: Path) -> Reranking:
        """What the file in a model's folder says; the defaults where there is none.

        Raises:
            ModelError: the file is damaged.
        """
        path = folder / FILE
        if not path.is_file():
            return cls()
        try:
            record = orjson.loads(path.read_bytes())
            weight, tokens = record["weight"], record["tokens"]
            found = cls(
                None if weight is None else float(weight), int(record["depth"]),
                None if tokens is None else TokenSplit.parsed(tokens), int(record["queries"]),
                float(record["f1_at_20"]), float(record["mrr"]),
            )  # fmt: skip
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise ModelError(f"{path} is damaged ({error}): train the reranker again, or delete the file") from None
        if not (found.weight or 0) >= 0 or not 1 <= found.depth <= 1000:
            raise ModelError(f"{path}: a weight is at least 0 and a depth from 1 to 1000")
        return found

    def save(self, folder: Path) -> None:
        """Write the file."""
        tokens = None if self.tokens is None else f"{self.tokens.query}+{self.tokens.candidate}"
        write_atomically(folder / FILE, orjson.dumps({**asdict(self), "tokens": tokens}, option=orjson.OPT_INDENT_2))
