"""The late-join network at work: the query once, then its candidates in batches sorted by length."""

from __future__ import annotations

import copy
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import torch
from numpy.typing import NDArray

from common.errors import ModelError
from encoders.batching import TokenBatch, length_sorted_batches
from encoders.minilm import minilm_folder
from encoders.runtimes import Runtime, make_runtime
from encoders.runtimes.base import RuntimeName
from encoders.text import Text
from rerank.late_join import HIDDEN, LateJoin, QueryStates
from rerank.late_join_files import LateJoinConfig, load_late_join
from rerank.token_split import TokenIds, TokenSplit, candidate_token_ids, text_token_ids

if TYPE_CHECKING:
    from rerank.cross_encoder import Progress


class CandidateSide(torch.nn.Module):
    """All that is computed a candidate: token ids and the query's states in, `LateJoin.pooled` out."""

    def __init__(self, model: LateJoin) -> None:
        super().__init__()
        self.model = model

    def forward(
        self,
        input_ids: torch.Tensor,
        attention_mask: torch.Tensor,
        query_layers: torch.Tensor,
        query_mask: torch.Tensor,
    ) -> torch.Tensor:
        """Shapes: (b, length) twice, (upper layers + 1, 1, query tokens, HIDDEN), (1, query tokens)."""
        lower = self.model.lower_states(input_ids, attention_mask)
        return self.model.pooled(QueryStates(query_layers, query_mask), lower, attention_mask)


class LateJoinNetwork:
    """See `rerank.cross_encoder.PairNetwork`."""

    def __init__(
        self, model: LateJoin, config: LateJoinConfig, split: TokenSplit | None = None, runtime: RuntimeName = "auto"
    ) -> None:
        from transformers import AutoTokenizer

        self.split = split or config.split
        positions = model.positions.num_embeddings
        if max(self.split.query, self.split.candidate) > positions:
            raise ModelError(
                f"the late-join reranker reads at most {positions} tokens a side, {self.split} asks for more"
            )
        self._config = config
        self._model = model.eval()
        self._tokenizer: Any = AutoTokenizer.from_pretrained(str(minilm_folder()))
        self._runtime_name: RuntimeName = runtime
        self._runtime: Runtime | None = None
        self._starting = threading.Lock()  # one compilation, however many threads ask first

    @classmethod
    def load(cls, folder: Path, split: TokenSplit | None, runtime: RuntimeName = "auto") -> LateJoinNetwork:
        """Read a folder written by `rerank.late_join_files.save_late_join`.

        Raises:
            ModelError: see `rerank.late_join_files.load_late_join`.
        """
        model, config = load_late_join(folder)
        return cls(model, config, split, runtime)

    def token_ids(self, candidates: Sequence[Text]) -> list[TokenIds]:
        """See `rerank.cross_encoder.PairNetwork`."""
        return candidate_token_ids(self._tokenizer, candidates, self.split)

    def read(self, query: Text) -> LateJoinReading:
        """The query's way through all layers."""
        return LateJoinReading(self, self._query_states(query))

    def pooled(
        self, asked: QueryStates, candidates: Sequence[TokenIds], batch_size: int, progress: Progress
    ) -> NDArray[np.float32]:
        """`LateJoin.pooled` of the candidates, in their order."""
        context = {"query_layers": asked.layers.numpy(), "query_mask": asked.mask.numpy()}
        pooled = np.zeros((len(candidates), 2 * HIDDEN + 2), np.float32)

        def store(batch: TokenBatch, output: NDArray[np.float32]) -> None:
            pooled[batch.rows] = output
            progress(len(batch.rows))

        token_ids = with_special_tokens(self._tokenizer, candidates, self.split.candidate)
        batches = [
            _with_context(batch, context) for batch in length_sorted_batches(token_ids, batch_size, self._pad_id)
        ]
        self._started(batches[0]).run(batches, store)
        return pooled

    @torch.inference_mode()
    def logits(self, asked: QueryStates, pooled: NDArray[np.float32]) -> NDArray[np.float32]:
        """The last step, where digits count, is always fp32."""
        scores = self._model.score(asked, torch.from_numpy(pooled)).numpy()
        return cast(NDArray[np.float32], self._config.scale * scores + self._config.shift).astype(np.float32)

    def _started(self, example: TokenBatch) -> Runtime:
        with self._starting:
            if self._runtime is None:
                # A copy, because a runtime may move its module to another device.
                side = CandidateSide(copy.deepcopy(self._model))
                self._runtime = make_runtime(side, example, self._runtime_name)
            return self._runtime

    @torch.inference_mode()
    def _query_states(self, query: Text) -> QueryStates:
        token_ids = side_token_ids(self._tokenizer, [query], self.split.query)
        batch = next(length_sorted_batches(token_ids, 1, self._pad_id))
        ids, mask = (torch.from_numpy(batch.inputs[name]) for name in ("input_ids", "attention_mask"))
        return self._model.query_states(self._model.lower_states(ids, mask), mask)

    @property
    def _pad_id(self) -> int:
        return int(self._tokenizer.pad_token_id)


@dataclass(frozen=True, slots=True)
class LateJoinReading:
    """See `rerank.cross_encoder.Reading`."""

    network: LateJoinNetwork
    asked: QueryStates

    def logits(self, candidates: Sequence[TokenIds], batch_size: int, progress: Progress) -> NDArray[np.float32]:
        """Log-odds of being cited, (len(candidates),)."""
        return self.network.logits(self.asked, self.network.pooled(self.asked, candidates, batch_size, progress))


def side_token_ids(tokenizer: Any, texts: Sequence[Text], limit: int) -> list[list[int]]:
    """`[CLS]` text `[SEP]` of each text, `limit` tokens at most, special ones counted."""
    return with_special_tokens(tokenizer, text_token_ids(tokenizer, texts), limit)


def with_special_tokens(tokenizer: Any, token_ids: Sequence[TokenIds], limit: int) -> list[list[int]]:
    """The same of texts that are tokenised already."""
    first, last = int(tokenizer.cls_token_id), int(tokenizer.sep_token_id)
    return [[first, *ids[: limit - 2], last] for ids in token_ids]


def _with_context(batch: TokenBatch, context: dict[str, Any]) -> TokenBatch:
    inputs: dict[str, Any] = {name: batch.inputs[name] for name in ("input_ids", "attention_mask")}
    return TokenBatch(batch.rows, {**inputs, **context})
