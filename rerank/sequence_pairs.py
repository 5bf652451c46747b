"""Any Hugging Face encoder as a cross-encoder: `[CLS]` query `[SEP]` candidate `[SEP]`, `[CLS]` → p(cited)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from common.errors import ModelError
from encoders.batching import TokenBatch, length_sorted_batches
from encoders.pretrained import load_pretrained
from encoders.runtimes import Runtime, make_runtime
from encoders.runtimes.base import RuntimeName
from encoders.text import Text
from rerank.pairs import PairInput, PairTemplate, TokenSplit, text_token_ids

if TYPE_CHECKING:
    from rerank.cross_encoder import Progress

ROBERTA_LIKE = {"roberta", "xlm-roberta", "camembert"}


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
    """See `rerank.cross_encoder.PairNetwork`."""

    def __init__(self, tokenizer: Any, model: Any, split: TokenSplit, runtime: RuntimeName = "auto") -> None:
        check_split(model.config, split)
        self.split = split
        self._tokenizer = tokenizer
        self._template = PairTemplate.of(tokenizer)
        self._module = PairClassifier(model)
        self._runtime_name: RuntimeName = runtime
        self._runtime: Runtime | None = None

    @classmethod
    def load(cls, name: str, split: TokenSplit, runtime: RuntimeName = "auto") -> SequencePairNetwork:
        """A folder or hub id with a trained classification head of one or two outputs.

        Raises:
            ModelError: see `rerank.cross_encoder.CrossEncoder.load`.
        """
        from transformers import AutoModelForSequenceClassification

        tokenizer, model = load_pretrained(name, AutoModelForSequenceClassification)
        trained_for = model.config.architectures or []
        # transformers would invent a random head and go on.
        if not any("ForSequenceClassification" in architecture for architecture in trained_for):
            raise ModelError(
                f"'{name}' has no head that judges pairs ({', '.join(trained_for) or 'no architecture named'}): "
                f"train one with `citescout train reranker --base {name}`"
            )
        if model.config.num_labels > 2:
            raise ModelError(
                f"'{name}' tells {model.config.num_labels} classes apart; a reranker has one output or two"
            )
        return cls(tokenizer, model, split, runtime)

    def logits(
        self, query: Text, candidates: Sequence[Text], batch_size: int, progress: Progress
    ) -> NDArray[np.float32]:
        """Log-odds of being cited, (len(candidates),)."""
        pairs = self.pairs(query, candidates)
        scores = np.zeros(len(pairs), np.float32)

        def store(batch: TokenBatch, output: NDArray[np.float32]) -> None:
            scores[batch.rows] = output
            progress(len(batch.rows))

        batches = [self._for_model(batch) for batch in pair_batches(pairs, batch_size, self._tokenizer)]
        if self._runtime is None:
            self._runtime = make_runtime(self._module, batches[0], self._runtime_name)
        self._runtime.run(batches, store)
        return scores

    def pairs(self, query: Text, candidates: Sequence[Text]) -> list[PairInput]:
        """What the model reads; the query is tokenised once."""
        asked = text_token_ids(self._tokenizer, [query])[0]
        texts = text_token_ids(self._tokenizer, candidates)
        return [self._template.join(asked, text, self.split) for text in texts]

    def _for_model(self, batch: TokenBatch) -> TokenBatch:
        if "token_type_ids" not in self._tokenizer.model_input_names:
            del batch.inputs["token_type_ids"]
        return batch


def pair_batches(pairs: Sequence[PairInput], batch_size: int, tokenizer: Any) -> list[TokenBatch]:
    """Padded batches, longest pairs first."""
    token_ids, segments = [pair.token_ids for pair in pairs], [pair.segments for pair in pairs]
    return list(length_sorted_batches(token_ids, batch_size, int(tokenizer.pad_token_id or 0), segments))


def check_split(config: Any, split: TokenSplit) -> None:
    """Raise ModelError where the model has fewer positions than the split asks for."""
    positions = int(getattr(config, "max_position_embeddings", 0) or 0)
    # RoBERTa-like models count positions from the padding id + 1 and so have two fewer than they say.
    if config.model_type in ROBERTA_LIKE:
        positions -= int(config.pad_token_id) + 1
    if 0 < positions < split.query + split.candidate:
        raise ModelError(
            f"a token split of {split.query}+{split.candidate} needs {split.query + split.candidate} positions, "
            f"this model has {positions}: ask for a smaller split"
        )
