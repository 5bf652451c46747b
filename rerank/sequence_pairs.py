"""Any Hugging Face encoder as a cross-encoder: `[CLS]` query `[SEP]` candidate `[SEP]`, `[CLS]` → p(cited)."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from common.errors import ModelError
from encoders.batching import TokenBatch, model_batches
from encoders.pretrained import load_pretrained, usable_tokens
from encoders.runtimes import Runtime, make_runtime
from encoders.runtimes.base import RuntimeName, outputs
from encoders.text import Text
from rerank.token_split import TokenIds, TokenSplit, candidate_token_ids, text_token_ids


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


class PairClassifier(torch.nn.Module):
    """A classification model's log-odds of "cited"."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor | None = None
    ) -> torch.Tensor:
        """(b, length) each → (b,); one output is a logit, of two the second stands for "cited"."""
        inputs = {"input_ids": input_ids, "attention_mask": attention_mask}
        if token_type_ids is not None:
            inputs["token_type_ids"] = token_type_ids
        outputs: torch.Tensor = self.model(**inputs, return_dict=False)[0]
        return outputs[:, 1] - outputs[:, 0] if outputs.shape[1] == 2 else outputs[:, 0]


class SequencePairNetwork:
    """See `rerank.networks.PairNetwork`."""

    def __init__(self, tokenizer: Any, model: Any, split: TokenSplit, runtime: RuntimeName = "auto") -> None:
        check_split(model.config, split)
        self.split = split
        self._tokenizer = tokenizer
        self._template = PairTemplate.of(tokenizer)
        self._module = PairClassifier(model)
        self._runtime_name: RuntimeName = runtime
        self._runtime: Runtime | None = None
        self._starting = threading.Lock()  # one compilation, however many threads ask first

    @classmethod
    def load(cls, name: str, split: TokenSplit, runtime: RuntimeName = "auto") -> SequencePairNetwork:
        """A folder or hub id with a trained classification head of one or two outputs.

        Raises:
            ModelError: see `rerank.cross_encoder.CrossEncoder.load`.
        """
        from transformers import AutoModelForSequenceClassification

        tokenizer, model, missing = load_pretrained(name, AutoModelForSequenceClassification)
        trained_for = model.config.architectures or []
        # transformers would invent a random head and go on.
        if not any("ForSequenceClassification" in architecture for architecture in trained_for):
            raise ModelError(
                f"'{name}' has no head that judges pairs ({', '.join(trained_for) or 'no architecture named'}): "
                f"train one with `citescout train reranker --base {name}`"
            )
        if model.config.num_labels > 2:
            raise ModelError(f"'{name}' has {model.config.num_labels} classes; a reranker has one output or two")
        if missing:
            raise ModelError(
                f"the weights of '{name}' are of another architecture than its config.json, or of a part of it: "
                f"{len(missing)} tensors are missing, such as '{min(missing)}'"
            )
        if not all(bool(torch.isfinite(tensor).all()) for tensor in model.parameters()):
            raise ModelError(f"the weights of '{name}' hold values that are not numbers: train or copy the model again")
        return cls(tokenizer, model, split, runtime)

    def token_ids(self, candidates: Sequence[Text]) -> list[TokenIds]:
        """See `rerank.networks.PairNetwork`."""
        return candidate_token_ids(self._tokenizer, candidates, self.split)

    def read(self, query: Text) -> TokenIds:
        """The query's tokens: this network computes nothing of a query alone."""
        return text_token_ids(self._tokenizer, [query])[0]

    def logits(self, asked: TokenIds, candidates: Sequence[TokenIds], batch_size: int) -> NDArray[np.float32]:
        """See `rerank.networks.PairNetwork`."""
        pairs = [self._template.join(asked, one, self.split) for one in candidates]
        batches = pair_batches(pairs, batch_size, self._tokenizer)
        return outputs(self._started(batches[0]), batches, (len(pairs),))

    def _started(self, example: TokenBatch) -> Runtime:
        with self._starting:
            if self._runtime is None:
                self._runtime = make_runtime(self._module, example, self._runtime_name)
            return self._runtime


def pair_batches(pairs: Sequence[PairInput], batch_size: int, tokenizer: Any) -> list[TokenBatch]:
    """Padded batches, longest pairs first."""
    token_ids, segments = [pair.token_ids for pair in pairs], [pair.segments for pair in pairs]
    return list(model_batches(tokenizer, token_ids, batch_size, segments))


def check_split(config: Any, split: TokenSplit) -> None:
    """Raise ModelError where the model has fewer positions than the split asks for."""
    wanted = split.query + split.candidate
    if (positions := usable_tokens(config, wanted)) < wanted:
        raise ModelError(
            f"a token split of {split.query}+{split.candidate} needs {wanted} positions, this model has {positions}: "
            "ask for a smaller split"
        )
