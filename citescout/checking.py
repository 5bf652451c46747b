"""How much of a finished paper's reference list the index would have found, stage by stage.

The measures are those of the evaluation, for one query: precision and recall at 20, their harmonic mean F1@20, the
reciprocal rank of the first hit within 1000, recall at 100 and 1000. Only references that the index holds, and that the
query does not leave out, can be found, so only these count.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from citescout.ranking import Ranking
from common.errors import QueryError
from common.measures import CUT, f1_at_20
from indexer.paper import Paper
from retrieval.first_stage import SOURCES
from retrieval.query import Query

_POOL = 1000


@dataclass(frozen=True, slots=True)
class StageScores:
    """One stage's list against the references."""

    stage: str  # bm25 | dense | graph | fused | blend | reranker
    precision_at_20: float
    recall_at_20: float
    f1_at_20: float
    reciprocal_rank: float  # of the first hit within the top 1000; 0 without one
    recall_at_100: float
    recall_at_1000: float


@dataclass(frozen=True, slots=True)
class Reference:
    """One reference that the index holds."""

    paper: Paper
    ranks: Mapping[str, int]  # by stage, from 1; only of stages that found it


@dataclass(frozen=True, slots=True)
class Check:
    """The result, the stages in the order in which they work."""

    stages: tuple[StageScores, ...]
    references: tuple[Reference, ...]  # by their rank in the last stage, those that it missed at the end
    excluded_itself: bool  # the paper is in the index and was no candidate
    left_out: tuple[Paper, ...] = ()  # references that the query leaves out, such as newer ones: they do not count

    @property
    def found(self) -> tuple[Reference, ...]:
        """The references among the first 20 of the final list."""
        last = self.stages[-1].stage
        return tuple(one for one in self.references if one.ranks.get(last, _POOL) <= CUT)

    @property
    def missed(self) -> tuple[Reference, ...]:
        """The others."""
        found = self.found
        return tuple(one for one in self.references if one not in found)


def looked_for(
    held: Mapping[int, Paper], allowed: NDArray[np.bool_], query: Query
) -> tuple[dict[int, Paper], tuple[Paper, ...]]:
    """The references, by docid, that may be found, `allowed` by docid; and those that the query leaves out.

    Raises:
        QueryError: it leaves out all of them.
    """
    wanted = {docid: paper for docid, paper in held.items() if allowed[docid]}
    left_out = tuple(paper for docid, paper in held.items() if docid not in wanted)
    if not wanted:
        newer = query.year is not None and all((paper.year or 0) > query.year for paper in left_out)
        why = f"is newer than {query.year}: correct the year, or give none" if newer else "is left out by the query"
        raise QueryError(f"every reference that this index holds {why}")
    return wanted, left_out


def score_list(stage: str, ranked: Sequence[int], gold: frozenset[int]) -> StageScores:
    """The measures of one list of papers, best first; `gold` is not empty."""
    hits = [rank for rank, paper in enumerate(ranked[:_POOL], start=1) if paper in gold]
    at_20 = sum(rank <= CUT for rank in hits)
    return StageScores(
        stage=stage,
        precision_at_20=at_20 / CUT,
        recall_at_20=at_20 / len(gold),
        f1_at_20=f1_at_20([(at_20, len(gold))]),
        reciprocal_rank=1 / hits[0] if hits else 0.0,
        recall_at_100=sum(rank <= 100 for rank in hits) / len(gold),
        recall_at_1000=len(hits) / len(gold),
    )


def lists_of(first: Ranking, last: Ranking | None, blend: bool) -> dict[str, Sequence[int]]:
    """The list of every stage, papers by docid, in the order of the stages.

    `first` is the order before the cross-encoder, by the blend or not, `last` the one after it. The list that is shown
    is the last: without the blend, the fused one in the order of recency and diversity, and within the filters.
    """
    pool = first.pool
    lists: dict[str, Sequence[int]] = {
        source: pool.hits[source].docids.tolist() for source in SOURCES if source in pool.hits
    }
    lists["fused"] = pool.docids.tolist()
    lists["blend" if blend else "fused"] = pool.docids[first.order].tolist()
    if last:
        lists["reranker"] = last.pool.docids[last.order].tolist()
    return lists


def check_lists(
    lists: Mapping[str, Sequence[int]],
    gold: Mapping[int, Paper],
    excluded_itself: bool = False,
    left_out: tuple[Paper, ...] = (),
) -> Check:
    """Score the list of every stage, papers by docid, in the order of the stages; `gold` is not empty."""
    ranks = {stage: {paper: rank for rank, paper in enumerate(ranked, start=1)} for stage, ranked in lists.items()}
    wanted = frozenset(gold)
    last = list(lists)[-1]
    references = [
        Reference(paper, {stage: ranks[stage][docid] for stage in lists if docid in ranks[stage]})
        for docid, paper in gold.items()
    ]
    references.sort(key=lambda one: (one.ranks.get(last, len(lists[last]) + 1), one.paper.id))
    scores = tuple(score_list(stage, ranked, wanted) for stage, ranked in lists.items())
    return Check(scores, tuple(references), excluded_itself, left_out)
