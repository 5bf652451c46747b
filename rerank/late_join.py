"""The late-join cross-encoder: a bi-encoder below, attention to the other text above.

The lower layers read query and candidate apart, exactly as all-MiniLM-L6-v2 does. In the upper layers the candidate's
tokens also attend to the query's, through projections of their own behind a gate a head. The score is the cosine of
the two mean vectors, plus both directions of MaxSim (Khattab and Zaharia 2020) with learned token weights, plus a
small head over the product of the vectors and the candidate's `[CLS]`. Before training all but the cosine is zero and
the gates are nearly shut: learning starts from the bi-encoder's quality instead of from nothing.

The query's side does not depend on the candidate, so it is computed once a list.
"""

import copy
from typing import NamedTuple, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from encoders.batching import TokenBatch
from encoders.runtimes import Runtime, make_runtime
from encoders.runtimes.base import RuntimeName
from rerank.late_join_config import EXACT, HIDDEN, LAYERS, LateJoinShape

HEADS = 12
HEAD_SIZE = HIDDEN // HEADS
FEED_FORWARD = 1536
EPSILON = 1e-12
HEAD_DROPOUT = 0.1
_MASKED = -1e4  # added to the attention to padding: finite in bf16, and exactly 0 after the softmax


class QueryStates(NamedTuple):
    """What the candidates need of the query."""

    layers: Tensor  # (upper layers + 1, q, tokens, HIDDEN): the states before each upper layer, and the last
    mask: Tensor  # (q, tokens), 1 where there is a token


def _attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    # Spelled out: on a CPU the backward pass of the fused kernel takes several times as long.
    scores = torch.matmul(query * HEAD_SIZE**-0.5, key.transpose(-1, -2)) + mask
    return torch.matmul(torch.softmax(scores, -1), value)


def _heads(states: Tensor) -> Tensor:
    return states.view(states.shape[0], -1, HEADS, HEAD_SIZE).transpose(1, 2)


def attention_mask(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """(n, tokens) of 0 and 1 → what is added to attention scores, (n, 1, 1, tokens)."""
    return ((1 - mask.to(dtype)) * _MASKED)[:, None, None, :]


class Layer(nn.Module):
    """One BERT layer, without dropout."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (nn.Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.attention_norm = nn.LayerNorm(HIDDEN, EPSILON)
        self.up, self.down = nn.Linear(HIDDEN, FEED_FORWARD), nn.Linear(FEED_FORWARD, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, EPSILON)

    def attend_to_self(self, states: Tensor, mask: Tensor) -> Tensor:
        """(n, tokens, HIDDEN), before the output projection."""
        heads = _attend(_heads(self.query(states)), _heads(self.key(states)), _heads(self.value(states)), mask)
        return heads.transpose(1, 2).reshape(states.shape)

    def finish(self, states: Tensor, attended: Tensor) -> Tensor:
        """Output projection, feed-forward part, and both normalisations."""
        states = self.attention_norm(states + self.output(attended))
        return cast(Tensor, self.norm(states + self.down(functional.gelu(self.up(states)))))

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """(n, tokens, HIDDEN) → the same shape."""
        return self.finish(states, self.attend_to_self(states, mask))


class JoiningLayer(Layer):
    """A layer whose tokens may also attend to another text."""

    def __init__(self, gate: float) -> None:
        super().__init__()
        self.cross_query, self.cross_key, self.cross_value = (nn.Linear(HIDDEN, HIDDEN) for _ in range(3))
        self.gate = nn.Parameter(torch.full((HEADS,), gate))

    def start_cross_attention(self) -> None:
        """Begin with the projections that the layer uses on its own text."""
        for cross, own in ((self.cross_query, self.query), (self.cross_key, self.key), (self.cross_value, self.value)):
            cross.load_state_dict(copy.deepcopy(own.state_dict()))

    def join(self, states: Tensor, mask: Tensor, context: Tensor, context_mask: Tensor) -> Tensor:
        """`states` (q × c, tokens, HIDDEN) are c candidates a query, `context` (q, tokens, HIDDEN) the queries."""
        queries = context.shape[0]
        # A query's candidates lie side by side, so that its keys and values need no copies.
        asking = self.cross_query(states).view(queries, -1, HEADS, HEAD_SIZE).transpose(1, 2)
        crossed = _attend(asking, _heads(self.cross_key(context)), _heads(self.cross_value(context)), context_mask)
        crossed = crossed.transpose(1, 2).reshape(*states.shape[:2], HEADS, HEAD_SIZE)
        gated = (self.gate.to(crossed.dtype)[:, None] * crossed).reshape(states.shape)
        return self.finish(states, self.attend_to_self(states, mask) + gated)


class LateJoin(nn.Module):
    """The whole network. `embeddings` and `lower` are the base's and are never trained or shipped."""

    def __init__(self, shape: LateJoinShape, vocabulary: int, positions: int) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(vocabulary, HIDDEN)
        self.positions = nn.Embedding(positions, HIDDEN)
        self.segments = nn.Embedding(2, HIDDEN)
        self.embedding_norm = nn.LayerNorm(HIDDEN, EPSILON)
        self.lower = nn.ModuleList(Layer() for _ in range(shape.lower_layers))
        self.upper = nn.ModuleList(JoiningLayer(shape.gate) for _ in range(LAYERS - shape.lower_layers))
        self.cosine_weight = nn.Parameter(torch.tensor(20.0))
        self.maxsim_weight = nn.Parameter(torch.zeros(2))  # query → candidate, candidate → query
        self.token_weight = nn.Linear(HIDDEN, 1)
        self.head_hidden, self.head_out = nn.Linear(2 * HIDDEN, shape.head), nn.Linear(shape.head, 1)
        for zero in (self.token_weight, self.head_out):
            nn.init.zeros_(zero.weight)
            nn.init.zeros_(zero.bias)

    def lower_states(self, token_ids: Tensor, mask: Tensor) -> Tensor:
        """Token ids (n, tokens) → states below the join (n, tokens, HIDDEN)."""
        place = torch.arange(token_ids.shape[1], device=token_ids.device)
        embedded = self.words(token_ids) + self.positions(place) + self.segments.weight[0]
        states = cast(Tensor, self.embedding_norm(embedded))
        for layer in self.lower:
            states = layer(states, attention_mask(mask, states.dtype))
        return states

    def query_states(self, lower: Tensor, mask: Tensor) -> QueryStates:
        """The queries' way through the upper layers, from their states below the join."""
        layers = [lower]
        for layer in self.upper:
            layers.append(layer(layers[-1], attention_mask(mask, layers[-1].dtype)))
        return QueryStates(torch.stack([states.to(layers[-1].dtype) for states in layers]), mask)

    def pooled(self, query: QueryStates, lower: Tensor, mask: Tensor) -> Tensor:
        """What the score is made of: (q × c, 2 × HIDDEN + 2), candidates of one query side by side.

        Columns: the candidate's mean vector, its `[CLS]`, MaxSim of query → candidate and of candidate → query.
        """
        states, own = lower, attention_mask(mask, lower.dtype)
        context_mask = attention_mask(query.mask, lower.dtype)
        for number, layer in enumerate(self.upper):
            states = cast(JoiningLayer, layer).join(states, own, query.layers[number], context_mask)
        asked = query.layers[-1]
        queries = asked.shape[0]
        each = states.shape[0] // queries
        similarity = torch.matmul(
            functional.normalize(states, dim=-1).view(queries, -1, HIDDEN),
            functional.normalize(asked, dim=-1).transpose(1, 2),
        ).view(queries, each, states.shape[1], -1)
        candidate_tokens = mask.view(queries, each, -1)
        padding, query_padding = 1 - candidate_tokens.to(similarity.dtype), 1 - query.mask.to(similarity.dtype)
        by_query = (similarity - 4 * padding[..., None]).amax(2)  # (q, c, query tokens)
        by_candidate = (similarity - 4 * query_padding[:, None, None, :]).amax(3)  # (q, c, candidate tokens)
        query_weights = self._token_weights(asked, query.mask)[:, None, :]
        candidate_weights = self._token_weights(states, mask).view(queries, each, -1)
        maxsim = torch.stack([(by_query * query_weights).sum(2), (by_candidate * candidate_weights).sum(2)], -1)
        return torch.cat([_mean(states, mask), states[:, 0], maxsim.view(-1, 2).to(states.dtype)], 1)

    def score(self, query: QueryStates, pooled: Tensor) -> Tensor:
        """The columns of `pooled` → logits (q × c,), in fp32."""
        each = pooled.shape[0] // query.mask.shape[0]
        asked = functional.normalize(_mean(query.layers[-1].float(), query.mask), dim=-1).repeat_interleave(each, 0)
        pooled = pooled.float()
        mean = functional.normalize(pooled[:, :HIDDEN], dim=-1)
        first = functional.normalize(pooled[:, HIDDEN : 2 * HIDDEN], dim=-1)
        # The factors bring unit vectors to the size that a head learns from.
        features = functional.dropout(torch.cat([asked * mean * 20, first * 10], 1), HEAD_DROPOUT, self.training)
        learned = self.head_out(functional.gelu(self.head_hidden(features)))[:, 0]
        maxsim = (pooled[:, 2 * HIDDEN :] * self.maxsim_weight).sum(1) * 20
        return cast(Tensor, self.cosine_weight * (asked * mean).sum(1) + learned + maxsim)

    def _token_weights(self, states: Tensor, mask: Tensor) -> Tensor:
        raw = self.token_weight(states)[..., 0].float()
        return torch.softmax(raw + (1 - mask.to(raw.dtype)) * _MASKED, -1)


def _mean(states: Tensor, mask: Tensor) -> Tensor:
    weights = mask.to(states.dtype).unsqueeze(-1)
    return (states * weights).sum(1) / weights.sum(1)


class _Part(nn.Module):
    """One of the three parts that run one after the other, with arrays in and out."""

    def __init__(self, model: LateJoin) -> None:
        super().__init__()
        self.model = model


class QuerySide(_Part):
    """All that is computed of a query alone."""

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Shapes: (1, query tokens) twice → (upper layers + 1, 1, query tokens, HIDDEN)."""
        return self.model.query_states(self.model.lower_states(input_ids, attention_mask), attention_mask).layers


class CandidateSide(_Part):
    """All that is computed a candidate: token ids and the query's states in, `LateJoin.pooled` out."""

    def forward(self, input_ids: Tensor, attention_mask: Tensor, query_layers: Tensor, query_mask: Tensor) -> Tensor:
        """Shapes: (b, length) twice, (upper layers + 1, 1, query tokens, HIDDEN), (1, query tokens)."""
        lower = self.model.lower_states(input_ids, attention_mask)
        return self.model.pooled(QueryStates(query_layers, query_mask), lower, attention_mask)


class Scorer(_Part):
    """The last step."""

    def forward(self, query_layers: Tensor, query_mask: Tensor, pooled: Tensor) -> Tensor:
        """Shapes: those of `CandidateSide`, and (n, 2 × HIDDEN + 2) of the candidates → (n,)."""
        return self.model.score(QueryStates(query_layers, query_mask), pooled)


def parts_of(model: LateJoin) -> dict[str, tuple[nn.Module, TokenBatch]]:
    """The parts by name, each with an example of its inputs."""
    rows = np.zeros(2, np.int64)
    ids, mask = np.array([[101, 2023, 102, 0], [101, 2003, 2003, 102]]), np.array([[1, 1, 1, 0], [1, 1, 1, 1]])
    asked = {"query_layers": np.ones((len(model.upper) + 1, 1, 4, HIDDEN), np.float32), "query_mask": mask[:1]}
    pooled = np.ones((2, 2 * HIDDEN + 2), np.float32)
    return {
        "query": (QuerySide(model), TokenBatch(rows, {"input_ids": ids[:1], "attention_mask": mask[:1]})),
        "candidates": (CandidateSide(model), TokenBatch(rows, {"input_ids": ids, "attention_mask": mask, **asked})),
        "scores": (Scorer(model), TokenBatch(rows, {**asked, "pooled": pooled})),
    }


def runtimes_of(model: LateJoin, runtime: RuntimeName, exact: bool = False) -> dict[str, Runtime]:
    """The parts of a network in memory, ready to run; those of `EXACT` in fp32, all of them if `exact`."""
    # A copy each, because a runtime may move its module to another device.
    return {
        name: make_runtime(copy.deepcopy(part), example, runtime, exact or name in EXACT)
        for name, (part, example) in parts_of(model).items()
    }
