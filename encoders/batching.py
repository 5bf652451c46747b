"""Batches of token ids, sorted by length so that little of the arithmetic is spent on padding."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# Lengths are rounded up to a multiple of this: few distinct shapes for the runtime to prepare kernels for.
LENGTH_STEP = 8


class TokenBatch(NamedTuple):
    """Rows that go through a model together."""

    rows: NDArray[np.int64]  # (b,) which input each row is
    inputs: dict[str, NDArray[Any]]  # input_ids, attention_mask, token_type_ids: (b, length); and what else it takes


def model_batches(
    tokenizer: Any, token_ids: Sequence[Sequence[int]], batch_size: int, segments: Sequence[Sequence[int]] | None = None
) -> Iterator[TokenBatch]:
    """Group token id rows into padded batches, longest first (so that memory peaks at the start).

    With the padding and the inputs that the model of the tokenizer takes. `segments` gives token_type_ids row by row;
    zeros without it.
    """
    order = sorted(range(len(token_ids)), key=lambda row: (-len(token_ids[row]), row))
    for start in range(0, len(order), batch_size):
        rows = order[start : start + batch_size]
        longest = len(token_ids[rows[0]])
        length = -(-max(longest, 1) // LENGTH_STEP) * LENGTH_STEP
        input_ids = np.full((len(rows), length), tokenizer.pad_token_id or 0, np.int64)
        attention_mask = np.zeros((len(rows), length), np.int64)
        token_type_ids = np.zeros((len(rows), length), np.int64)
        for position, row in enumerate(rows):
            size = len(token_ids[row])
            input_ids[position, :size] = token_ids[row]
            attention_mask[position, :size] = 1
            if segments is not None:
                token_type_ids[position, :size] = segments[row]
        inputs = {"input_ids": input_ids, "attention_mask": attention_mask}
        if "token_type_ids" in tokenizer.model_input_names:
            inputs["token_type_ids"] = token_type_ids
        yield TokenBatch(np.asarray(rows, np.int64), inputs)
