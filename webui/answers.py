"""Answers to the questions of the page and the API: how many at once, how long, and the latest kept for exports."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from concurrent.futures import CancelledError, ThreadPoolExecutor
from dataclasses import dataclass

from citescout.live import LiveRecommender
from citescout.recommendation import Recommendation
from citescout.recommender import Recommender
from citescout.settings import Settings
from common.errors import CitescoutError
from common.stages import Watcher, stage, watched
from retrieval.query import Query

# A list is exported right after it was shown; it should not be computed twice.
_KEPT = 32
_RECENT = 0.2  # weight of the latest question in the mean time of one
_LONGEST_WAIT = 60  # seconds that anyone is told to stay away

_Found = tuple[tuple[Recommendation, ...], tuple[str, ...]]  # the list, and what of the query is not in the index


class BusyError(CitescoutError):
    """All places are taken."""

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after  # seconds


class DeadlineError(CitescoutError):
    """The answer is not there in time."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one server takes on."""

    at_once: int = 2  # questions that are answered together; each uses several cores
    queue: int = 2  # further ones that wait; beyond them a question is refused at once
    deadline: float = 30.0  # seconds until a question is answered or given up


@dataclass(frozen=True, slots=True)
class Answer:
    """One list, and how long it took."""

    recommendations: tuple[Recommendation, ...]
    unknown: tuple[str, ...]  # of what the query cites already: what is not in the index
    milliseconds: float  # until it was there; next to nothing for one that was kept


class Answers:
    """Asks the recommender; safe to share between threads."""

    def __init__(
        self, recommender: Recommender | LiveRecommender, limits: Limits | None = None, watcher: Watcher | None = None
    ) -> None:
        """Answer within the limits; `watcher` is told how long each stage took, the wait in the queue among them."""
        self.recommender = recommender
        self.limits = limits or Limits()
        self._watcher = watcher or (lambda _stage, _seconds: None)
        self._workers = ThreadPoolExecutor(self.limits.at_once, "answers")
        self._kept: OrderedDict[tuple[str, Query, Settings], _Found] = OrderedDict()
        self._changed = threading.Condition()  # over what was kept and the numbers below
        self._admitted = 0
        self._running = 0
        self._seconds = 1.0  # that a question took lately

    @property
    def running(self) -> int:
        """Questions that are being answered."""
        return self._running

    @property
    def waiting(self) -> int:
        """Questions that are admitted and wait."""
        return max(self._admitted - self._running, 0)

    def answer(self, query: Query, settings: Settings, until: float | None = None) -> Answer:
        """The recommendations for a query.

        With `until`, a time of `time.monotonic`, the question waits for a place in the queue until then, as one of a
        batch should; without, it is refused where there is none.

        Raises:
            QueryError: the recommender cannot answer it.
            BusyError: too many questions are being answered.
            DeadlineError: the answer took too long; it is kept once it is there.
        """
        start = time.perf_counter()
        key = (self.recommender.info.generation, query, settings)
        with self._changed:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
        if found is None:
            found = self._admit(key, until)
        return Answer(*found, (time.perf_counter() - start) * 1000)

    def _admit(self, key: tuple[str, Query, Settings], until: float | None) -> _Found:
        places = self.limits.at_once + self.limits.queue
        with self._changed:
            patience = 0.0 if until is None else max(until - time.monotonic(), 0.0)
            if not self._changed.wait_for(lambda: self._admitted < places, patience):
                raise self._busy()
            self._admitted += 1
        admitted = time.monotonic()
        deadline = admitted + self.limits.deadline if until is None else until
        future = self._workers.submit(self._work, key, admitted)
        future.add_done_callback(lambda _future: self._leave())
        try:
            return future.result(max(deadline - time.monotonic(), 0.0))
        except CancelledError:
            raise self._busy() from None
        except TimeoutError:
            if not future.done() and future.cancel():
                raise self._busy() from None
            raise DeadlineError(
                f"the answer takes longer than {self.limits.deadline:g} seconds: try a shorter text, or again later"
            ) from None

    def _work(self, key: tuple[str, Query, Settings], admitted: float) -> _Found:
        started = time.monotonic()
        self._watcher("queue", started - admitted)
        with self._changed:
            self._running += 1
        try:
            with watched(self._watcher), stage("answer"):
                found = self._ask(key[1], key[2])
        finally:
            with self._changed:
                self._running -= 1
                self._seconds += _RECENT * (time.monotonic() - started - self._seconds)
        with self._changed:
            self._kept[key] = found
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def _ask(self, query: Query, settings: Settings) -> _Found:
        unknown: tuple[str, ...] = ()
        if query.already_cited:
            query, unknown = self.recommender.with_known_citations(query)
        return tuple(self.recommender.recommend(query, settings)), unknown

    def _leave(self) -> None:
        with self._changed:
            self._admitted -= 1
            self._changed.notify_all()

    def _busy(self) -> BusyError:
        """The refusal, with the time after which the questions before this one should be done."""
        seconds = self._seconds * self._admitted / self.limits.at_once
        return BusyError(
            "too many questions at once: try again in a moment", min(max(math.ceil(seconds), 1), _LONGEST_WAIT)
        )
