"""Candidates in the order of their distance from a query, scored by trec_eval (SPECTER paper, sections 3.2 and 3.3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from common.errors import SourceError
from eval.scidocs.embeddings import Embeddings

# SciDocs writes its runs with five decimals, so that closer distances are ties.
_DECIMALS = 5

# What a paper without a vector does to the figures. "penalise": its queries score 0, a relevant candidate is not
# found, any other one stands above all. "leave-out", as in SciDocs: such queries and candidates are left out, which
# may raise the means.
Missing = Literal["penalise", "leave-out"]


@dataclass(frozen=True, slots=True)
class Question:
    """A query paper and the candidates that are to be ranked for it."""

    query: str
    relevance: Mapping[str, int]  # candidate → above 0 for what should be ranked first


def papers_of(questions: Iterable[Question]) -> list[str]:
    """The ids of queries and candidates, as they come."""
    return [paper for question in questions for paper in (question.query, *question.relevance)]


@dataclass(frozen=True, slots=True)
class Rankings:
    """How well the candidates of each query are ranked."""

    average_precision: NDArray[np.float64]  # (queries,), 0 to 1
    ndcg: NDArray[np.float64]  # (queries,), 0 to 1, over all candidates
    missing_queries: int  # without a vector
    missing_candidates: int  # without a vector, over the queries that have one


def rank(questions: Sequence[Question], embeddings: Embeddings, missing: Missing = "penalise") -> Rankings:
    """Rank the candidates of each question by L2 distance, nearest first.

    Raises:
        SourceError: no query has a vector.
    """
    from ir_measures import AP, Qrel, ScoredDoc, iter_calc, nDCG

    known = [question for question in questions if question.query in embeddings.rows]
    if not known:
        raise SourceError("no query has an embedding: these are embeddings of other papers")
    scored = known if missing == "leave-out" else list(questions)
    run = {question.query: _scores(question, embeddings, missing) for question in known}
    values = {question.query: {AP: 0.0, nDCG: 0.0} for question in scored}
    gold = [Qrel(one.query, paper, grade) for one in scored for paper, grade in one.relevance.items()]
    found = [ScoredDoc(query, paper, score) for query, scores in run.items() for paper, score in scores.items()]
    for metric in iter_calc([AP, nDCG], gold, found):
        values[metric.query_id][metric.measure] = metric.value
    return Rankings(
        average_precision=np.array([value[AP] for value in values.values()]),
        ndcg=np.array([value[nDCG] for value in values.values()]),
        missing_queries=len(questions) - len(known),
        missing_candidates=sum(embeddings.missing(question.relevance) for question in known),
    )


def _scores(question: Question, embeddings: Embeddings, missing: Missing) -> dict[str, float]:
    """Scores of the candidates that enter the run, the higher the nearer; all distances are ≤ 0."""
    known = [paper for paper in question.relevance if paper in embeddings.rows]
    differences = embeddings.find(known) - embeddings.find([question.query])
    distances = np.linalg.norm(differences, axis=1).round(_DECIMALS)
    scores = {paper: -float(distance) for paper, distance in zip(known, distances, strict=True)}
    if missing == "penalise":
        above = {paper: 1.0 for paper, grade in question.relevance.items() if paper not in scores and grade <= 0}
        scores.update(above)
    return scores
