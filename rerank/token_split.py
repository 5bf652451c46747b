"""The token split: how much of the query and how much of the candidate a cross-encoder reads."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from common.errors import ModelError
from encoders.text import Text

# Of one text, without special tokens; an array where many are kept, because a list takes ten times the memory.
TokenIds = Sequence[int]


@dataclass(frozen=True, slots=True)
class TokenSplit:
    """Tokens a side, special tokens counted, each side cut at its own end (BIR 2020, section 3 and figure 1).

    256 + 256 is therefore `[CLS]` + 254 + `[SEP]` of the query and 255 + `[SEP]` of the candidate: the 512 positions
    of a BERT. Neither side lends the other the room that it leaves.
    """

    query: int = 256
    candidate: int = 256

    @classmethod
    def parsed(cls, text: str) -> TokenSplit:
        """The split written as "256+256".

        Raises:
            ModelError: it is written otherwise, or a side has no room for text.
        """
        query, _, candidate = text.partition("+")
        if not (query.isdecimal() and candidate.isdecimal()):
            raise ModelError(f"a token split is written as 256+256 (query + candidate), not {text!r}")
        return cls(int(query), int(candidate))

    def __post_init__(self) -> None:
        """Raise ModelError for a side that has no room for a token of text."""
        if self.query < 4 or self.candidate < 4:
            raise ModelError(
                f"a token split of {self.query}+{self.candidate} leaves no room for text: 4 a side at least"
            )


def text_token_ids(tokenizer: Any, texts: Sequence[Text]) -> list[list[int]]:
    """Token ids of "title. abstract" without special tokens, uncut."""
    joined = [". ".join(text.parts()) for text in texts]
    if not joined:
        return []
    # `verbose=False`: the length warning is about a limit that the split takes care of.
    encoded: Any = tokenizer(joined, add_special_tokens=False, verbose=False)
    return list(encoded["input_ids"])


def candidate_token_ids(tokenizer: Any, texts: Sequence[Text], split: TokenSplit) -> list[TokenIds]:
    """Token ids of candidates as they may be kept: compact, and no longer than what the split can read of them."""
    return [array("i", ids[: split.candidate]) for ids in text_token_ids(tokenizer, texts)]
