"""The token split: how much of the query and how much of the candidate a cross-encoder reads."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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


class PairInput(NamedTuple):
    """One query-candidate pair as a model reads it."""

    token_ids: list[int]
    segments: list[int]  # token_type_ids


@dataclass(frozen=True, slots=True)
class PairTemplate:
    """The special tokens that a tokenizer puts before, between and after two texts.

    BERT: `[CLS]` q `[SEP]` d `[SEP]`; RoBERTa: `<s>` q `</s></s>` d `</s>`. Read off the tokenizer itself, so that
    any encoder works.
    """

    before: tuple[int, ...]
    between: tuple[int, ...]
    after: tuple[int, ...]
    segments: tuple[int, int]  # token_type_ids of the query's side and of the candidate's

    @classmethod
    def of(cls, tokenizer: Any) -> PairTemplate:
        """The template of a (fast) Hugging Face tokenizer.

        Raises:
            ModelError: the tokenizer cannot say which tokens belong to which text.
        """
        encoded = tokenizer("a", "a", return_token_type_ids=True)
        try:
            sides: list[int | None] = encoded.sequence_ids(0)
            first, second = sides.index(0), sides.index(1)
        except (ValueError, AttributeError) as error:
            raise ModelError(f"this tokenizer cannot join two texts for a cross-encoder: {error}") from None
        first_end = len(sides) - sides[::-1].index(0)
        second_end = len(sides) - sides[::-1].index(1)
        ids: list[int] = encoded["input_ids"]
        types: list[int] = encoded["token_type_ids"]
        return cls(
            before=tuple(ids[:first]),
            between=tuple(ids[first_end:second]),
            after=tuple(ids[second_end:]),
            segments=(types[first], types[second]),
        )

    def join(self, query: Sequence[int], candidate: Sequence[int], split: TokenSplit) -> PairInput:
        """One input out of two texts' token ids (without special tokens), each side cut to its share."""
        left = [*self.before, *query[: split.query - len(self.before) - len(self.between)], *self.between]
        right = [*candidate[: split.candidate - len(self.after)], *self.after]
        return PairInput(left + right, [self.segments[0]] * len(left) + [self.segments[1]] * len(right))


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
