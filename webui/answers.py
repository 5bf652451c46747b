"""Answers to the questions of the page and the API: how many at once, and the latest kept for exports."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from citescout.live import LiveRecommender
from citescout.recommendation import Recommendation
from citescout.recommender import Recommender
from citescout.settings import Settings
from common.errors import CitescoutError
from retrieval.query import Query

# A list is exported right after it was shown; it should not be computed twice.
_KEPT = 32

_Key = tuple[str, Query, Settings]
_Found = tuple[tuple[Recommendation, ...], tuple[str, ...]]  # the list, and what of the query is not in the index


class BusyError(CitescoutError):
    """All places are taken, and none became free in time."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One list, and how long it took."""

    recommendations: tuple[Recommendation, ...]
    unknown: tuple[str, ...]  # of what the query cites already: what is not in the index
    milliseconds: float  # until it was there; next to nothing for one that was kept


@dataclass(frozen=True, slots=True)
class Part:
    """One of the lists that an answer goes through on its way."""

    answer: Answer
    read: int  # candidates that the cross-encoder has read for this list
    to_read: int  # that it will have read for the last one
    last: bool


class Answers:
    """Asks the recommender; safe to share between threads."""

    def __init__(self, recommender: Recommender | LiveRecommender, at_once: int, patience: float) -> None:
        """Let `at_once` queries run together; a further one waits `patience` seconds for its turn."""
        self.recommender = recommender
        self._places = threading.BoundedSemaphore(at_once)
        self._patience = patience
        self._kept: OrderedDict[_Key, _Found] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, query: Query, settings: Settings) -> Answer:
        """The recommendations for a query.

        Raises:
            QueryError: the recommender cannot answer it.
            BusyError: too many queries are being answered.
        """
        start = time.perf_counter()
        key = self._key(query, settings)
        found = self._recall(key)
        if found is None:
            with self._place():
                asked, unknown = self._with_known_citations(query)
                found = tuple(self.recommender.recommend(asked, settings)), unknown
            self._keep(key, found)
        return Answer(*found, _milliseconds(start))

    def stream(self, query: Query, settings: Settings) -> Generator[Part, None, None]:
        """The same list by way of better and better ones: the first without waiting for the cross-encoder.

        The place among the questions is held until the iterator ends or is closed; what the cross-encoder has not
        read by then is not read. Errors are those of `answer`, raised with the first list.
        """
        start = time.perf_counter()
        key = self._key(query, settings)
        if found := self._recall(key):
            depth = settings.depth if self.recommender.info.reranker else 0
            yield Part(Answer(*found, _milliseconds(start)), depth, depth, last=True)
            return
        with self._place():
            asked, unknown = self._with_known_citations(query)
            for recommendations, read, to_read in self._refined(asked, settings):
                found = tuple(recommendations), unknown
                last = read >= to_read
                if last or not read:
                    self._keep(key if last else self._key(query, replace(settings, depth=0)), found)
                yield Part(Answer(*found, _milliseconds(start)), read, to_read, last)

    def _refined(self, query: Query, settings: Settings) -> Iterator[tuple[list[Recommendation], int, int]]:
        """(list, candidates read, candidates to read), the last one with all of them read."""
        if not self.recommender.info.reranker or not settings.depth:
            yield self.recommender.recommend(query, settings), 0, 0
            return
        yield self.recommender.recommend(query, replace(settings, depth=0)), 0, settings.depth
        yield self.recommender.recommend(query, settings), settings.depth, settings.depth

    def _with_known_citations(self, query: Query) -> tuple[Query, tuple[str, ...]]:
        return self.recommender.with_known_citations(query) if query.already_cited else (query, ())

    def _key(self, query: Query, settings: Settings) -> _Key:
        return self.recommender.info.generation, query, settings

    def _recall(self, key: _Key) -> _Found | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def _keep(self, key: _Key, found: _Found) -> None:
        with self._lock:
            self._kept[key] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)

    @contextmanager
    def _place(self) -> Iterator[None]:
        if not self._places.acquire(timeout=self._patience):
            raise BusyError("too many questions at once: try again in a moment")
        try:
            yield
        finally:
            self._places.release()


def _milliseconds(start: float) -> float:
    return (time.perf_counter() - start) * 1000
