"""The late-join network at work: the query once, then its candidates in batches sorted by length."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.errors import ModelError
from encoders.batching import TokenBatch, model_batches
from encoders.converted import Converted, add_network, add_record, converted, fingerprint
from encoders.minilm import MODEL_SHA256, minilm_place
from encoders.runtimes import Runtime
from encoders.runtimes.base import RuntimeName, chosen, output, outputs
from encoders.text import Text
from rerank.late_join_config import CONFIG, EXACT, HIDDEN, LateJoinConfig, read_config
from rerank.token_split import TokenIds, TokenSplit, candidate_token_ids, text_token_ids


class LateJoinNetwork:
    """See `rerank.networks.PairNetwork`."""

    def __init__(
        self,
        parts: Mapping[str, Runtime],
        tokenizer: Any,
        config: LateJoinConfig,
        positions: int,
        split: TokenSplit | None = None,
    ) -> None:
        """Run `parts`, see `rerank.late_join.parts_of`, which read `positions` tokens a side at most."""
        self.split = split or config.split
        if max(self.split.query, self.split.candidate) > positions:
            raise ModelError(
                f"the late-join reranker reads at most {positions} tokens a side, {self.split} asks for more"
            )
        self._config = config
        self._tokenizer = tokenizer
        self._parts = parts

    @classmethod
    def load(
        cls, folder: Path, split: TokenSplit | None, runtime: RuntimeName = "auto", exact: bool = False
    ) -> LateJoinNetwork:
        """Read a folder written by `rerank.late_join_files.save_late_join`; `exact` as for `CrossEncoder.load`.

        Raises:
            ModelError: see `rerank.late_join_files.load_late_join`.
        """
        config = read_config(folder)
        if chosen(runtime) == "openvino":
            found = _converted(folder)
            parts = {name: found.runtime(name, exact or name in EXACT) for name in ("query", "candidates", "scores")}
            return cls(parts, found.tokenizer, config, found.record["positions"], split)
        from rerank.late_join import runtimes_of
        from rerank.late_join_files import base_tokenizer, load_late_join

        model = load_late_join(folder)[0]
        parts = runtimes_of(model, runtime, exact)
        return cls(parts, base_tokenizer(), config, model.positions.num_embeddings, split)

    def token_ids(self, candidates: Sequence[Text]) -> list[TokenIds]:
        """See `rerank.networks.PairNetwork`."""
        return candidate_token_ids(self._tokenizer, candidates, self.split)

    def read(self, query: Text) -> dict[str, NDArray[Any]]:
        """The query's way through all layers, by the names that the network has for what candidates need of it.

        "query_layers": (upper layers + 1, 1, tokens, HIDDEN), the states before each upper layer, and the last;
        "query_mask": (1, tokens), 1 where there is a token.
        """
        token_ids = side_token_ids(self._tokenizer, [query], self.split.query)
        batch = next(model_batches(self._tokenizer, token_ids, 1))
        layers = output(self._parts["query"], _of_text(batch))
        return {"query_layers": layers, "query_mask": batch.inputs["attention_mask"]}

    def logits(
        self, asked: Mapping[str, NDArray[Any]], candidates: Sequence[TokenIds], batch_size: int
    ) -> NDArray[np.float32]:
        """See `rerank.networks.PairNetwork`."""
        token_ids = with_special_tokens(self._tokenizer, candidates, self.split.candidate)
        texts = model_batches(self._tokenizer, token_ids, batch_size)
        batches = (TokenBatch(batch.rows, {**_of_text(batch), **asked}) for batch in texts)
        pooled = outputs(self._parts["candidates"], batches, (len(candidates), 2 * HIDDEN + 2))  # as `LateJoin.pooled`
        scores = output(self._parts["scores"], {**asked, "pooled": pooled})
        return (self._config.scale * scores + self._config.shift).astype(np.float32)


def side_token_ids(tokenizer: Any, texts: Sequence[Text], limit: int) -> list[list[int]]:
    """`[CLS]` text `[SEP]` of each text, `limit` tokens at most, special ones counted."""
    return with_special_tokens(tokenizer, text_token_ids(tokenizer, texts), limit)


def with_special_tokens(tokenizer: Any, token_ids: Sequence[TokenIds], limit: int) -> list[list[int]]:
    """The same of texts that are tokenised already."""
    first, last = int(tokenizer.cls_token_id), int(tokenizer.sep_token_id)
    return [[first, *ids[: limit - 2], last] for ids in token_ids]


def _of_text(batch: TokenBatch) -> dict[str, Any]:
    return {name: batch.inputs[name] for name in ("input_ids", "attention_mask")}


def _converted(folder: Path) -> Converted:
    """The reranker in a folder as it was converted, which happens here if it never was."""
    base = fingerprint(minilm_place(), {"model.safetensors": MODEL_SHA256})
    # Of what lies beside, a weight that is fitted for one, nothing is converted.
    files = fingerprint(folder, names=(CONFIG, "model.safetensors"))

    def convert(place: Path) -> None:
        from rerank.late_join import parts_of
        from rerank.late_join_files import base_tokenizer, load_late_join

        model = load_late_join(folder)[0]
        for name, (part, example) in parts_of(model).items():
            add_network(place, part, example, name)
        add_record(place, base_tokenizer(), {"positions": model.positions.num_embeddings})

    return converted(f"late-join\n{files}\n{base}", convert)
