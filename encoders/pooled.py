"""A transformer and its pooling as one torch module: what an encoder is before it is converted."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

import torch

from encoders.base import Facts
from encoders.low_rank import merge_low_rank
from encoders.model import Model, Pooling
from encoders.pretrained import load_pretrained, usable_tokens
from encoders.tokens import Tokens


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


@dataclass(frozen=True, slots=True)
class Pooled:
    """An encoder in torch."""

    tokenizer: Tokens
    module: PooledTransformer
    facts: Facts


def load_pooled(preset: Model, unit: bool = True) -> Pooled:
    """The model of `preset`; without `unit`, its vectors keep the lengths that the model gives them.

    Raises:
        ModelError: see `encoders.pretrained.load_pretrained`.
    """
    from safetensors.torch import load_file
    from transformers import AutoModel

    own, model, _ = load_pretrained(preset, AutoModel)
    if preset.addition:
        merge_low_rank(model, load_file(preset.addition))
    tokenizer = Tokens.of(own)
    max_tokens = usable_tokens(model.config, preset.max_tokens)
    digest = digest_of(preset, max_tokens, unit, tokenizer, model)
    facts = Facts(int(model.config.hidden_size), max_tokens, digest)
    return Pooled(tokenizer, PooledTransformer(model, preset.pooling, unit), facts)


def digest_of(preset: Model, max_tokens: int, unit: bool, tokenizer: Tokens, model: torch.nn.Module) -> str:
    """SHA-256 of all that a vector depends on beside the text: weights, tokenizer, and how they are used."""
    digest = hashlib.sha256(f"{preset.pooling} {preset.joint} {max_tokens}\n".encode())
    if not unit:
        digest.update(b"raw\n")
    if preset.prompt or preset.query_prompt:
        digest.update(json.dumps([preset.prompt, preset.query_prompt]).encode())
    digest.update(json.dumps(json.loads(tokenizer.core), sort_keys=True).encode())
    hash_weights(digest, model.state_dict())
    return digest.hexdigest()


def hash_weights(digest: "hashlib._Hash", tensors: Mapping[str, torch.Tensor]) -> None:
    """Add tensors with their names, types and shapes to a digest, by name."""
    for name, tensor in sorted(tensors.items()):
        digest.update(f"\n{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.detach().cpu().reshape(-1).view(torch.uint8).numpy().data)
