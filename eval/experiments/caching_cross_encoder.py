"""A cross-encoder that reads no candidate of a query twice, however many variants ask for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from encoders.text import Text
from rerank.cross_encoder import CrossEncoder, Reader
from rerank.networks import PairNetwork, Progress
from rerank.token_split import TokenIds


class CachingCrossEncoder(CrossEncoder):
    """Remembers what it has read for the query that was asked last, while `remembers` is set."""

    remembers = True

    def __init__(self, network: PairNetwork, name: str, batch_size: int | None = None) -> None:
        super().__init__(network, name, batch_size)
        self._asked: Text | None = None
        self._latest: PatientReader | None = None

    def reader(self, query: Text) -> Reader:
        """See `CrossEncoder.reader`."""
        if not self.remembers:
            return super().reader(query)
        if self._latest is None or query != self._asked:
            self._asked, self._latest = query, PatientReader(super().reader(query))
        return self._latest


class PatientReader(Reader):
    """A reader with a memory."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self._known: dict[tuple[int, ...], float] = {}

    def score(self, candidates: Sequence[TokenIds], progress: Progress | None = None) -> NDArray[np.float32]:
        """See `Reader.score`."""
        keys = [tuple(one) for one in candidates]
        unread = list(dict.fromkeys(key for key in keys if key not in self._known))
        self._known |= dict(zip(unread, self._reader.score(unread, progress).tolist(), strict=True))
        return np.asarray([self._known[key] for key in keys], np.float32)
