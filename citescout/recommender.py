"""Both stages composed: the one way from a query to a list, for the page, the command line, the library and eval."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from citescout.reasons import Explainer
from citescout.recommendation import Recommendation
from citescout.settings import Settings
from encoders.transformer import TextEncoder
from indexer.generations import OpenGeneration, open_generation
from rerank.blend import Blend
from rerank.cross_encoder import CrossEncoder
from rerank.features import feature_matrix
from retrieval.first_stage import FirstStage, FirstStageOptions, Pool
from retrieval.query import Query


@dataclass(frozen=True, slots=True)
class IndexInfo:
    """What is being served."""

    papers: int
    citations: int
    removed: int
    encoder: str | None
    generation: str
    reranker: str | None

    def as_dict(self) -> dict[str, int | str | None]:
        """As JSON has it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The pool in its final order: what evaluation looks at, and what recommendations are made of."""

    pool: Pool
    order: NDArray[np.int64]  # positions in the pool, best first
    scores: NDArray[np.float32]  # (len(order),) of the last stage, in that order
    reranked: dict[int, float]  # position in the pool → probability of the cross-encoder


class Recommender:
    """Answers queries from one index directory; safe to share between threads."""

    def __init__(
        self, generation: OpenGeneration, encoder: TextEncoder | None, reranker: CrossEncoder | None, blend: Blend
    ) -> None:
        self._generation = generation
        self._first_stage = FirstStage(generation, encoder)
        self._encoder = encoder
        self._reranker = reranker
        self._blend = blend
        self._newest = int(generation.years.max(initial=0))
        self.info = IndexInfo(
            papers=generation.manifest.papers,
            citations=generation.manifest.citations,
            removed=generation.manifest.removed,
            encoder=generation.manifest.encoder,
            generation=generation.name,
            reranker=reranker.name if reranker else None,
        )

    @classmethod
    def open(cls, directory: str | Path, reranker: str = "default") -> Recommender:
        """Open an index directory. `reranker`: "default", "none", a model folder or a hub id.

        Raises:
            IndexDirectoryError: no index there, or a damaged one.
            ModelError: the index's encoder or the reranker cannot be loaded.
        """
        generation = open_generation(Path(directory))
        name = generation.manifest.encoder
        encoder = TextEncoder.load(name) if name else None
        return cls(generation, encoder, CrossEncoder.load(reranker) if reranker != "none" else None, Blend.load())

    def recommend(self, query: Query, settings: Settings | None = None) -> list[Recommendation]:
        """The papers to cite, best first, with reasons.

        Raises:
            QueryError: no text in the query, or a setting out of range.
        """
        settings = settings or Settings()
        ranking = self.rank(query, settings)
        shown = ranking.order[: settings.k]
        explainer = Explainer(self._generation, self._first_stage.bm25, ranking.pool, query.text)
        papers = self._generation.catalog.papers(ranking.pool.numbers[shown])
        return [
            Recommendation(
                rank=place,
                score=float(score),
                paper=paper,
                reasons=explainer.reasons(int(position), paper, ranking.reranked.get(int(position))),
            )
            for place, (position, score, paper) in enumerate(zip(shown, ranking.scores, papers, strict=False), start=1)
        ]

    def recommend_many(
        self, queries: Iterable[Query], settings: Settings | None = None
    ) -> Iterator[tuple[Query, list[Recommendation]]]:
        """Each query with its recommendations, in order, one at a time."""
        for query in queries:
            yield query, self.recommend(query, settings)

    def rank(self, query: Query, settings: Settings) -> Ranking:
        """The whole pool in its final order.

        Raises:
            QueryError: see `recommend`.
        """
        settings.checked()
        options = FirstStageOptions(sources=settings.sources, query_form=settings.query_form)
        pool = self._first_stage.candidates(query, options)
        scores = pool.fused.astype(np.float64)
        if not len(pool):
            return Ranking(pool, np.zeros(0, np.int64), np.zeros(0, np.float32), {})
        features = None
        if settings.blend:
            texts = self._generation.catalog.texts(pool.numbers)
            features = feature_matrix(pool, query.text, query.year or self._newest, texts)
            scores = self._blend.first_stage(features)
        order = _best_first(scores, pool)
        if not self._reranker or not settings.depth:
            return Ranking(pool, order, scores[order].astype(np.float32), {})
        top = order[: settings.depth]
        candidates = self._generation.catalog.texts(pool.numbers[top])
        relevance = self._reranker.score(query.text, candidates)
        if features is not None:
            scores[top] = self._blend.second_stage(features[top], relevance)
        else:
            scores[top] = relevance
        # What the cross-encoder has read stays above what it has not, whatever the scale of its scores.
        order = np.concatenate([top[_best_first(scores[top], pool, top)], order[settings.depth :]])
        reranked = {int(position): float(score) for position, score in zip(top, relevance, strict=True)}
        return Ranking(pool, order, scores[order].astype(np.float32), reranked)

    def close(self) -> None:
        """Release the index."""
        self._generation.catalog.close()


def _best_first(
    scores: NDArray[np.floating], pool: Pool, positions: NDArray[np.int64] | None = None
) -> NDArray[np.int64]:
    """Descending by score; equal scores by paper id."""
    numbers = pool.numbers if positions is None else pool.numbers[positions]
    return np.lexsort((numbers, -scores))
