"""Answers to the questions of the page and the API: how many at once, and the latest kept for exports."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from citescout.live import LiveRecommender
from citescout.recommendation import Recommendation
from citescout.recommender import Recommender
from citescout.settings import Settings
from common.errors import CitescoutError
from retrieval.query import Query

# A list is exported right after it was shown; it should not be computed twice.
_KEPT = 32

_Found = tuple[tuple[Recommendation, ...], tuple[str, ...]]  # the list, and what of the query is not in the index


class BusyError(CitescoutError):
    """All places are taken, and none became free in time."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One list, and how long it took."""

    recommendations: tuple[Recommendation, ...]
    unknown: tuple[str, ...]  # of what the query cites already: what is not in the index
    milliseconds: float  # until it was there; next to nothing for one that was kept


class Answers:
    """Asks the recommender; safe to share between threads."""

    def __init__(self, recommender: Recommender | LiveRecommender, at_once: int, patience: float) -> None:
        """Let `at_once` queries run together; a further one waits `patience` seconds for its turn."""
        self.recommender = recommender
        self._places = threading.BoundedSemaphore(at_once)
        self._patience = patience
        self._kept: OrderedDict[tuple[str, Query, Settings], _Found] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, query: Query, settings: Settings) -> Answer:
        """The recommendations for a query.

        Raises:
            QueryError: the recommender cannot answer it.
            BusyError: too many queries are being answered.
        """
        start = time.perf_counter()
        key = (self.recommender.info.generation, query, settings)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
        if found is None:
            with self._place():
                found = self._ask(query, settings)
            with self._lock:
                self._kept[key] = found
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        return Answer(*found, (time.perf_counter() - start) * 1000)

    def _ask(self, query: Query, settings: Settings) -> _Found:
        unknown: tuple[str, ...] = ()
        if query.already_cited:
            query, unknown = self.recommender.with_known_citations(query)
        return tuple(self.recommender.recommend(query, settings)), unknown

    @contextmanager
    def _place(self) -> Iterator[None]:
        if not self._places.acquire(timeout=self._patience):
            raise BusyError("too many questions at once: try again in a moment")
        try:
            yield
        finally:
            self._places.release()
