"""How a cross-encoder is used: what its training found on validation queries, written beside its weights."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Self

import numpy as np
import orjson
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field

from common.errors import ModelError, os_errors
from common.files import write_atomically
from common.stored import parsed
from rerank.token_split import TokenSplit

FILE = "reranking.json"
CHECKPOINT = "checkpoint.safetensors"  # beside the weights of a model whose training has not ended
DEPTH = 32  # candidates that one without a file of its own reads; more gains nothing, see docs/experiments.md


def probabilities(logits: NDArray[np.floating]) -> NDArray[np.float32]:
    """What a cross-encoder's log-odds are shown as, of any shape."""
    return (1 / (1 + np.exp(-np.clip(np.asarray(logits, np.float64), -60, 60)))).astype(np.float32)


# In the file, such as "256+256".
_Tokens = Annotated[
    TokenSplit | None, BeforeValidator(lambda text: None if text is None else TokenSplit.parsed(str(text)))
]


@dataclass(frozen=True, slots=True)
class Reranking:
    """The part that a cross-encoder has in the final order."""

    # Of its log-odds beside the blend's score; None for the blend's own.
    weight: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None
    depth: Annotated[int, Field(ge=1, le=1000)]  # candidates that it reads
    tokens: _Tokens  # that it reads of each side; None for its network's own
    queries: int  # that the rest was measured on
    f1_at_20: float
    mrr: float

    @classmethod
    def unmeasured(cls, depth: int = DEPTH, tokens: TokenSplit | None = None) -> Self:
        """That of a model of which nothing was measured."""
        return cls(weight=None, depth=depth, tokens=tokens, queries=0, f1_at_20=0.0, mrr=0.0)

    @classmethod
    def of(cls, folder: Path) -> Self:
        """What the file in a model's folder says, all of it; `cls.unmeasured()` where there is none.

        Raises:
            ModelError: the file is damaged, or lacks something.
        """
        path = folder / FILE
        if not path.is_file():
            return cls.unmeasured()
        damaged = f"{path} is damaged (train the reranker again, or delete the file)"
        with os_errors(ModelError, f"read {path}"):
            found: Self = parsed(path.read_bytes(), cls, damaged, ModelError)
        return found

    def save(self, folder: Path) -> None:
        """Write the file."""
        tokens = None if self.tokens is None else f"{self.tokens.query}+{self.tokens.candidate}"
        write_atomically(folder / FILE, orjson.dumps({**asdict(self), "tokens": tokens}, option=orjson.OPT_INDENT_2))
