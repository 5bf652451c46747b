"""Why a paper is in the list: computed for the few that are shown, not for the whole pool."""

from collections.abc import Callable, Iterator, Sequence
from typing import get_args

import numpy as np

from citescout.citation_links import links_with, own_links
from citescout.distinct import first_distinct
from citescout.known_papers import KnownPapers, marks
from citescout.ranking import Ranking
from citescout.recommendation import NO_REASONS, Contribution, Known, Needs, Reasons, Recommendation, SourceRank
from citescout.shared_words import SharedWords
from citescout.support import Support
from common.errors import QueryError
from common.stages import stage
from indexer.generations import OpenGeneration
from indexer.paper import Paper
from rerank.calibration import Likelihood, likelihood
from rerank.reranking import probabilities
from retrieval.first_stage import DIRECTIONS
from retrieval.interface import SparseRetriever
from retrieval.misspelt import probably_meant
from retrieval.query import Query

# Close in meaning are so many of the papers nearest by vector; of a small index a share, but a few always.
_NEAREST, _NEAREST_SHARE, _NEAREST_FEW = 100, 0.05, 3
# Of these only such as are at most so many standard deviations farther than the nearest 50 papers are from a paper of
# the index, in the mean; docs/experiments.md has what share of cited papers and of other fields' that is.
_DEVIATIONS = 2.0
_TOGETHER = 20  # papers of the order that are compared with each other
_SHORT = 30  # words of a question, each of which matters


def recommendations(
    ranking: Ranking,
    generation: OpenGeneration,
    bm25: SparseRetriever,
    known_papers: Callable[[Query], KnownPapers],
    needs: Needs,
) -> list[Recommendation]:
    """The first `settings.k` different papers of a ranking, with reasons, or less by `needs`.

    Where ids are enough, which is for measuring, records of one paper are not told apart.

    Raises:
        QueryError: there is no such need.
    """
    if needs not in get_args(Needs):
        raise QueryError(f"needs must be one of {', '.join(get_args(Needs))}, not {needs!r}")
    whole = ranking
    if needs == "ids":
        papers = [Paper(id_, "") for id_ in ranking.ids(ranking.settings.k)]
    else:
        ranking, papers = first_distinct(ranking)
    shown = ranking.order[: ranking.settings.k]
    docids = ranking.pool.docids[shown]
    times_cited = ranking.pool.citations[shown].tolist()
    if needs != "reasons":
        reasons: Sequence[Reasons] = [NO_REASONS] * len(papers)
        known: Sequence[Known | None] = [None] * len(papers)
    else:
        with stage("reasons"):
            reasons = Explainer(generation, bm25, whole).reasons(shown.tolist(), papers)
        known = marks(known_papers(ranking.query), docids, generation.catalog)
    return [
        Recommendation(place, score, paper, why, word, how, cited)
        for place, ((score, word), paper, why, how, cited) in enumerate(
            zip(_scores(ranking), papers, reasons, known, times_cited, strict=False), start=1
        )
    ]


def named_already(ranking: Ranking, generation: OpenGeneration) -> tuple[Recommendation, ...]:
    """The papers that the context names and that are no candidates, because the query cites them already."""
    if not ranking.pool.named:  # as of most queries
        return ()
    papers = generation.catalog.papers(sorted(ranking.pool.named.difference(ranking.pool.docids.tolist())))
    return tuple(Recommendation(place, 0.0, paper) for place, paper in enumerate(papers, start=1))


def same_title(ranking: Ranking) -> list[Paper]:
    """The papers that are taken for the query's own by its title, where it does not say itself which these are."""
    query, copies, catalog = ranking.query, ranking.pool.copies, ranking.catalog
    said = query.copies or not copies or query.id in catalog.docids([query.id])
    return [] if said else catalog.papers(copies)


def did_you_mean(ranking: Ranking, generation: OpenGeneration, bm25: SparseRetriever) -> dict[str, str]:
    """By word of a short question that no paper has, a word of papers that was probably meant.

    One that names papers is as it was meant: the word may be the name of an author.
    """
    text, known = ranking.query.wanted.joined(), [idf > 0 for idf in ranking.pool.term_idf.values()]
    if ranking.pool.named or all(known) or len(text.split()) > _SHORT:
        return {}
    meant = probably_meant(text, bm25, generation.catalog, ~generation.removed)
    # Most words are unknown in another language, too, of which some are nearly words of papers.
    unknown = known.count(False)
    return meant if len(meant) >= unknown or unknown <= known.count(True) else {}


def _scores(ranking: Ranking) -> Iterator[tuple[float, Likelihood | None]]:
    """What `Recommendation` has for score and likelihood, in the order of the ranking."""
    if ranking.chances is None:
        return ((score, None) for score in ranking.scores.tolist())
    return ((100.0 * chance, likelihood(chance)) for chance in ranking.chances.tolist())


class Explainer:
    """Explains the candidates of one query's ranking."""

    def __init__(self, generation: OpenGeneration, bm25: SparseRetriever, ranking: Ranking) -> None:
        """Of a ranking of that index; only the pool's evidence counts, see `FirstStage.evidence`."""
        self._generation = generation
        self._ranking = ranking
        self._pool = ranking.pool
        query = ranking.query
        self._words = SharedWords(bm25, ranking.settings, ranking.pool, query.wanted)
        self._support = Support(query.wanted.abstract, bm25) if query.context.strip() else None
        self._about_it = ranking.fit is None or ranking.fit.verdict != "none"
        self._near = min(_NEAREST, max(_NEAREST_FEW, int(_NEAREST_SHARE * bm25.documents))) if self._about_it else 0
        mean, spread = (0.0, np.inf) if ranking.nearness is None else ranking.nearness[-1]
        self._least = float(mean - _DEVIATIONS * spread)

    def reasons(self, positions: Sequence[int], papers: Sequence[Paper]) -> list[Reasons]:
        """Reasons for some of the order, at these positions of the pool, which are these papers."""
        if not positions:
            return []
        pool, docids = self._pool, self._pool.docids[list(positions)]
        named = pool.named - pool.quoted
        links = links_with(self._generation, pool.docids, docids, pool.evidence)
        own = own_links(self._generation, pool.own, docids, papers, pool.evidence)
        return [
            Reasons(
                matched_terms=self._words.of(paper.text),
                sources=self._sources(position),
                cited_by=linked.cited_by,
                reranker_score=self._reranker_score(position),
                own=its_own,
                contributions=added,
                cited_by_count=linked.cited_by_count,
                cites=linked.cites,
                cited_with=linked.cited_with,
                close_in_meaning=self._is_near(position),
                related_in_meaning=self._about_it and self._dense_rank(position) > 0,
                named=int(docid) in named,
                quoted=int(docid) in pool.quoted,
                support=self._support.of(paper.abstract) if self._support else "",
            )
            for position, docid, paper, linked, its_own, added in zip(
                positions, docids, papers, links, own, self._contributions(positions), strict=True
            )
        ]

    def _sources(self, position: int) -> tuple[SourceRank, ...]:
        return tuple(
            SourceRank(source, int(ranks[position]), float(self._pool.scores[source][position]))
            for source, ranks in self._pool.ranks.items()
            if ranks[position]
        )

    def _reranker_score(self, position: int) -> float | None:
        logit = self._ranking.reranked.get(position)
        return None if logit is None else float(probabilities(np.asarray(logit)))

    def _dense_rank(self, position: int) -> int:
        ranks = self._pool.ranks.get("dense")
        return 0 if ranks is None else int(ranks[position])

    def _is_near(self, position: int) -> bool:
        near = 0 < self._dense_rank(position) <= self._near
        return near and float(self._pool.cosines[position, DIRECTIONS.index("query")]) >= self._least

    def _contributions(self, positions: Sequence[int]) -> list[tuple[Contribution, ...]]:
        """Each against its own twenty of the order, so that they are the same however many papers are shown."""
        order = self._ranking.order
        places = np.flatnonzero(np.isin(order, positions))
        found: dict[int, tuple[Contribution, ...]] = {}
        for first in np.unique(places // _TOGETHER * _TOGETHER).tolist():
            compared = order[first : first + _TOGETHER].tolist()
            contributions = self._ranking.contributions(compared)
            if contributions is None:
                return [()] * len(positions)
            for position, row in zip(compared, contributions.values.tolist(), strict=True):
                found[position] = tuple(map(Contribution, contributions.names, row))
        return [found[position] for position in positions]
