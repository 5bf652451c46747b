"""A recommender that follows its index: what is added or removed is served without a restart."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Self

from citescout.checking import Check
from citescout.citations_among import CitationsAmong
from citescout.index_info import IndexInfo
from citescout.neighbours import Neighbour
from citescout.recommendation import Answer, Recommendation
from citescout.recommender import Recommender
from citescout.settings import Settings
from citescout.systems import DEFAULT, System, find_system
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

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Version:
    """One generation that is open here."""

    current: Served | None  # what CURRENT said
    recommender: Recommender
    users: int = 0  # queries that are being answered from it


class LiveRecommender:
    """Answers from the generation that is served when the query comes; safe to share between threads."""

    def __init__(
        self, directory: Path, reranker: CrossEncoder | None, blend: Blend | None = None, system: System = DEFAULT
    ) -> None:
        """Open the index; see `Recommender.open` for the errors."""
        self._directory = directory
        self._system = system
        self._reranker = reranker
        self._blend = blend
        self._lock = threading.Lock()  # over the versions and their users
        self._opening = threading.Lock()  # one thread opens the next version, the others go on with the last
        self._version = self._open()
        self._refused: Served | None = None  # could not be opened: not to be tried for every query

    @classmethod
    def open(
        cls,
        directory: str | Path,
        reranker: str | None = None,
        split: TokenSplit | None = None,
        blend: str | Path | None = None,
        system: str | System = DEFAULT,
    ) -> LiveRecommender:
        """Open an index directory; arguments and errors are those of `Recommender.open`."""
        chosen = find_system(system) if isinstance(system, str) else system
        return cls(Path(directory), load_reranker(chosen.reranker(reranker), split), Blend.load(blend), chosen)

    @property
    def info(self) -> IndexInfo:
        """What is being served."""
        with self._latest() as recommender:
            return recommender.info

    def settings_of(self, system: str = "") -> Settings:
        """The settings of the system of that name, its own without; see `Recommender.settings_of`."""
        with self._latest() as recommender:
            return recommender.settings_of(system)

    def recommend(self, query: Query, settings: Settings | None = None) -> list[Recommendation]:
        """The papers to cite, best first, with reasons.

        Raises:
            QueryError: see `Recommender.recommend`.
        """
        with self._latest() as recommender:
            return recommender.recommend(query, settings)

    def answer(self, query: Query, settings: Settings | None = None) -> Answer:
        """The last list, and whether the index has anything on the query; see `Recommender.answer`.

        Raises:
            QueryError: see `recommend`.
        """
        with self._latest() as recommender:
            return recommender.answer(query, settings)

    def stream(self, query: Query, settings: Settings | None = None) -> Iterator[Answer]:
        """The list as it is being refined; see `Recommender.stream`. All of it comes from one generation.

        Raises:
            QueryError: see `recommend`.
        """
        with self._latest() as recommender:
            yield from recommender.stream(query, settings)

    def paper(self, paper_id: str) -> Paper | None:
        """The paper of that id; None where the index has none."""
        with self._latest() as recommender:
            return recommender.paper(paper_id)

    def resolve(self, references: Iterable[Paper]) -> list[Match]:
        """The paper of the index that each reference is, in their order."""
        with self._latest() as recommender:
            return list(recommender.resolve(references))

    def find_paper(self, name: str) -> Paper | None:
        """The paper that an id, DOI, arXiv id, PMID or title names; None where it is not in the index."""
        with self._latest() as recommender:
            return recommender.find_paper(name)

    def search_papers(self, text: str, k: int = 8) -> list[Paper]:
        """Up to `k` papers that somebody may mean who types this; see `Recommender.search_papers`."""
        with self._latest() as recommender:
            return recommender.search_papers(text, k)

    def neighbours(self, paper_id: str, k: int = 10) -> list[Neighbour]:
        """The papers nearest to one of the index; see `Recommender.neighbours`."""
        with self._latest() as recommender:
            return recommender.neighbours(paper_id, k)

    def around(self, paper_id: str, k: int = 10) -> list[Paper]:
        """Papers that one of the index cites, and that cite it; see `Recommender.around`."""
        with self._latest() as recommender:
            return recommender.around(paper_id, k)

    def citations_among(self, ids: Sequence[str]) -> CitationsAmong:
        """The citations among papers of these ids; see `Recommender.citations_among`."""
        with self._latest() as recommender:
            return recommender.citations_among(ids)

    def check(self, query: Query, references: Sequence[str], settings: Settings | None = None) -> Check:
        """How much of a finished paper's references every stage finds; see `Recommender.check`."""
        with self._latest() as recommender:
            return recommender.check(query, references, settings)

    def close(self) -> None:
        """Release the index; no query may follow."""
        self._version.recommender.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    @contextmanager
    def _latest(self) -> Iterator[Recommender]:
        self._follow()
        with self._lock:
            version = self._version
            version.users += 1
        try:
            yield version.recommender
        finally:
            with self._lock:
                version.users -= 1
                last = version is not self._version and version.users == 0
            if last:
                version.recommender.close()

    def _follow(self) -> None:
        """Open what `CURRENT` names if that is not what is open; where it cannot be opened, the old one stays."""
        if not self._behind() or not self._opening.acquire(blocking=False):
            return
        try:
            if not self._behind():
                return  # another thread has just opened it
            self._refused = read_current(self._directory)
            following = self._open()
            with self._lock:
                before, self._version = self._version, following
                unused = before.users == 0
            if unused:
                before.recommender.close()
            _log.info("serving %s", following.recommender.info.generation)
        except CitescoutError as error:
            _log.error("%s: %s stays served", error, self._version.recommender.info.generation)
        finally:
            self._opening.release()

    def _behind(self) -> bool:
        try:
            return read_current(self._directory) not in {self._version.current, self._refused}
        except CitescoutError:
            return False  # a damaged CURRENT: there is nothing better than what is open

    def _open(self) -> _Version:
        # What CURRENT says is read before: if it changes in between, the next query opens the index once more.
        current = read_current(self._directory) if self._directory.is_dir() else None
        return _Version(current, Recommender.opened(self._directory, self._reranker, self._blend, self._system))
