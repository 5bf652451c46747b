"""The model that is trained: loaded, checked before hours are spent, run, and saved as a folder for `--encoder`."""

import hashlib
import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, get_args

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from common.errors import TrainingError, os_errors
from common.files import write_atomically
from common.progress import counter
from encoders.batching import model_batches
from encoders.declarations import LENGTH_FILE, MODULES_FILE, OLDER_MODES, POOLING_FILE, PROMPTS_FILE
from encoders.loading import warn_once
from encoders.model import Model, Pooling
from encoders.pooled import PooledTransformer
from encoders.pretrained import find_model, load_pretrained, usable_tokens
from encoders.runtimes.torch_runtime import outputs_of
from encoders.text import Text
from encoders.transformer import token_ids
from training.checkpoints import save_weights
from training.encoder.settings import EncoderSettings
from training.loop import mixed_precision, training_device

# Documents that go through the model together: sorted by length, little of it is padding.
_TOGETHER = 16
_CHECKED_TEXTS = 1000
_MOST_UNKNOWN = 0.5


class TokenTable:
    """Token ids of many texts, in a file that vanishes with the process: in memory are only the places of the texts."""

    def __init__(self, rows: Iterable[Sequence[int]], folder: Path) -> None:
        """Of the token ids of every text; the file is made in `folder`.

        Raises:
            TrainingError: it cannot be written.
        """
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 - open as long as the table
        ends, end, digest = array("q", [0]), 0, hashlib.sha256()
        with os_errors(TrainingError, f"write the tokens of all texts into {folder}"):
            for row in rows:
                written = np.asarray(row, np.int32).tobytes()
                digest.update(written)
                self._file.write(written)
                end += len(written)
                ends.append(end)
            self._file.flush()
        self._ends = np.frombuffer(ends, np.int64)
        self.digest = digest.hexdigest()

    def of(self, place: int) -> list[int]:
        """The token ids of one text."""
        start, end = int(self._ends[place]), int(self._ends[place + 1])
        self._file.seek(start)
        found: list[int] = np.frombuffer(self._file.read(end - start), np.int32).tolist()
        return found


@dataclass(frozen=True, slots=True)
class TrainableEncoder:
    """A model with its tokenizer."""

    preset: Model
    tokenizer: Any
    module: PooledTransformer
    max_tokens: int  # in training
    device: torch.device
    mixed: bool  # whether it computes in bf16 where that does no harm

    def tokens(self, texts: Sequence[Text], folder: Path) -> TokenTable:
        """Token ids of all texts, kept in a file in `folder`.

        Raises:
            TrainingError: the tokenizer hardly knows the texts, or finds nothing in one.
        """
        return TokenTable(self._checked_tokens(texts), folder)

    def vectors(self, table: TokenTable, documents: NDArray[np.int64]) -> Tensor:
        """Vectors of texts, shape (len(documents), dimension), in fp32."""
        rows = [table.of(int(place)) for place in documents]
        outputs, order = [], []
        for batch in model_batches(self.tokenizer, rows, _TOGETHER):
            outputs.append(outputs_of(self.module, batch, self.device, self.mixed))
            order.append(batch.rows)
        back = np.argsort(np.concatenate(order))
        return torch.cat(outputs)[torch.from_numpy(back).to(self.device)]

    def save(self, folder: Path) -> None:
        """Write model and tokenizer, and how vectors are made of them; config.json, which makes it a model, comes last.

        sentence-transformers loads the folder as well.
        """
        self.tokenizer.save_pretrained(folder)
        pooling, length = folder / POOLING_FILE, folder / LENGTH_FILE
        pooling.parent.mkdir(exist_ok=True)
        dimension = int(self.module.model.config.hidden_size)  # type: ignore[union-attr, arg-type]
        modes = {mode: self.preset.pooling == name for mode, name in OLDER_MODES.items() if name in get_args(Pooling)}
        write_atomically(pooling, json.dumps({"word_embedding_dimension": dimension, **modes}, indent=1))
        positions = usable_tokens(self.module.model.config, self.preset.max_tokens)
        write_atomically(length, json.dumps({"max_seq_length": positions, "do_lower_case": False}, indent=1))
        if self.preset.prompt or self.preset.query_prompt:
            prompts = {"document": self.preset.prompt, "query": self.preset.query_prompt}
            write_atomically(folder / PROMPTS_FILE, json.dumps({"prompts": prompts}, indent=1))
        write_atomically(folder / MODULES_FILE, json.dumps(_MODULES, indent=1))
        partial = folder / "partial"
        save_weights(self.module.model, partial)
        for file in sorted(partial.iterdir(), key=lambda file: file.name == "config.json"):
            file.replace(folder / file.name)
        partial.rmdir()

    def _checked_tokens(self, texts: Sequence[Text]) -> Iterator[list[int]]:
        special = set(self.tokenizer.all_special_ids) - {self.tokenizer.unk_token_id}
        with counter("tokens", len(texts)) as bar:
            for start in range(0, len(texts), _CHECKED_TEXTS):
                some = texts[start : start + _CHECKED_TEXTS]
                rows = token_ids(self.tokenizer, some, self.preset.joint, self.max_tokens, self.preset.prompt)
                for row, text in zip(rows, some, strict=True):
                    if special.issuperset(row):
                        raise TrainingError(
                            f"a paper without text: its title is {text.title!r}, and no token is left of it"
                        )
                if start == 0:
                    self._check_vocabulary(rows)
                bar.update(len(rows))
                yield from rows

    def _check_vocabulary(self, rows: Sequence[Sequence[int]]) -> None:
        ids = [id_ for row in rows for id_ in row]
        unknown = sum(id_ == self.tokenizer.unk_token_id for id_ in ids) / max(len(ids), 1)
        if unknown > _MOST_UNKNOWN:
            raise TrainingError(
                f"the vocabulary of '{self.preset.name}' is not that of the papers: "
                f"{unknown:.0%} of their tokens are unknown to it"
            )


_MODULES = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
]


def load_trainable(base: str, settings: EncoderSettings) -> TrainableEncoder:
    """The encoder `base` (registered name, folder or hub id), ready to be trained as the settings say.

    Attention weights get no dropout: it would lose the fused attention kernel, which trains 2.8 times as fast on a CPU.

    Raises:
        ModelError: it cannot be loaded.
        TrainingError: it has no biases to train.
    """
    from transformers import AutoModel

    preset = find_model(base)
    warn_once(preset.assumed and f"{base} does not say how it is used; assumed: {preset.assumed}")
    _, model, _ = load_pretrained(preset, AutoModel)
    wanted = {
        "hidden_dropout_prob": settings.dropout,
        "dropout": settings.dropout,
        "attention_probs_dropout_prob": 0.0,
        "attention_dropout": 0.0,
    }
    own = {name: value for name, value in wanted.items() if hasattr(model.config, name)}
    tokenizer, model, _ = load_pretrained(preset, AutoModel, **own)
    _choose_parameters(model, settings, preset.name)
    device = training_device()
    module = PooledTransformer(model, preset.pooling, settings.unit).to(device)
    limit = usable_tokens(model.config, preset.max_tokens)
    tokens = min(settings.max_tokens or limit, limit)
    return TrainableEncoder(preset, tokenizer, module, tokens, device, mixed_precision(settings.precision, device))


def _choose_parameters(model: nn.Module, settings: EncoderSettings, name: str) -> None:
    for parameter_name, parameter in model.named_parameters():
        frozen = settings.freeze_embeddings and parameter_name.startswith("embeddings.")
        # BitFit (Ben Zaken et al., ACL 2022): bias terms only.
        frozen = frozen or (settings.bias_only and not parameter_name.endswith("bias"))
        parameter.requires_grad = not frozen
    if not any(parameter.requires_grad for parameter in model.parameters()):
        raise TrainingError(f"the model '{name}' has no bias terms to train: leave BitFit out")
