"""Why a paper is in the list: computed for the few that are shown, not for the whole pool."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from citescout.own_papers import OwnPapers
from citescout.ranking import Ranking
from citescout.recommendation import Contribution, MatchedTerm, Reasons, SourceRank
from encoders.text import Text
from indexer.bm25_parameters import Bm25Parameters
from indexer.generations import OpenGeneration
from indexer.paper import Paper
from retrieval.graph import SEEDS
from retrieval.interface import SparseRetriever

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")  # as Lucene's tokeniser: hyphens part words
_MAX_TERMS = 12
_MIN_SHARE = 0.1  # of the heaviest shared word
_MAX_CITING = 3


class Explainer:
    """Explains the candidates of one query's ranking."""

    def __init__(
        self,
        generation: OpenGeneration,
        bm25: SparseRetriever,
        parameters: Bm25Parameters | None,
        ranking: Ranking,
        query: Text,
        own: OwnPapers | None = None,
    ) -> None:
        self._generation = generation
        self._bm25 = bm25
        self._parameters = parameters or bm25.parameters
        self._ranking = ranking
        self._pool = pool = ranking.pool
        self._own = own
        self._idf = {term: bm25.idf(term) for term in pool.term_weights}
        self._average_length = bm25.collection_length / max(bm25.documents, 1)
        self._surface = self._surface_forms(query)

    def reasons(self, positions: Sequence[int], papers: Sequence[Paper]) -> list[Reasons]:
        """Reasons for the candidates at these positions of the pool, which are these papers."""
        contributions = self._contributions(positions)
        return [
            Reasons(
                matched_terms=self._matched_terms(paper.text),
                sources=self._sources(position),
                cited_by=self._citing_seeds(int(self._pool.numbers[position])),
                reranker_score=self._ranking.reranked.get(position),
                own=self._own.links(int(self._pool.numbers[position])) if self._own else (),
                contributions=added,
            )
            for position, paper, added in zip(positions, papers, contributions, strict=True)
        ]

    def _sources(self, position: int) -> tuple[SourceRank, ...]:
        return tuple(
            SourceRank(source, int(ranks[position]), float(self._pool.scores[source][position]))
            for source, ranks in self._pool.ranks.items()
            if ranks[position]
        )

    def _contributions(self, positions: Sequence[int]) -> list[tuple[Contribution, ...]]:
        told = self._ranking.contributions(positions)
        if told is None:
            return [()] * len(positions)
        return [
            tuple(Contribution(name, float(value)) for name, value in zip(told.names, row, strict=True))
            for row in told.values
        ]

    def _matched_terms(self, text: Text) -> tuple[MatchedTerm, ...]:
        """Shared words by their share in the BM25 score, under the form in which the query has them."""
        terms = self._bm25.terms(text.joined())
        k1, b = self._parameters
        length = k1 * (1 - b + b * len(terms) / max(self._average_length, 1.0))
        matched = []
        for term, weight in self._pool.term_weights.items():
            frequency = terms.count(term)
            if frequency:
                score = weight * self._idf[term] * frequency / (frequency + length)
                matched.append(MatchedTerm(self._surface.get(term, term), round(score, 4)))
        matched.sort(key=lambda match: (-match.weight, match.term))
        # Words that say little (we, present) are shared by all; they would only hide those that matter.
        return tuple(match for match in matched[:_MAX_TERMS] if match.weight >= _MIN_SHARE * matched[0].weight)

    def _surface_forms(self, query: Text) -> dict[str, str]:
        forms: dict[str, str] = {}
        for word in dict.fromkeys(_WORD.findall(query.joined())):
            for term in self._bm25.terms(word):
                forms.setdefault(term, word.lower() if word.istitle() else word)
        return forms

    def _citing_seeds(self, number: int) -> tuple[Paper, ...]:
        """The best first-stage candidates that cite the paper."""
        seeds = self._pool.numbers[:SEEDS]
        citing = seeds[np.isin(seeds, self._generation.graph.cited_by.of(number))]
        return tuple(self._generation.catalog.papers(citing[:_MAX_CITING]))
