"""The late-join reranker on disk: config.json, and model.safetensors with the trained tensors only.

The layers below the join are those of the base, all-MiniLM-L6-v2 from its pip package, whose checksum is verified.
Nothing is ever unpickled.
"""

import json
from dataclasses import asdict
from pathlib import Path

import torch
from torch import Tensor

from common.errors import ModelError
from common.files import write_atomically
from encoders.minilm import MODEL_SHA256, minilm_folder
from encoders.tokens import Tokens
from rerank.late_join import JoiningLayer, LateJoin
from rerank.late_join_config import ARCHITECTURE, CONFIG, FORMAT, LAYERS, LateJoinConfig, LateJoinShape, read_config

WEIGHTS = "model.safetensors"

BASE_PARTS = ("words.", "positions.", "segments.", "embedding_norm.", "lower.")
# Name within our layer → name within a BERT layer.
_LAYER_NAMES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "output": "attention.output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "up": "intermediate.dense",
    "down": "output.dense",
    "norm": "output.LayerNorm",
}
_EMBEDDING_NAMES = {
    "words.weight": "embeddings.word_embeddings.weight",
    "positions.weight": "embeddings.position_embeddings.weight",
    "segments.weight": "embeddings.token_type_embeddings.weight",
    "embedding_norm.weight": "embeddings.LayerNorm.weight",
    "embedding_norm.bias": "embeddings.LayerNorm.bias",
}


def start_from_base(shape: LateJoinShape) -> LateJoin:
    """The untrained network: every layer as in all-MiniLM-L6-v2, cross-attention started from self-attention.

    Raises:
        ModelError: the base is not installed or not the published one.
    """
    from safetensors.torch import load_file

    base: dict[str, Tensor] = load_file(minilm_folder() / WEIGHTS)
    vocabulary, positions = (base[_EMBEDDING_NAMES[f"{name}.weight"]].shape[0] for name in ("words", "positions"))
    model = LateJoin(shape, vocabulary, positions)
    state = {ours: base[theirs] for ours, theirs in _EMBEDDING_NAMES.items()}
    for number in range(LAYERS):
        lower = number < shape.lower_layers
        place = f"lower.{number}" if lower else f"upper.{number - shape.lower_layers}"
        for ours, theirs in _LAYER_NAMES.items():
            for part in ("weight", "bias"):
                state[f"{place}.{ours}.{part}"] = base[f"encoder.layer.{number}.{theirs}.{part}"]
    model.load_state_dict(state, strict=False)
    for layer in model.upper:
        if isinstance(layer, JoiningLayer):
            layer.start_cross_attention()
    return model.eval()


def trained_tensors(model: LateJoin) -> dict[str, Tensor]:
    """Everything that is not the base's."""
    return {name: tensor for name, tensor in model.state_dict().items() if not name.startswith(BASE_PARTS)}


def save_late_join(folder: Path, model: LateJoin, config: LateJoinConfig) -> None:
    """Write both files, weights in fp16."""
    from safetensors.torch import save

    folder.mkdir(parents=True, exist_ok=True)
    tensors = {name: tensor.detach().half().contiguous() for name, tensor in trained_tensors(model).items()}
    write_atomically(folder / WEIGHTS, save(tensors))
    content = {"architecture": ARCHITECTURE, "format": FORMAT, "base_sha256": MODEL_SHA256, **asdict(config)}
    write_atomically(folder / CONFIG, json.dumps(content, indent=2) + "\n")


def load_late_join(folder: Path) -> tuple[LateJoin, LateJoinConfig]:
    """Read a folder written by `save_late_join`.

    Raises:
        ModelError: a file is missing, cut short, pickled, or made for another network or base.
    """
    config = read_config(folder)
    tensors = _read_tensors(folder / WEIGHTS)
    model = start_from_base(config.shape)
    expected = trained_tensors(model)
    wrong = set(expected) ^ set(tensors) or {
        name for name, tensor in tensors.items() if tensor.shape != expected[name].shape
    }
    if wrong:
        raise ModelError(
            f"{folder / WEIGHTS} does not fit its config.json ({len(wrong)} tensors differ, such as "
            f"'{min(wrong)}'): copy both files of the model again"
        )
    if not all(bool(torch.isfinite(tensor).all()) for tensor in tensors.values()):
        raise ModelError(f"{folder / WEIGHTS} holds values that are not numbers: train or copy the model again")
    model.load_state_dict({name: tensor.float() for name, tensor in tensors.items()}, strict=False)
    return model.eval(), config


def _read_tensors(path: Path) -> dict[str, Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load

    if not path.is_file():
        raise ModelError(f"no {WEIGHTS} in {path.parent}: pickled weights (.bin, .pt) are not read")
    try:
        return dict(load(path.read_bytes()))
    except (SafetensorError, ValueError, KeyError) as error:
        raise ModelError(f"{path} is damaged or no safetensors file ({error}): copy the model again") from None


def base_tokenizer() -> Tokens:
    """The base's."""
    from transformers import AutoTokenizer

    return Tokens.of(AutoTokenizer.from_pretrained(str(minilm_folder())))
