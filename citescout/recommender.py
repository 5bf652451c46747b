"""Both stages composed: the one way from a query to a list, for the page, the command line, the library and eval."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from citescout.batches import Vector, answered_together
from citescout.beyond import beyond
from citescout.checking import Check, check_lists, lists_of, looked_for
from citescout.filtered_pool import filtered_pool
from citescout.index_info import IndexInfo
from citescout.lookup import Lookup
from citescout.ranking import Ranker, Ranking
from citescout.reasons import did_you_mean, named_already, recommendations, same_title
from citescout.recommendation import Answer, Needs, Recommendation
from citescout.reordering import reordered
from citescout.settings import Settings
from citescout.systems import System, find_system
from common.errors import QueryError
from encoders.base import Encoder
from indexer.generations import OpenGeneration, encoder_of, open_generation
from rerank import load_reranker
from rerank.blend import Blend
from rerank.features import Features
from retrieval.first_stage import FirstStage, Pool
from retrieval.query import Query

if TYPE_CHECKING:
    from rerank.cross_encoder import CrossEncoder
    from rerank.token_split import TokenSplit

_Resolved = tuple[Query, tuple[str, ...]]  # see `Lookup.resolved`


class Recommender(Lookup):
    """Answers queries from one index directory; safe to share between threads.

    A context manager, which closes the index at its end.
    """

    def __init__(
        self,
        generation: OpenGeneration,
        encoder: Encoder | Future[Encoder | None] | None,
        reranker: CrossEncoder | None,
        blend: Blend | None = None,
        system: str | System = "default",
    ) -> None:
        """Of an open generation, without a `blend` with the one that ships.

        Raises:
            QueryError: the system needs more than there is.
        """
        system = find_system(system)
        system.require(reranker is not None, encoder is not None)
        self.settings = system.settings  # of queries that come without
        super().__init__(generation, FirstStage(generation, encoder))
        encoded = generation.manifest.encoder is not None
        self._closed_vectors = encoded and encoder is None and not system.settings.uses_vectors
        self._ranker = Ranker(generation, reranker, blend or Blend.load())
        self.info = IndexInfo.of(generation, reranker.name if reranker else None, system.name)

    @classmethod
    def open(
        cls,
        directory: str | Path,
        reranker: str | Path | None = None,
        split: TokenSplit | None = None,
        blend: str | Path | None = None,
        system: str | System = "default",
        vectors: bool | None = None,
    ) -> Recommender:
        """Open an index directory.

        Args:
            directory: Of the index.
            reranker: "none", "default" (the one that ships), a model folder or a hub id; without, "default" for a
                system that needs one and "none" for others.
            split: How many tokens of query and candidate the reranker reads; its own without.
            blend: A file that `citescout train blend` wrote; the one that ships without.
            system: How queries are answered that come without settings, see `citescout.systems`.
            vectors: Whether the encoder and the vectors are opened; without, if the system looks at any.

        Raises:
            IndexDirectoryError: no index there, or a damaged one.
            ModelError: the index's encoder, the reranker or the blend cannot be loaded.
            QueryError: no such system, or it needs what is not there.
        """
        loaded = load_reranker(find_system(system).reranker(reranker), split)
        return cls.opened(Path(directory), loaded, Blend.load(blend), system, vectors)

    @classmethod
    def opened(
        cls,
        directory: Path,
        reranker: CrossEncoder | None,
        blend: Blend | None = None,
        system: str | System = "default",
        vectors: bool | None = None,
    ) -> Recommender:
        """The same with a reranker and a blend that are loaded already."""
        generation = open_generation(directory)
        try:
            wanted = find_system(system).settings.uses_vectors if vectors is None else vectors
            beside = ThreadPoolExecutor(1)  # the start of Java, which takes as long
            encoder = beside.submit(encoder_of, generation) if wanted and generation.manifest.encoder else None
            beside.shutdown(wait=False)
            recommender = cls(generation, encoder, reranker, blend, system)
            if reranker is not None:
                reranker.prepare()
            return recommender
        except BaseException:
            generation.close()
            raise

    def without_citations_of(self, ids: Iterable[str], of_any_age: bool = False, copies: Iterable[str] = ()) -> Self:
        """The same index as it answers those who do not know what these papers cite: for asking them as queries.

        The query map is learnt again in up to 16 seconds of one core, from what papers older than the oldest of these
        cite, or `of_any_age` all others, but for `copies`, other records of these; none with too few citations. Votes
        and counts leave out a query's own citations and all that is newer. All else is shared with this, to stay open.
        """
        papers, others = (np.fromiter(self.generation.catalog.docids(of).values(), np.int32) for of in (ids, copies))
        return self._view(self._first_stage.without_citations_of(papers, others, of_any_age))

    def without_query_map(self) -> Recommender:
        """The same index as it answers where no query map helps; shares all else, see `without_citations_of`."""
        return self._view(self._first_stage.without_query_map())

    def without_newest_lists(self, years: int) -> Recommender:
        """The same index as if it knew what papers cite so many years later; shares all else, as above."""
        return self._view(self._first_stage.without_newest_lists(years))

    def _view(self, first_stage: FirstStage) -> Self:
        view = object.__new__(type(self))
        vars(view).update(vars(self))
        view._first_stage, view._owns_files = first_stage, False
        return view

    def settings_of(self, system: str = "") -> Settings:
        """The settings of the system of that name, within this recommender's budget; without a name, its own.

        Raises:
            QueryError: no such system, or it needs what is not there.
        """
        if not system:
            return self.settings
        chosen = find_system(system)
        chosen.require(self.info.reranker is not None, self._first_stage.dense is not None)
        return replace(chosen.settings, budget=self.settings.budget)

    def recommend(self, query: Query, settings: Settings | None = None) -> list[Recommendation]:
        """The papers to cite, best first, with reasons; without `settings` by those of the system.

        Raises:
            QueryError: the settings need vectors, and there are none.
        """
        return list(self.answer(query, settings).recommendations)

    def answer(self, query: Query, settings: Settings | None = None) -> Answer:
        """The last that `stream` gives: the same list, and whether the index has anything on the query.

        Raises:
            QueryError: see `recommend`.
        """
        return self._answer(self.rank(query, settings))

    def answers(
        self, queries: Iterable[Query], settings: Settings | None = None, needs: Needs = "reasons"
    ) -> Iterator[Answer]:
        """What `answer` gives for each query, in their order and to the last digit, faster than one by one.

        Queries are encoded side by side, texts of all their candidates are read in one go, and the rest is done on all
        cores. Of recommendations only what `needs` says is made; reasons and papers are blank without. With a budget,
        which is for a query that has all cores, they are answered one after the other.

        Raises:
            QueryError: see `recommend`.
        """
        chosen = self._chosen(settings)
        if chosen.budget is not None:
            return (self._answer(self.rank(query, chosen), needs) for query in queries)

        def vectors(some: Sequence[_Resolved]) -> Sequence[Vector]:
            return self._first_stage.vectors([query for query, _ in some]) if chosen.encodes else [None] * len(some)

        def pool(asked: _Resolved, vector: Vector) -> Pool:
            return self.pool(asked[0], chosen, vector)

        def answer(asked: _Resolved, pool: Pool) -> Answer:
            return self._answer(deque(self._refined(pool, asked, chosen, monotonic()), maxlen=1)[0], needs)

        return answered_together(map(self.resolved, queries), vectors, pool, self._ranker.read, answer)

    def rank(self, query: Query, settings: Settings | None = None) -> Ranking:
        """The whole list in its final order, as people see it: the last that `refine` gives.

        Raises:
            QueryError: see `recommend`.
        """
        return deque(self.refine(query, settings), maxlen=1)[0]

    def refine(self, query: Query, settings: Settings | None = None) -> Iterator[Ranking]:
        """The first stage's order at once, then a better one whenever the cross-encoder has read more of it.

        Every order is final, with known papers hidden and by diversity and recency, as the settings say.

        Raises:
            QueryError: see `recommend`.
        """
        started = monotonic()  # what the first stage takes is taken from the budget
        settings = self._chosen(settings)
        asked = self.resolved(query)
        yield from self._refined(self.pool(asked[0], settings), asked, settings, started)

    def stream(self, query: Query, settings: Settings | None = None) -> Iterator[Answer]:
        """The same with papers and reasons, for those who show the list while it is being refined.

        Raises:
            QueryError: see `recommend`.
        """
        return map(self._answer, self.refine(query, settings))

    def pool(self, query: Query, settings: Settings | None = None, vector: Vector = None) -> Pool:
        """The first stage's candidates, in the order of their fused ranks; `vector` is the query's, where it is known.

        Raises:
            QueryError: see `recommend`.
        """
        settings = self._chosen(settings)
        if self._closed_vectors and settings.uses_vectors:
            raise QueryError(
                f"this question needs the vectors of the index, which the system {self.info.system} does without"
            )
        if settings.sources == ("dense",) and self._first_stage.dense is None:
            raise QueryError("this index has no vectors: add them with `citescout re-encode`, or take other sources")
        return filtered_pool(self._first_stage, query, settings, self._copies(query), vector)

    def relevance(self, query: Query, docids: NDArray[np.int32]) -> NDArray[np.float32]:
        """The cross-encoder's log-odds that the query cites each of these papers, shape (len(docids),)."""
        return self._ranker.relevance(query, docids)

    def features(self, pool: Pool, query: Query) -> Features:
        """The blend's features of the candidates of a pool, a row each."""
        return self._ranker.features(pool, query)

    @property
    def identity(self) -> str:
        """What answers depend on beside queries and settings, in one line: index, reranker and learned order."""
        return f"{self.generation.manifest!r} {self._ranker.identity}"

    def check(self, query: Query, references: Sequence[str], settings: Settings | None = None) -> Check:
        """How much of a finished paper's references, ids of this index, every stage finds.

        The paper itself is no candidate. An index that has it is asked without its query map, which learned from it.

        Raises:
            QueryError: see `recommend`; or none of the references is in the index, or may be found by this query.
        """
        settings, catalog, copies = self._chosen(settings), self.generation.catalog, self._copies(query)
        itself = {docid for docid in (self.docid_of(query.id), *copies) if docid is not None}
        held = [docid for docid in catalog.docids(references).values() if docid not in itself]
        if not held:
            raise QueryError("none of the references is in this index")
        allowed = self._first_stage.masks(self.resolved(query)[0], copies)[1]
        gold, left_out = looked_for(dict(zip(held, catalog.papers(held), strict=True)), allowed, query)
        view = self.without_query_map() if itself else self
        first = view.rank(query, replace(settings, depth=0))
        last = view.rank(query, settings) if self.info.reranker and settings.depth != 0 else None
        return check_lists(lists_of(first, last, settings.blend), gold, bool(itself), left_out)

    def _chosen(self, settings: Settings | None) -> Settings:
        if settings is not None and not isinstance(settings, Settings):
            raise TypeError(f"settings must be Settings(k=20) and the like, not {settings!r}")
        return settings or self.settings

    def _refined(self, pool: Pool, asked: _Resolved, settings: Settings, started: float) -> Iterator[Ranking]:
        query, unknown = asked
        for ranking in self._ranker.refine(pool, query, settings, started):
            if settings.hide_known and (known := self.known_papers(query)):
                ranking = ranking.at(~np.isin(ranking.pool.docids[ranking.order], list(known)))
            yield replace(reordered(ranking, self._first_stage.dense), unknown=unknown)

    def _answer(self, ranking: Ranking, needs: Needs = "reasons") -> Answer:
        found = tuple(recommendations(ranking, self.generation, self._first_stage.bm25, self.known_papers, needs))
        outside = beyond(ranking, self.generation, self.resolve) if needs != "ids" else ()
        unknown, read = tuple(dict.fromkeys((*ranking.unknown, *self.lacking(ranking.query)))), len(ranking.reranked)
        named = named_already(ranking, self.generation)
        meant = did_you_mean(ranking, self.generation, self._first_stage.bm25) if needs == "reasons" else {}
        same = same_title(ranking) if needs == "reasons" else []
        return Answer(ranking.query, found, ranking.fit, unknown, read, ranking.to_read, outside, named, meant, same)
