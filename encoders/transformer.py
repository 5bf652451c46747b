"""Document vectors from any transformer: SPECTER, SciNCL, MiniLM, or a model of one's own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from functools import cache, cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from common.progress import counter
from encoders.batching import TokenBatch, model_batches
from encoders.models import Joint, Model, Pooling
from encoders.pretrained import find_model, load_pretrained, positions_of
from encoders.runtimes import Runtime, make_runtime
from encoders.runtimes.base import RuntimeName
from encoders.text import Text

BATCH_SIZE = 8
# Texts tokenised at a time, so that memory does not grow with the corpus.
_CHUNK = 4096


class PooledTransformer(torch.nn.Module):
    """Token ids in, vectors out."""

    def __init__(self, model: torch.nn.Module, pooling: Pooling, unit: bool = True) -> None:
        super().__init__()
        self.model = model
        self.pooling = pooling
        self.unit = unit

    def forward(
        self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor | None = None
    ) -> torch.Tensor:
        """Shapes: (b, length) each → (b, dimension), rows of length 1 if `unit`."""
        inputs = {"input_ids": input_ids, "attention_mask": attention_mask}
        if token_type_ids is not None:
            inputs["token_type_ids"] = token_type_ids
        states = self.model(**inputs)[0]
        if self.pooling == "cls":
            vectors = states[:, 0]
        elif self.pooling == "max":
            padding = 1 - attention_mask.unsqueeze(-1).to(states.dtype)
            vectors = (states - 1e9 * padding).max(1).values  # finite: an infinity times nothing is not a number
        else:
            weights = attention_mask.unsqueeze(-1).to(states.dtype)
            vectors = (states * weights).sum(1) / weights.sum(1)
        return torch.nn.functional.normalize(vectors, dim=-1) if self.unit else vectors


class TextEncoder:
    """Encodes title + abstract, queries and candidates alike."""

    def __init__(
        self, preset: Model, runtime: RuntimeName = "auto", batch_size: int = BATCH_SIZE, unit: bool = True
    ) -> None:
        """Load the model of `preset`; without `unit`, its vectors keep the lengths that the model gives them.

        Raises:
            ModelError: see `encoders.pretrained.load_pretrained`.
        """
        from transformers import AutoModel

        self.preset = preset
        self.batch_size = batch_size
        self._tokenizer, model = load_pretrained(preset, AutoModel)
        self.dimension = int(model.config.hidden_size)
        self.max_tokens = usable_tokens(model.config, preset.max_tokens)
        self._module = PooledTransformer(model, preset.pooling, unit)
        self._runtime_name: RuntimeName = runtime
        self._runtimes: dict[bool, Runtime] = {}  # by whether they are exact

    @classmethod
    def load(cls, name: str, runtime: RuntimeName = "auto", unit: bool = True) -> TextEncoder:
        """The encoder of a preset name, a local folder or a hub id; loaded once a process."""
        return _load(name, runtime, unit)

    @property
    def name(self) -> str:
        """The preset's name, which for other models is the folder or hub id."""
        return self.preset.name

    def encode(
        self, texts: Sequence[Text], progress: bool = False, exact: bool = False, prompt: str | None = None
    ) -> NDArray[np.float32]:
        """Vectors, shape (len(texts), dimension); the same for any batch size and order of the texts.

        With `exact` they are those of fp32 arithmetic, which other processors give as well. `prompt` stands before each
        text, in place of the model's own for documents.
        """
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        with counter("encoding", len(texts) if progress else 0) as bar:
            for start in range(0, len(texts), _CHUNK):
                chunk = vectors[start : start + _CHUNK]
                token_ids = self.token_ids(texts[start : start + _CHUNK], prompt)

                def store(batch: TokenBatch, output: NDArray[np.float32], into: NDArray[np.float32] = chunk) -> None:
                    into[batch.rows] = output
                    bar.update(len(batch.rows))

                self._started(token_ids, exact).run(model_batches(self._tokenizer, token_ids, self.batch_size), store)
        return vectors

    def encode_queries(self, texts: Sequence[Text]) -> NDArray[np.float32]:
        """Queries are encoded like documents but for the prompt, and in fp32: no list must depend on the processor."""
        return self.encode(texts, exact=True, prompt=self.preset.query_prompt)

    def as_queries(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """The vectors themselves; where queries have a prompt of their own, that is as near as one comes."""
        return vectors

    def token_ids(self, texts: Sequence[Text], prompt: str | None = None) -> list[list[int]]:
        """Token ids of each text, `max_tokens` at most with special tokens and prompt (by default a document's)."""
        prompt = self.preset.prompt if prompt is None else prompt
        return token_ids(self._tokenizer, texts, self.preset.joint, self.max_tokens, prompt)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all that a vector depends on beside the text: weights, tokenizer, and how they are used."""
        digest = hashlib.sha256(f"{self.preset.pooling} {self.preset.joint} {self.max_tokens}\n".encode())
        if not self._module.unit:
            digest.update(b"raw\n")
        if self.preset.prompt or self.preset.query_prompt:
            digest.update(json.dumps([self.preset.prompt, self.preset.query_prompt]).encode())
        digest.update(json.dumps(self._tokenizer_record(), sort_keys=True).encode())
        for name, tensor in sorted(self._module.model.state_dict().items()):
            digest.update(f"\n{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
            digest.update(tensor.detach().cpu().reshape(-1).view(torch.uint8).numpy().data)
        return digest.hexdigest()

    def _tokenizer_record(self) -> dict[str, Any]:
        backend = getattr(self._tokenizer, "backend_tokenizer", None)
        if backend is None:
            return dict(self._tokenizer.get_vocab())
        # Calls of the tokenizer leave their truncation and padding in it.
        return dict(json.loads(backend.to_str()), truncation=None, padding=None)

    def _started(self, examples: Sequence[Sequence[int]], exact: bool) -> Runtime:
        if exact not in self._runtimes:
            example = next(model_batches(self._tokenizer, examples[:2], 2))
            self._runtimes[exact] = make_runtime(self._module, example, self._runtime_name, exact)
        return self._runtimes[exact]


def usable_tokens(config: Any, wanted: int) -> int:
    """`wanted` tokens, or as many as a model with this configuration has positions for."""
    positions = positions_of(config)
    return wanted if positions is None else min(wanted, positions)


def token_ids(
    tokenizer: Any, texts: Sequence[Text], joint: Joint, max_tokens: int, prompt: str = ""
) -> list[list[int]]:
    """Token ids of title and abstract as one input, special tokens included, at most `max_tokens` long."""
    separator = f" {tokenizer.sep_token} " if joint == "sep" else ". "
    joined = [prompt + separator.join(text.parts()) for text in texts]
    return list(tokenizer(joined, truncation=True, max_length=max_tokens)["input_ids"])


@cache
def _load(name: str, runtime: RuntimeName, unit: bool) -> TextEncoder:
    return TextEncoder(find_model(name), runtime, unit=unit)
