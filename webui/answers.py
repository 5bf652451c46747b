"""Answers to the questions of the page and the API: how many at once, how long, and the latest kept for exports."""

from __future__ import annotations

import math
import queue
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from statistics import median

from citescout.index_info import IndexInfo
from citescout.live import LiveRecommender
from citescout.recommendation import Answer
from citescout.recommender import Recommender
from citescout.settings import Settings
from common.errors import CitescoutError
from common.recent import RecentlyUsed
from common.stages import Watcher, stage, watched
from retrieval.query import Query

# A list is exported right after it was shown; it should not be computed twice.
_KEPT = 32
_RECENT = 9  # questions whose usual time is that of the next ones
_LONGEST_WAIT = 60  # seconds that anyone is asked to stay away

AnyRecommender = Recommender | LiveRecommender
_Key = tuple[IndexInfo, Query, Settings]  # its generation alone is that of one built anew in its place, too


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
    queue: int = 8  # further ones that wait, such as tabs that are opened again; beyond them a question is refused
    deadline: float = 30.0  # seconds until a question is answered or given up


def _since(start: float, answer: Answer) -> Answer:
    """The answer to a question that came at `start`, of `time.perf_counter`."""
    return replace(answer, milliseconds=(time.perf_counter() - start) * 1000)


class _Load:
    """What one server has to do, whichever of its indexes is asked."""

    def __init__(self, at_once: int) -> None:
        self.workers = ThreadPoolExecutor(at_once, "answers")
        self.changed = threading.Condition()  # over the numbers below
        self.admitted = 0
        self.running = 0
        # That questions took lately. What holds is their median: one long list of references is no sign of others.
        self.seconds = deque([1.0], _RECENT)


class Answers:
    """Asks the recommender; safe to share between threads."""

    def __init__(
        self, recommender: AnyRecommender, limits: Limits | None = None, watcher: Watcher | None = None
    ) -> None:
        """Answer within the limits; `watcher` is called with how long each stage took, the queue included."""
        self.recommender = recommender
        self.limits = limits or Limits()
        self._watcher = watcher or (lambda _stage, _seconds: None)
        self._load = _Load(self.limits.at_once)
        self._kept: RecentlyUsed[_Key, Answer] = RecentlyUsed(_KEPT)
        # What is being answered, or waits, and for how many; both under the lock of the load.
        self._asked: dict[_Key, Future[Answer]] = {}
        self._askers: Counter[Future[Answer]] = Counter()

    def beside(self, recommender: AnyRecommender) -> Answers:
        """Answers from another index within the same limits: both share workers and queue."""
        other = Answers(recommender, self.limits, self._watcher)
        other._load = self._load
        return other

    @property
    def running(self) -> int:
        """Questions that are being answered."""
        return self._load.running

    @property
    def waiting(self) -> int:
        """Questions that are admitted and wait."""
        return max(self._load.admitted - self._load.running, 0)

    def answer(self, query: Query, settings: Settings, until: float | None = None) -> Answer:
        """The recommendations for a query; one that is being answered already is not answered twice.

        With `until`, a time of `time.monotonic`, the question waits for a place in the queue until then, as one of a
        batch should; without, it is refused where there is none.

        Raises:
            QueryError: the recommender cannot answer it.
            BusyError: too many questions are being answered.
            DeadlineError: the answer took too long; it is kept once it is there.
        """
        start = time.perf_counter()
        key = (self.recommender.info, query, settings)
        found = self._kept.get(key)
        if found is None:
            # An equal question may have come to its end since.
            future = self._submit(key, lambda: self._kept.get(key) or self._ask(key), until)
            found = self._result(future, self._deadline() if until is None else until)
        return _since(start, found)

    def stream(self, query: Query, settings: Settings) -> Generator[Answer, None, None]:
        """The lists for a question: the first without waiting for the cross-encoder, the last as `answer` gives it.

        Every list is complete. Whoever closes the stream stops the reading; so does the deadline, without an error
        once there is a list.

        Raises:
            QueryError: the recommender cannot answer it.
            BusyError: too many questions are being answered.
            DeadlineError: not even the first list is there in time.
        """
        start = time.perf_counter()
        key = (self.recommender.info, query, settings)
        known = self._kept.get(key)
        if known is not None:
            yield _since(start, known)
            return
        lists: queue.SimpleQueue[Answer | None] = queue.SimpleQueue()
        stopped = threading.Event()
        deadline = self._deadline()
        # Nobody else waits for it: whoever closes a stream ends the work.
        future = self._submit(None, lambda: self._ask(key, lists.put, stopped), None)
        future.add_done_callback(lambda _future: lists.put(None))
        shown = 0
        try:
            while (found := lists.get(timeout=max(deadline - time.monotonic(), 0.0))) is not None:
                yield _since(start, found)
                shown += 1
            self._result(future, deadline)  # raises what went wrong
        except queue.Empty:
            if not shown:  # it may have come since
                yield _since(start, self._result(future, deadline))
        finally:
            stopped.set()

    def _deadline(self) -> float:
        return time.monotonic() + self.limits.deadline

    def _submit(self, key: _Key | None, work: Callable[[], Answer], until: float | None) -> Future[Answer]:
        """The work's future; that of the same key where there is one."""
        places = self.limits.at_once + self.limits.queue
        with self._load.changed:
            patience = 0.0 if until is None else max(until - time.monotonic(), 0.0)
            if not self._load.changed.wait_for(lambda: key in self._asked or self._load.admitted < places, patience):
                raise self._busy()
            if key in self._asked:
                self._askers[self._asked[key]] += 1
                return self._asked[key]
            self._load.admitted += 1
            future = self._load.workers.submit(self._work, work, time.monotonic())
            self._askers[future] = 1
            if key:
                self._asked[key] = future
        future.add_done_callback(lambda done: self._leave(key, done))
        return future

    def _result(self, future: Future[Answer], deadline: float) -> Answer:
        try:
            return future.result(max(deadline - time.monotonic(), 0.0))
        except CancelledError:
            raise self._busy() from None
        except TimeoutError:
            if self._given_up(future):
                raise self._busy() from None
            seconds = "a second" if self.limits.deadline == 1 else f"{self.limits.deadline:g} seconds"
            raise DeadlineError(f"the answer takes longer than {seconds}: try a shorter text, or again later") from None

    def _given_up(self, future: Future[Answer]) -> bool:
        """Whether one who leaves leaves the queue; what nobody else waits for is then not begun any more."""
        with self._load.changed:
            if future.running() or future.done():
                return False
            self._askers[future] -= 1
            return self._askers[future] > 0 or future.cancel()

    def _work(self, work: Callable[[], Answer], admitted: float) -> Answer:
        started = time.monotonic()
        self._watcher("queue", started - admitted)
        with self._load.changed:
            self._load.running += 1
        try:
            with watched(self._watcher), stage("answer"):
                return work()
        finally:
            with self._load.changed:
                self._load.running -= 1
                self._load.seconds.append(time.monotonic() - started)

    def _ask(
        self, key: _Key, on_answer: Callable[[Answer], None] | None = None, stopped: threading.Event | None = None
    ) -> Answer:
        """The last list, kept if it is whole; `on_answer` is called with every list on the way, until `stopped`."""
        _, query, settings = key
        if on_answer is None:  # papers and reasons are needed for the last list only
            found = self.recommender.answer(query, settings)
        else:
            for found in self.recommender.stream(query, settings):
                on_answer(found)
                if stopped is not None and stopped.is_set():
                    return found
        self._kept.put(key, found)
        return found

    def _leave(self, key: _Key | None, done: Future[Answer]) -> None:
        with self._load.changed:
            self._load.admitted -= 1
            del self._askers[done]
            if key:
                self._asked.pop(key, None)
            self._load.changed.notify_all()

    def _busy(self) -> BusyError:
        """The refusal, with the time after which the questions before this one should be done."""
        seconds = median(self._load.seconds) * self._load.admitted / self.limits.at_once
        return BusyError(
            "too many questions at once: try again in a moment", min(max(math.ceil(seconds), 1), _LONGEST_WAIT)
        )
