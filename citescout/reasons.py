"""Why a paper is in the list: computed for the few that are shown, not for the whole pool."""

from __future__ import annotations

from collections.abc import Sequence

from citescout.citation_links import links_with
from citescout.own_papers import OwnPapers
from citescout.ranking import Ranking
from citescout.recommendation import Contribution, Reasons, SourceRank
from citescout.settings import Settings
from citescout.shared_words import SharedWords
from encoders.text import Text
from indexer.generations import OpenGeneration
from indexer.paper import Paper
from retrieval.graph import Evidence
from retrieval.interface import SparseRetriever

# Close in meaning are so many of the papers nearest by vector; of a small index a share, but a few always.
_NEAREST, _NEAREST_SHARE, _NEAREST_FEW = 100, 0.05, 3


class Explainer:
    """Explains the candidates of one query's ranking."""

    def __init__(
        self,
        generation: OpenGeneration,
        bm25: SparseRetriever,
        settings: Settings,
        ranking: Ranking,
        query: Text,
        evidence: Evidence,
        own: OwnPapers | None = None,
    ) -> None:
        """Of the ranking that these settings gave; only `evidence` counts, see `FirstStage.evidence`."""
        self._generation = generation
        self._ranking = ranking
        self._pool = ranking.pool
        self._evidence = evidence
        self._own = own
        self._words = SharedWords(bm25, settings, ranking.pool, query)
        self._near = min(_NEAREST, max(_NEAREST_FEW, int(_NEAREST_SHARE * bm25.documents)))

    def reasons(self, positions: Sequence[int], papers: Sequence[Paper]) -> list[Reasons]:
        """Reasons for the candidates at these positions of the pool, which are these papers."""
        numbers = self._pool.numbers[list(positions)]
        links = links_with(self._generation, self._pool.numbers, numbers, self._evidence) if positions else []
        return [
            Reasons(
                matched_terms=self._words.of(paper.text),
                sources=self._sources(position),
                cited_by=linked.cited_by,
                reranker_score=self._ranking.reranked.get(position),
                own=self._own.links(int(number)) if self._own else (),
                contributions=added,
                cited_by_count=linked.cited_by_count,
                cites=linked.cites,
                cited_with=linked.cited_with,
                close_in_meaning=self._is_near(position),
            )
            for position, number, paper, linked, added in zip(
                positions, numbers, papers, links, self._contributions(positions), strict=True
            )
        ]

    def _sources(self, position: int) -> tuple[SourceRank, ...]:
        return tuple(
            SourceRank(source, int(ranks[position]), float(self._pool.scores[source][position]))
            for source, ranks in self._pool.ranks.items()
            if ranks[position]
        )

    def _is_near(self, position: int) -> bool:
        ranks = self._pool.ranks.get("dense")
        return ranks is not None and 0 < int(ranks[position]) <= self._near

    def _contributions(self, positions: Sequence[int]) -> list[tuple[Contribution, ...]]:
        told = self._ranking.contributions(positions)
        if told is None:
            return [()] * len(positions)
        return [
            tuple(Contribution(name, float(value)) for name, value in zip(told.names, row, strict=True))
            for row in told.values
        ]
