"""What a training step sees, as a function of its number: a run that is resumed needs to know nothing else."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from common.arrays import contained, ordered, unordered
from training.draws import PassOrder
from training.encoder.settings import EncoderSettings
from training.losses import list_softmax, triplet_margin
from training.triplets.triplets import Triplets


@dataclass(frozen=True, slots=True)
class Chunk:
    """Documents that are in memory together."""

    documents: NDArray[np.int64]  # (d,) distinct places in the list of texts
    loss: Callable[[Tensor], Tensor]  # their vectors, (d, dimension) → their part of the step's loss


class BatchSource(Protocol):
    """All batches of a recipe."""

    def steps(self, epochs: float) -> int:
        """Steps that see every query or triplet `epochs` times."""

    def step(self, number: int) -> Iterator[Chunk]:
        """The chunks of one step; the same whenever it is asked for."""

    def digest(self) -> str:
        """Changes with whatever the batches depend on."""


class TripletBatches:
    """Triplets in an order that is drawn anew for every pass."""

    def __init__(self, triplets: Triplets, settings: EncoderSettings) -> None:
        self._rows = triplets.rows
        self._settings = settings
        self._positive = np.unique(ordered(triplets.rows[:, 0], triplets.rows[:, 1]))
        self._order = PassOrder(len(triplets.rows), settings.seed)
        self._linked = np.union1d(triplets.linked, unordered(triplets.rows[:, 0], triplets.rows[:, 1]))

    def steps(self, epochs: float) -> int:
        """See `BatchSource`."""
        return max(1, round(epochs * self._per_pass))

    @property
    def _per_pass(self) -> int:
        return -(-len(self._rows) // self._settings.batch_size)

    def step(self, number: int) -> Iterator[Chunk]:
        """See `BatchSource`."""
        passed, place = divmod(number, self._per_pass)
        batch = self._rows[self._order.of(passed)[place * self._settings.batch_size :][: self._settings.batch_size]]
        # In the softmax over a batch, every document is a negative of every query: it cannot be cut into chunks.
        size = len(batch) if self._settings.loss == "in-batch" else self._settings.chunk
        for start in range(0, len(batch), size):
            yield self._chunk(batch[start : start + size], len(batch))

    def digest(self) -> str:
        """See `BatchSource`."""
        return hashlib.sha256(self._rows.tobytes() + self._linked.tobytes()).hexdigest()

    def _chunk(self, rows: NDArray[np.int64], batch: int) -> Chunk:
        documents, places = np.unique(rows, return_inverse=True)
        places = places.reshape(rows.shape)
        settings = self._settings
        if settings.loss == "margin":
            query, positive, negative = torch.from_numpy(places.T.copy())

            def margin(vectors: Tensor) -> Tensor:
                return triplet_margin(vectors[query], vectors[positive], vectors[negative], settings.margin) / batch

            return Chunk(documents, margin)
        queries = np.unique(places[:, 0])
        one, other = documents[queries][:, None], documents[None]
        shape = (len(queries), len(documents))
        cited = contained(ordered(*np.broadcast_arrays(one, other)).reshape(-1), self._positive).reshape(shape)
        linked = contained(unordered(*np.broadcast_arrays(one, other)).reshape(-1), self._linked).reshape(shape)
        return Chunk(documents, softmax_loss(queries, cited, (linked | (one == other)) & ~cited, settings.scale))


def softmax_loss(
    queries: NDArray[np.int64], positive: NDArray[np.bool_], ignored: NDArray[np.bool_], scale: float
) -> Callable[[Tensor], Tensor]:
    """The loss of a whole batch from the unit vectors of its documents; the mean over the positives."""
    rows, cited, out = torch.from_numpy(queries), torch.from_numpy(positive), torch.from_numpy(ignored)

    def loss(vectors: Tensor) -> Tensor:
        scores = scale * (vectors[rows] @ vectors.T)
        return list_softmax(scores, cited.to(scores.device), out.to(scores.device)) / max(int(positive.sum()), 1)

    return loss
