"""A CTPE in a folder: `config.json`, `vocabulary.txt` (a word a line) and `model.safetensors`; no pickle."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import torch
from pydantic import Field, PositiveInt, TypeAdapter

from common.errors import ModelError, brief
from common.files import write_atomically
from encoders.ctpe import CONFIG, MODEL_TYPE
from encoders.ctpe.encoder import CtpeEncoder
from encoders.ctpe.network import TextCnn
from encoders.ctpe.parts import Split
from encoders.word_vectors import WordVectors

VOCABULARY, WEIGHTS = "vocabulary.txt", "model.safetensors"
_FORMAT = 1
_WORDS = "words"


@dataclass(frozen=True, slots=True)
class Config:
    """What the weights do not say."""

    split: Split
    widths: Annotated[tuple[PositiveInt, ...], Field(min_length=1)]
    channels: PositiveInt
    vocabulary: str  # SHA-256 of vocabulary.txt


def save_ctpe(
    folder: Path, network: TextCnn, words: WordVectors, split: Split, record: Mapping[str, Any] | None = None
) -> None:
    """Write a folder for `--encoder`; `record` is kept in its configuration for who wants to know how it was made."""
    from safetensors.torch import save

    folder.mkdir(parents=True, exist_ok=True)
    vocabulary = "".join(f"{word}\n" for word in sorted(words.places, key=words.places.__getitem__)).encode()
    channels = network.dimension // len(network.widths)
    config = Config(split, network.widths, channels, hashlib.sha256(vocabulary).hexdigest())
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    tensors[_WORDS] = torch.from_numpy(np.ascontiguousarray(words.matrix))
    described = {"model_type": MODEL_TYPE, "format": _FORMAT, **asdict(config), "record": dict(record or {})}
    write_atomically(folder / WEIGHTS, save(tensors))
    write_atomically(folder / VOCABULARY, vocabulary)
    # Last: a folder is a CTPE when it says so.
    write_atomically(folder / CONFIG, json.dumps(described, indent=2, ensure_ascii=False) + "\n")


def load_ctpe(folder: Path, name: str | None = None, unit: bool = True) -> CtpeEncoder:
    """The encoder in a folder.

    Raises:
        ModelError: a file is missing or damaged, or the files are not of one model: a vocabulary mismatch.
    """
    from safetensors import SafetensorError
    from safetensors.torch import load

    try:
        described = json.loads((folder / CONFIG).read_bytes())
        vocabulary = (folder / VOCABULARY).read_bytes()
        weights = (folder / WEIGHTS).read_bytes()
        if described["format"] != _FORMAT:
            raise ValueError(f"format {described['format']!r}, this version reads {_FORMAT}")
        config = TypeAdapter(Config).validate_python(described)
        tensors = load(weights)
        listed = vocabulary.decode("utf-8").split("\n")[:-1]
    except OSError as error:
        raise ModelError(f"the CTPE in {folder} lacks {error.filename} ({error.strerror}): train it again") from None
    except (ValueError, KeyError, TypeError, SafetensorError) as error:
        what = f"{type(error).__name__}: {brief(error)}"
        raise ModelError(f"the CTPE in {folder} is damaged ({what}): train it again") from None
    if hashlib.sha256(vocabulary).hexdigest() != config.vocabulary:
        raise ModelError(f"vocabulary mismatch: {folder / VOCABULARY} is not the one that {folder} was trained with")
    matrix = tensors.pop(_WORDS, torch.zeros(0))
    if matrix.ndim != 2 or len(matrix) != len(listed):
        raise ModelError(
            f"vocabulary mismatch: {folder / VOCABULARY} lists {len(listed):,} words, "
            f"{folder / WEIGHTS} has vectors for {len(matrix):,}"
        )
    if not all(torch.isfinite(tensor).all() for tensor in (matrix, *tensors.values())):
        raise ModelError(f"{folder / WEIGHTS} holds numbers that are not finite: train it again")
    words = WordVectors({word: row for row, word in enumerate(listed)}, matrix.float().numpy())
    network = TextCnn(words.matrix, config.channels, config.widths)
    try:
        network.load_state_dict(tensors)
    except RuntimeError as error:
        raise ModelError(f"{folder / WEIGHTS} is not what {folder / CONFIG} describes ({brief(error)})") from None
    digest = hashlib.sha256(f"{config.split} {config.widths} {unit} {config.vocabulary}\n".encode() + weights)
    return CtpeEncoder(network, words, config.split, name or str(folder), digest.hexdigest(), unit)
