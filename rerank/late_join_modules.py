"""The late-join network in the three parts that run one after the other, as torch modules with arrays in and out."""

from __future__ import annotations

import copy

import numpy as np
import torch

from encoders.batching import TokenBatch
from encoders.runtimes import Runtime, make_runtime
from encoders.runtimes.base import RuntimeName
from rerank.late_join import LateJoin, QueryStates
from rerank.late_join_config import EXACT, HIDDEN


class QuerySide(torch.nn.Module):
    """All that is computed of a query alone."""

    def __init__(self, model: LateJoin) -> None:
        super().__init__()
        self.model = model

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Shapes: (1, query tokens) twice → (upper layers + 1, 1, query tokens, HIDDEN)."""
        return self.model.query_states(self.model.lower_states(input_ids, attention_mask), attention_mask).layers


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


class Scorer(torch.nn.Module):
    """The last step."""

    def __init__(self, model: LateJoin) -> None:
        super().__init__()
        self.model = model

    def forward(self, query_layers: torch.Tensor, query_mask: torch.Tensor, pooled: torch.Tensor) -> torch.Tensor:
        """Shapes: those of `CandidateSide`, and (n, 2 × HIDDEN + 2) of the candidates → (n,)."""
        return self.model.score(QueryStates(query_layers, query_mask), pooled)


def parts_of(model: LateJoin) -> dict[str, tuple[torch.nn.Module, TokenBatch]]:
    """The parts by name, each with an example of its inputs."""
    rows = np.zeros(2, np.int64)
    ids, mask = np.array([[101, 2023, 102, 0], [101, 2003, 2003, 102]]), np.array([[1, 1, 1, 0], [1, 1, 1, 1]])
    asked = {
        "query_layers": np.ones((len(model.upper) + 1, 1, 4, HIDDEN), np.float32),
        "query_mask": mask[:1],
    }
    pooled = np.ones((2, 2 * HIDDEN + 2), np.float32)
    return {
        "query": (QuerySide(model), TokenBatch(rows, {"input_ids": ids[:1], "attention_mask": mask[:1]})),
        "candidates": (CandidateSide(model), TokenBatch(rows, {"input_ids": ids, "attention_mask": mask, **asked})),
        "scores": (Scorer(model), TokenBatch(rows, {**asked, "pooled": pooled})),
    }


def runtimes_of(model: LateJoin, runtime: RuntimeName = "auto", exact: bool = False) -> dict[str, Runtime]:
    """The parts of a network in memory, ready to run; those of `EXACT` in fp32, all of them if `exact`."""
    # A copy each, because a runtime may move its module to another device.
    return {
        name: make_runtime(copy.deepcopy(part), example, runtime, exact or name in EXACT)
        for name, (part, example) in parts_of(model).items()
    }
