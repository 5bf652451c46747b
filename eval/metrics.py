"""The measures of the papers, computed by trec_eval (through ir_measures)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.errors import SourceError
from common.measures import harmonic


class Graded(frozenset[str]):
    """Gold papers of one query, of which nDCG takes notice that some are worth more, and bpref of what is judged 0."""

    grades: Mapping[str, int]  # of gold papers from 1 on; of those that are judged not to be gold, 0

    @classmethod
    def of(cls, grades: Mapping[str, int]) -> Graded:
        """Of grades from 0 on."""
        gold = cls(paper for paper, grade in grades.items() if grade)
        gold.grades = grades
        return gold


# Query id → paper ids that it cites.
Qrels = Mapping[str, frozenset[str]]
# Query id → paper ids, best first.
Run = Mapping[str, Sequence[str]]

# Means over queries, by the name of the measure → the metric: arrays of any shape.
Of = Callable[[Mapping[str, NDArray[np.float64]]], NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Metric:
    """One column of the tables, with its interval."""

    description: str
    measures: tuple[str, ...]  # that it is made of, by their names in ir_measures
    of: Of


def _mean_of(measure: str, description: str) -> Metric:
    return Metric(description, (measure,), lambda mean: mean[measure])


METRICS: Mapping[str, Metric] = {
    "F1@20": Metric(
        "Harmonic mean of mean precision and mean recall of the first 20 papers (Nogueira et al. 2020).",
        ("P@20", "R@20"),
        lambda mean: harmonic(mean["P@20"], mean["R@20"]),
    ),
    "MRR": _mean_of("RR@1000", "Mean of 1 / rank of the first gold paper; 0 where it is not among the first 1000."),
    "R@100": _mean_of("R@100", "Share of a query's gold papers among the first 100, mean over queries."),
    "R@1000": _mean_of("R@1000", "The same for 1000: no later stage can find more."),
    "nDCG@20": _mean_of(
        "nDCG@20", "Gold papers among the first 20, worth less the farther down, relative to the best possible list."
    ),
    "MAP": _mean_of(
        "AP", "Precision at the rank of each gold paper, mean over a query's gold papers and over queries."
    ),
}
MEASURES = (*dict.fromkeys(name for metric in METRICS.values() for name in metric.measures), "Bpref", "P@1")


@dataclass(frozen=True, slots=True)
class NovelScores:
    """One system on the citations that the queries' authors neither wrote nor cited before."""

    queries: int  # whose authors are known, and of which a citation is novel
    known_at_20: float  # share of the first 20 papers that the authors know
    f1_at_20: float  # of the list as it is
    f1_at_20_hidden: float  # of the list without what the authors know


@dataclass(frozen=True, slots=True)
class Scores:
    """One system on one set of queries."""

    queries: int
    f1_at_20: float  # 2PR/(P+R) of mean precision and mean recall, as in Nogueira et al. 2020
    f1_at_20_per_query: float  # mean over queries of each query's own F1
    mrr: float  # over the top 1000
    recall_at_20: float
    recall_at_100: float
    recall_at_1000: float
    average_precision: float  # mean over queries: MAP
    ndcg_at_20: float
    bpref: float  # where only citations are judged, the share of them that the run holds
    precision_at_1: float
    novel: NovelScores | None = None  # None where the queries' authors are unknown
    encoder: str | None = None  # of the index's vectors, where the system looks at them


@dataclass(frozen=True, slots=True)
class QueryScores:
    """One system query by query; 0 for a query that it does not answer."""

    queries: tuple[str, ...]  # ascending
    values: Mapping[str, NDArray[np.float64]]  # by name in MEASURES, shape (len(queries),)
    unanswered: int = 0  # queries without a list

    @property
    def f1_at_20(self) -> NDArray[np.float64]:
        """Each query's own F1@20, shape (len(queries),)."""
        return harmonic(self.values["P@20"], self.values["R@20"])

    def summary(self) -> Scores:
        """The means."""
        mean = {name: float(values.mean()) for name, values in self.values.items()}
        return Scores(
            queries=len(self.queries),
            f1_at_20=float(harmonic(mean["P@20"], mean["R@20"])),
            f1_at_20_per_query=float(self.f1_at_20.mean()),
            mrr=mean["RR@1000"],
            recall_at_20=mean["R@20"],
            recall_at_100=mean["R@100"],
            recall_at_1000=mean["R@1000"],
            average_precision=mean["AP"],
            ndcg_at_20=mean["nDCG@20"],
            bpref=mean["Bpref"],
            precision_at_1=mean["P@1"],
        )


def score(qrels: Qrels, run: Run) -> Scores:
    """Score a run; see `score_queries` for the errors."""
    return score_queries(qrels, run).summary()


def score_queries(qrels: Qrels, run: Run, names: Sequence[str] = MEASURES) -> QueryScores:
    """Score a run query by query by the measures of these names; a query without a list counts as zero.

    Raises:
        SourceError: no query, a query without gold citations, a query in the run that the qrels do not know, or a paper
            that stands twice in one list.
    """
    import ir_measures
    from ir_measures import ScoredDoc, parse_measure

    _check(qrels, run)
    queries = tuple(sorted(qrels))
    place = {query: number for number, query in enumerate(queries)}
    gold = [
        ir_measures.Qrel(query, paper, grade)
        for query, cited in qrels.items()
        for paper, grade in (cited.grades if isinstance(cited, Graded) else dict.fromkeys(cited, 1)).items()
    ]
    ranked = [
        # trec_eval orders by score and then by document id, so ranks become scores.
        ScoredDoc(query, paper, float(len(papers) - rank))
        for query, papers in run.items()
        for rank, paper in enumerate(papers)
    ]
    measures = {parse_measure(name): name for name in names}
    values = {name: np.zeros(len(queries)) for name in names}
    for metric in ir_measures.iter_calc(list(measures), gold, ranked):
        values[measures[metric.measure]][place[metric.query_id]] = metric.value
    return QueryScores(queries, values, sum(not run.get(query) for query in queries))


def _check(qrels: Qrels, run: Run) -> None:
    if not qrels:
        raise SourceError("nothing to score: no query has a citation within the corpus")
    if empty := [query for query, cited in qrels.items() if not cited]:
        raise SourceError(f"query {empty[0]} has no gold citation: leave it out of the qrels")
    if unknown := [query for query in run if query not in qrels]:
        raise SourceError(f"the run answers query {unknown[0]}, which the qrels do not know")
    for query, papers in run.items():
        if len(set(papers)) < len(papers):
            raise SourceError(f"a paper stands twice in the list of query {query}")
