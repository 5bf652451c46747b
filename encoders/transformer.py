"""Document vectors from any transformer: SPECTER, SciNCL, MiniLM, or a model of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from common.files import sha256
from common.progress import counter
from encoders.base import Facts
from encoders.batching import TokenBatch, model_batches
from encoders.converted import Converted, add_network, add_record, converted, fingerprint
from encoders.declarations import POOLING_FILE
from encoders.minilm import MODEL_SHA256, minilm_place
from encoders.model import Joint, Model, folder_named
from encoders.pretrained import find_model, model_folder
from encoders.runtimes.base import Runtime, RuntimeName, chosen
from encoders.text import Text

if TYPE_CHECKING:
    from encoders.pooled import Pooled

BATCH_SIZE = 8
# Texts tokenised at a time, so that memory does not grow with the corpus.
_CHUNK = 4096
# What a network is traced with; it takes inputs of other shapes afterwards.
_EXAMPLES = (Text("a paper", "and its abstract"), Text("a title", ""))


class TextEncoder:
    """Encodes title + abstract, queries and candidates alike."""

    def __init__(self, preset: Model, runtime: RuntimeName = "auto", unit: bool = True) -> None:
        """Load the model of `preset`; without `unit`, its vectors keep the lengths that the model gives them.

        Raises:
            ModelError: see `encoders.pretrained.load_pretrained`.
        """
        self.preset = preset
        self._unit = unit
        self._runtime_name: RuntimeName = runtime
        self._runtimes: dict[bool, Runtime] = {}  # by whether they are exact
        self._converted: Converted | None = None
        if chosen(runtime, exact=True) == "openvino":
            self._converted = _converted(preset, unit)
            self._tokenizer = self._converted.tokenizer
            facts = Facts(**self._converted.record)
        else:
            loaded = self._pooled()
            self._tokenizer, facts = loaded.tokenizer, loaded.facts
        self.dimension, self.max_tokens, self.digest = facts.dimension, facts.max_tokens, facts.digest

    @classmethod
    def load(cls, name: str, runtime: RuntimeName = "auto", unit: bool = True) -> TextEncoder:
        """The encoder of a preset name, a local folder or a hub id; loaded once for each state of a folder's files."""
        return _load(name, runtime, unit, _state(folder_named(name)))

    @property
    def name(self) -> str:
        """The preset's name, which for other models is the folder or hub id."""
        return self.preset.name

    def encode(
        self,
        texts: Sequence[Text],
        progress: bool = False,
        exact: bool = False,
        prompt: str | None = None,
        batch_size: int = BATCH_SIZE,
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

                self._started(exact).run(model_batches(self._tokenizer, token_ids, batch_size), store)
        return vectors

    def encode_queries(self, texts: Sequence[Text]) -> NDArray[np.float32]:
        """Queries are encoded like documents but for the prompt, and in fp32: no list must depend on the processor.

        Nor on what else is asked: each goes through the network alone, several at a time, and its vector is the same
        to the last bit.
        """
        return self.encode(texts, exact=True, prompt=self.preset.query_prompt, batch_size=1)

    def as_queries(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """The vectors themselves; where queries have a prompt of their own, that is as near as one comes."""
        return vectors

    def token_ids(self, texts: Sequence[Text], prompt: str | None = None) -> list[list[int]]:
        """Token ids of each text, `max_tokens` at most with special tokens and prompt (by default a document's)."""
        prompt = self.preset.prompt if prompt is None else prompt
        return token_ids(self._tokenizer, texts, self.preset.joint, self.max_tokens, prompt)

    def _pooled(self) -> Pooled:
        from encoders.pooled import load_pooled

        return load_pooled(self.preset, self._unit)

    def _started(self, exact: bool) -> Runtime:
        if exact not in self._runtimes:
            if self._converted and chosen(self._runtime_name, exact) == "openvino":
                self._runtimes[exact] = self._converted.runtime(exact=exact)
            else:
                from encoders.runtimes.torch_runtime import TorchRuntime

                self._runtimes[exact] = TorchRuntime(self._pooled().module, exact)
        return self._runtimes[exact]


def token_ids(
    tokenizer: Any, texts: Sequence[Text], joint: Joint, max_tokens: int, prompt: str = ""
) -> list[list[int]]:
    """Token ids of title and abstract as one input, special tokens included, at most `max_tokens` long."""
    separator = f" {tokenizer.sep_token} " if joint == "sep" else ". "
    joined = [prompt + separator.join(text.parts()) for text in texts]
    return list(tokenizer(joined, truncation=True, max_length=max_tokens)["input_ids"])


@lru_cache(maxsize=8)
def _load(name: str, runtime: RuntimeName, unit: bool, _state: tuple[tuple[str, int, int], ...]) -> TextEncoder:
    return TextEncoder(find_model(name), runtime, unit=unit)


def _state(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Changes when the model in a folder is trained again, which a server that is running has to notice."""
    if not folder.is_dir():
        return ()
    files = (path for path in sorted((*folder.iterdir(), folder / POOLING_FILE)) if path.is_file())
    return tuple((path.name, (state := path.stat()).st_mtime_ns, state.st_size) for path in files)


def _converted(preset: Model, unit: bool) -> Converted:
    """The encoder of a preset as it was converted, which happens here if it never was."""
    if preset.source == "package:minilm":  # whose weights are read, and verified, only to be converted
        files = fingerprint(minilm_place(), {"model.safetensors": MODEL_SHA256})
    else:
        files = fingerprint(model_folder(preset))
    if preset.addition:
        files += f"\n+ {sha256(preset.addition)}"

    def convert(folder: Path) -> None:
        from encoders.pooled import load_pooled

        loaded = load_pooled(preset, unit)
        example = next(model_batches(loaded.tokenizer, token_ids(loaded.tokenizer, _EXAMPLES, preset.joint, 8), 2))
        add_network(folder, loaded.module, example)
        add_record(folder, loaded.tokenizer, asdict(loaded.facts))

    use = (preset.pooling, preset.joint, preset.max_tokens, preset.prompt, preset.query_prompt, preset.lower_case, unit)
    return converted(f"encoder {use}\n{files}", convert)
