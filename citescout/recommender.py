"""Both stages composed: the one way from a query to a list, for the page, the command line, the library and eval."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from citescout.batches import Vector, answered_together
from citescout.checking import Check, check_lists, lists_of
from citescout.dials import turned
from citescout.index_info import IndexInfo
from citescout.known_papers import KnownPapers, KnownToAuthors
from citescout.neighbours import Neighbour, neighbours
from citescout.own_papers import OwnPapers
from citescout.ranking import Ranker, Ranking
from citescout.reasons import Explainer
from citescout.recommendation import Answer, Needs, Recommendation
from citescout.settings import Settings
from citescout.systems import DEFAULT, System, find_system
from common.errors import QueryError
from common.stages import stage
from encoders.base import Encoder
from indexer.generations import OpenGeneration, encoder_of, open_generation
from indexer.identity.keys import paper_from_text
from indexer.paper import Paper
from rerank import load_reranker
from rerank.blend import Blend
from rerank.calibration import Likelihood, likelihood
from rerank.features import Features
from retrieval.first_stage import FirstStage, FirstStageOptions, Pool
from retrieval.graph import Evidence
from retrieval.query import Query
from retrieval.resolver import Match, Resolver

if TYPE_CHECKING:
    from rerank.cross_encoder import CrossEncoder
    from rerank.token_split import TokenSplit


class Recommender:
    """Answers queries from one index directory; safe to share between threads."""

    def __init__(
        self,
        generation: OpenGeneration,
        encoder: Encoder | Future[Encoder | None] | None,
        reranker: CrossEncoder | None,
        blend: Blend | None = None,
        system: System = DEFAULT,
    ) -> None:
        """Of an open generation, without a `blend` with the one that ships.

        Raises:
            QueryError: the system needs more than there is.
        """
        system.require(reranker is not None, encoder is not None)
        self.settings = system.settings  # of queries that come without
        self._generation = generation
        self._owns_files = True
        encoded = generation.manifest.encoder is not None
        self._closed_vectors = encoded and encoder is None and not system.settings.uses_vectors
        self._first_stage = FirstStage(generation, encoder)
        self._ranker = Ranker(generation, reranker, blend or Blend.load())
        self._known = KnownToAuthors(generation)
        self.info = IndexInfo.of(generation, reranker.name if reranker else None, system.name)

    @classmethod
    def open(
        cls,
        directory: str | Path,
        reranker: str | None = None,
        split: TokenSplit | None = None,
        blend: str | Path | None = None,
        system: str | System = DEFAULT,
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
        chosen = find_system(system) if isinstance(system, str) else system
        loaded = load_reranker(chosen.reranker(reranker), split)
        return cls.opened(Path(directory), loaded, Blend.load(blend), chosen, vectors)

    @classmethod
    def opened(
        cls,
        directory: Path,
        reranker: CrossEncoder | None,
        blend: Blend | None = None,
        system: System = DEFAULT,
        vectors: bool | None = None,
    ) -> Recommender:
        """The same with a reranker and a blend that are loaded already."""
        generation = open_generation(directory)
        try:
            wanted = system.settings.uses_vectors if vectors is None else vectors
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

    def without_citations_of(self, ids: Iterable[str]) -> Recommender:
        """The same index as it answers those who do not know what these papers cite: for asking them as queries.

        The query map is learnt anew, from what papers cite that are older, by year, than the oldest of these; takes
        up to 16 seconds of one core. With too few citations there is none. Votes and counts leave out a query's own
        citations and everything newer in any case.

        All else is shared with this recommender, which stays as it is and must stay open while the other is used:
        closing this one releases the files, closing the other nothing.
        """
        numbers = np.sort(np.fromiter(self._generation.catalog.numbers(ids).values(), np.int32))
        view = copy(self)
        view._first_stage = self._first_stage.without_citations_of(numbers)
        view._owns_files = False
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
            QueryError: no text in the query, or a setting out of range.
        """
        return self.explained(self.rank(query, settings), query, settings)

    def answer(self, query: Query, settings: Settings | None = None) -> Answer:
        """The same with what is known of the whole: whether the index has anything on the query.

        It is the last that `stream` gives.

        Raises:
            QueryError: see `recommend`.
        """
        return self._answer(self.rank(query, settings), query, settings)

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
        chosen = settings or self.settings
        if chosen.budget is not None:
            return (self._answer(self.rank(query, chosen), query, chosen, needs) for query in queries)

        def vectors(some: Sequence[Query]) -> Sequence[Vector]:
            return self._first_stage.vectors(some) if chosen.encodes else [None] * len(some)

        def answer(query: Query, pool: Pool) -> Answer:
            ranking = deque(self._refined(pool, query, chosen, monotonic()), maxlen=1)[0]
            return self._answer(ranking, query, chosen, needs)

        read = self._ranker.read if chosen.blend else lambda pools: None
        return answered_together(queries, vectors, lambda query, vector: self.pool(query, chosen, vector), read, answer)

    def rank(self, query: Query, settings: Settings | None = None) -> Ranking:
        """The whole pool in its final order: the last that `refine` gives.

        Raises:
            QueryError: see `recommend`.
        """
        return deque(self.refine(query, settings), maxlen=1)[0]

    def refine(self, query: Query, settings: Settings | None = None) -> Iterator[Ranking]:
        """The first stage's order at once, then a better one whenever the cross-encoder has read more of it.

        Raises:
            QueryError: see `recommend`.
        """
        started = monotonic()  # what the first stage takes is taken from the budget
        settings = settings or self.settings
        yield from self._refined(self.pool(query, settings), query, settings, started)

    def stream(self, query: Query, settings: Settings | None = None) -> Iterator[Answer]:
        """The same with papers and reasons, for those who show the list while it is being refined.

        Raises:
            QueryError: see `recommend`.
        """
        for ranking in self.refine(query, settings):
            yield self._answer(ranking, query, settings)

    def explained(
        self, ranking: Ranking, query: Query, settings: Settings | None = None, needs: Needs = "reasons"
    ) -> list[Recommendation]:
        """The first `settings.k` of a ranking of the same query and settings, with reasons, or less by `needs`."""
        settings = settings or self.settings
        ranking = turned(ranking, settings, self._first_stage.dense)
        shown = ranking.order[: settings.k]
        numbers, catalog = ranking.pool.numbers[shown], self._generation.catalog
        if needs != "reasons":
            papers = [Paper(id_, "") for id_ in catalog.ids(numbers)] if needs == "ids" else catalog.papers(numbers)
            return [
                Recommendation(place, score, paper, likelihood=word)
                for place, ((score, word), paper) in enumerate(zip(_scores(ranking), papers, strict=False), start=1)
            ]
        papers = catalog.papers(numbers)
        with stage("reasons"):
            evidence = ranking.pool.evidence
            own = self._own_papers(query, evidence)
            bm25 = self._first_stage.bm25
            explainer = Explainer(self._generation, bm25, settings, ranking, query.text, evidence, own)
            reasons = explainer.reasons(shown.tolist(), papers)
        marks = self.known_papers(query).marks(numbers, catalog)
        return [
            Recommendation(place, score, paper, why, word, known)
            for place, ((score, word), paper, why, known) in enumerate(
                zip(_scores(ranking), papers, reasons, marks, strict=False), start=1
            )
        ]

    def pool(self, query: Query, settings: Settings | None = None, vector: Vector = None) -> Pool:
        """The first stage's candidates, in the order of their fused ranks; `vector` is the query's, where it is known.

        Raises:
            QueryError: see `recommend`.
        """
        settings = settings or self.settings
        if self._closed_vectors and settings.uses_vectors:
            raise QueryError(
                f"this question needs the vectors of the index, which the system {self.info.system} does without"
            )
        options = FirstStageOptions(
            sources=settings.sources,
            query_form=settings.query_form,
            bm25=settings.bm25,
            bm25_terms=settings.bm25_terms,
            encodes=settings.encodes,
        )
        return self._first_stage.candidates(query, options, self._copies(query), vector)

    def relevance(self, query: Query, numbers: NDArray[np.int32]) -> NDArray[np.float32]:
        """The cross-encoder's probability that the query cites each of these papers, shape (len(numbers),)."""
        return self._ranker.relevance(query, numbers)

    def features(self, pool: Pool, query: Query) -> Features:
        """The blend's features of the best candidates of a pool, as many as the blend orders."""
        return self._ranker.features(pool, query)

    def resolve(self, references: Iterable[Paper]) -> Iterator[Match]:
        """The paper of the index that each reference is, in their order; see `retrieval.resolver`."""
        return self._resolver.resolve(references)

    def known_papers(self, query: Query) -> KnownPapers:
        """What the query's authors wrote or cited before, as far as this index tells; nothing without authors."""
        return self._known.of(query, lambda: self._first_stage.evidence(query, self._copies(query)).papers)

    def with_known_citations(self, query: Query) -> tuple[Query, tuple[str, ...]]:
        """The query with ids of this index for what it cites already, and what of that is not in the index.

        What is no id is tried as a DOI, an arXiv id, a PMID or a title.
        """
        known = self._generation.catalog.numbers(query.already_cited)
        strange = [text for text in query.already_cited if text not in known]
        with stage("references"):
            found = {
                text: match.paper.id if match.paper else None
                for text, match in zip(strange, self.resolve(map(paper_from_text, strange)), strict=True)
            }
        ids = (found.get(text, text) for text in query.already_cited)
        cited = tuple(dict.fromkeys(paper_id for paper_id in ids if paper_id is not None))
        return replace(query, already_cited=cited), tuple(text for text in strange if found[text] is None)

    @property
    def identity(self) -> str:
        """What answers depend on beside queries and settings, in one line: index, reranker and learned order."""
        return f"{self._generation.manifest!r} {self._ranker.identity}"

    def find_paper(self, name: str) -> Paper | None:
        """The paper that an id, DOI, arXiv id, PMID or title names; None where it is not in this index."""
        return self.paper(name) or next(self.resolve([paper_from_text(name)])).paper

    def neighbours(self, paper_id: str, k: int = 10) -> list[Neighbour]:
        """The `k` papers nearest to one of the index, by vectors and citations.

        Raises:
            QueryError: there is no such paper.
        """
        number = self.number_of(paper_id)
        if number is None:
            raise QueryError("there is no such paper in the index")
        return neighbours(self._generation, self._first_stage, number, k)

    def check(self, query: Query, references: Sequence[str], settings: Settings | None = None) -> Check:
        """How much of a finished paper's references, ids of this index, every stage finds.

        The paper itself is no reference of its own, and no candidate. The query map is that of the index: to learn it
        without the paper takes too long for somebody who waits, so the result says that it was used.

        Raises:
            QueryError: see `recommend`; or none of the references is in the index.
        """
        settings = settings or self.settings
        numbers = self._generation.catalog.numbers(references)
        itself = {number for number in (self.number_of(query.id), *self._copies(query)) if number is not None}
        gold = [number for number in numbers.values() if number not in itself]
        if not gold:
            raise QueryError("none of the references is in this index")
        first = self.rank(query, replace(settings, depth=0))
        last = self.rank(query, settings) if self.info.reranker and settings.depth != 0 else None
        papers = dict(zip(gold, self._generation.catalog.papers(gold), strict=True))
        lists = lists_of(first, last, settings.blend)
        return check_lists(lists, papers, bool(itself), self._first_stage.maps_queries)

    def number_of(self, paper_id: str) -> int | None:
        """The number of a paper in this index; None where there is no such paper."""
        return self._generation.catalog.numbers([paper_id]).get(paper_id)

    def paper(self, paper_id: str) -> Paper | None:
        """The paper of that id; None where this index has none."""
        return self.papers([paper_id])[0] if self.number_of(paper_id) is not None else None

    def papers(self, ids: Sequence[str]) -> list[Paper]:
        """The papers of these ids of the index, in their order; a KeyError for any other."""
        numbers = self._generation.catalog.numbers(ids)
        return self._generation.catalog.papers([numbers[id_] for id_ in ids])

    @cached_property
    def _resolver(self) -> Resolver:
        return Resolver(self._generation.catalog, lambda: self._first_stage.bm25, alive=~self._generation.removed)

    def _refined(self, pool: Pool, query: Query, settings: Settings, started: float) -> Iterator[Ranking]:
        rankings = self._ranker.refine(pool, query, settings, started)
        return map(self.known_papers(query).hidden_from, rankings) if settings.hide_known else rankings

    def _answer(self, ranking: Ranking, query: Query, settings: Settings | None, needs: Needs = "reasons") -> Answer:
        recommendations = tuple(self.explained(ranking, query, settings, needs))
        return Answer(recommendations, len(ranking.reranked), ranking.to_read, ranking.fit)

    def _own_papers(self, query: Query, evidence: Evidence) -> OwnPapers | None:
        ids = (*query.already_cited, *query.liked)
        return OwnPapers(self._generation, ids, evidence) if ids else None

    def _copies(self, query: Query) -> list[int]:
        """Other records of the query's own paper: those it names, and where it has no id of the index, by title."""
        named = list(self._generation.catalog.numbers(query.copies).values())
        if self.number_of(query.id) is not None:
            return named
        return [*named, *self._resolver.copies(Paper(query.id, query.title, year=query.year))]

    def close(self) -> None:
        """Release the index; no query may follow, of views neither (`without_citations_of`)."""
        if self._owns_files:
            self._first_stage.close()
            self._generation.close()


def _scores(ranking: Ranking) -> Iterator[tuple[float, Likelihood | None]]:
    """What `Recommendation` has for score and likelihood, in the order of the ranking."""
    if ranking.chances is None:
        return ((score, None) for score in ranking.scores.tolist())
    return ((100.0 * chance, likelihood(chance)) for chance in ranking.chances.tolist())
