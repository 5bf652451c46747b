"""A recommender that follows its index: what is added or removed is served without a restart."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Concatenate, ParamSpec, Self, TypeVar

from citescout.index_info import IndexInfo
from citescout.recommendation import Answer, Needs
from citescout.recommender import Recommender
from citescout.settings import Settings
from citescout.systems import System, find_system
from common.errors import CitescoutError
from indexer.directory import Served, read_current
from indexer.paper import Paper
from rerank import load_reranker
from rerank.blend import Blend
from retrieval.query import Query
from retrieval.resolver import Match

if TYPE_CHECKING:
    from rerank.cross_encoder import CrossEncoder
    from rerank.token_split import TokenSplit

_RETRY = 30.0  # seconds after which what could not be opened is tried again: an index may come by a copy

Given = ParamSpec("Given")
Found = TypeVar("Found")

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Version:
    """One generation that is open here."""

    current: Served | None  # what CURRENT said
    recommender: Recommender
    users: int = 1  # queries that are being answered from it, and who serves it


def _of_latest(
    method: Callable[Concatenate[Recommender, Given], Found],
) -> Callable[Concatenate[LiveRecommender, Given], Found]:
    """The same method, of the recommender that is served when it is called."""

    @wraps(method)
    def of_latest(live: LiveRecommender, /, *args: Given.args, **values: Given.kwargs) -> Found:
        with live.latest() as recommender:
            found: Found = getattr(recommender, method.__name__)(*args, **values)
            return found

    return of_latest


class LiveRecommender:
    """Answers from the generation that is served when the query comes; safe to share between threads."""

    def __init__(
        self,
        directory: Path,
        reranker: CrossEncoder | None,
        blend: Blend | None = None,
        system: str | System = "default",
        vectors: bool | None = None,
    ) -> None:
        """Open the index; see `Recommender.open` for the errors."""
        self._directory = directory
        self._loaded = reranker, blend, system, vectors
        self._lock = threading.Lock()  # over the versions and their users
        self._opening = threading.Lock()  # one thread opens the next version, the others go on with the last
        self._closed = False
        self._version = self._open()
        self._directory = directory.absolute()  # followed wherever the process goes; errors above have it as given
        self._refused: Served | str | None = None  # could not be opened: not to be tried for every query,
        self._until = 0.0  # of `time.monotonic`

    @classmethod
    def open(
        cls,
        directory: str | Path,
        reranker: str | Path | None = None,
        split: TokenSplit | None = None,
        blend: str | Path | None = None,
        system: str | System = "default",
        vectors: bool | None = None,
    ) -> LiveRecommender:
        """Open an index directory; arguments and errors are those of `Recommender.open`."""
        chosen = find_system(system)
        return cls(Path(directory), load_reranker(chosen.reranker(reranker), split), Blend.load(blend), chosen, vectors)

    @property
    def info(self) -> IndexInfo:
        """What is being served."""
        with self.latest() as recommender:
            return recommender.info

    def is_old(self) -> bool:
        """Whether its folder has another state by now, or none, which cannot be opened: the log says why."""
        self._follow()
        if self._opening.locked():  # by another thread, which has yet to see whether it can be opened
            return False
        return self._differs(self._state())

    def stream(self, query: Query, settings: Settings | None = None) -> Iterator[Answer]:
        """The list as it is being refined; see `Recommender.stream`. All of it comes from one generation."""
        with self.latest() as recommender:
            yield from recommender.stream(query, settings)

    def answers(
        self, queries: Iterable[Query], settings: Settings | None = None, needs: Needs = "reasons"
    ) -> Iterator[Answer]:
        """What `answer` gives for each query; see `Recommender.answers`. All of it comes from one generation."""
        with self.latest() as recommender:
            yield from recommender.answers(queries, settings, needs)

    def resolve(self, references: Iterable[Paper]) -> list[Match]:
        """The paper of the index that each reference is, in their order."""
        with self.latest() as recommender:
            return list(recommender.resolve(references))

    # As of `Recommender`, each call from one generation.
    settings_of = _of_latest(Recommender.settings_of)
    recommend = _of_latest(Recommender.recommend)
    answer = _of_latest(Recommender.answer)
    paper = _of_latest(Recommender.paper)
    find_paper = _of_latest(Recommender.find_paper)
    search_papers = _of_latest(Recommender.search_papers)
    ids_of = _of_latest(Recommender.ids_of)
    current = _of_latest(Recommender.current)
    unknown_authors = _of_latest(Recommender.unknown_authors)
    neighbours = _of_latest(Recommender.neighbours)
    around = _of_latest(Recommender.around)
    well_cited = _of_latest(Recommender.well_cited)
    citations_among = _of_latest(Recommender.citations_among)
    check = _of_latest(Recommender.check)

    __reduce__ = Recommender.__reduce__

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self._directory}>"

    def close(self) -> None:
        """Release the index when what is being asked of it is answered; no query may follow."""
        with self._lock:
            closed, self._closed, version = self._closed, True, self._version
        if not closed:
            self._let_go(version)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def latest(self) -> Iterator[Recommender]:
        """The recommender that is served now; whatever is asked of it within comes from one generation."""
        self._follow()
        with self._lock:
            version = self._version
            version.users += 1
        try:
            yield version.recommender
        finally:
            self._let_go(version)

    def _let_go(self, version: _Version) -> None:
        """One of its users has ended: close the version if that is the last."""
        with self._lock:
            version.users -= 1
            unused = version.users == 0
        if unused:
            version.recommender.close()

    def _follow(self) -> None:
        """Open what `CURRENT` names if that is not what is open; where it cannot be opened, the old one stays."""
        if not self._behind() or not self._opening.acquire(blocking=False):
            return
        try:
            if not self._behind():
                return  # another thread has just opened it
            self._refused, self._until = self._state(), monotonic() + _RETRY
            following = self._open()
            with self._lock:
                before, self._version = self._version, following
            self._let_go(before)
            _log.info("serving %s", following.recommender.info.generation)
        except CitescoutError as error:
            _log.error("%s: %s stays served", error, self._version.recommender.info.generation)
        finally:
            self._opening.release()

    def _behind(self) -> bool:
        if self._closed:
            return False
        current = self._state()
        return self._differs(current) and not (current == self._refused and monotonic() < self._until)

    def _state(self) -> Served | str | None:
        """What `CURRENT` says, or what is wrong with it."""
        try:
            return read_current(self._directory)
        except CitescoutError as error:
            return str(error)

    def _differs(self, current: Served | str | None) -> bool:
        """Whether what `CURRENT` says is not what is open; a copy of that in its place is for no new thread to read."""
        return current != self._version.current or not self._version.recommender.generation.catalog.is_there()

    def _open(self) -> _Version:
        # What CURRENT says is read before: if it changes in between, the next query opens the index once more.
        current = read_current(self._directory) if self._directory.is_dir() else None
        return _Version(current, Recommender.opened(self._directory, *self._loaded))


def warm_up(recommender: Recommender | LiveRecommender, sentences: bool = False) -> None:
    """Ask a first question, or one for a sentence, so that nobody waits for what is loaded at first use.

    No more is read by a cross-encoder than loads it: some systems have it read for minutes.

    Raises:
        CitescoutError: see `Recommender.answer`.
    """
    query = Query(context="Papers are recommended.") if sentences else Query("citation recommendation")
    recommender.recommend(query, replace(recommender.settings_of(), k=1, depth=1 if sentences else 0))
