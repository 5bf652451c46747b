"""The measures of the papers, computed by trec_eval (through ir_measures)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from common.errors import SourceError

# Query id → paper ids that it cites.
Qrels = Mapping[str, frozenset[str]]
# Query id → paper ids, best first.
Run = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Scores:
    """One system on one set of queries."""

    queries: int
    f1_at_20: float  # 2PR/(P+R) of mean precision and mean recall, as in Nogueira et al. 2020
    f1_at_20_per_query: float  # mean over queries of each query's own F1
    mrr: float  # over the top 1000
    recall_at_100: float
    recall_at_1000: float


def score(qrels: Qrels, run: Run) -> Scores:
    """Score a run; a query without a list counts as zero.

    Raises:
        SourceError: no query, a query without gold citations, or a query in the run that the qrels do not know.
    """
    import ir_measures
    from ir_measures import RR, P, R, ScoredDoc

    if not qrels:
        raise SourceError("nothing to score: no query has a citation within the corpus")
    if empty := [query for query, cited in qrels.items() if not cited]:
        raise SourceError(f"query {empty[0]} has no gold citation: leave it out of the qrels")
    if unknown := [query for query in run if query not in qrels]:
        raise SourceError(f"the run answers query {unknown[0]}, which the qrels do not know")
    gold = [ir_measures.Qrel(query, paper, 1) for query, cited in qrels.items() for paper in cited]
    ranked = [
        # trec_eval orders by score and then by document id, so ranks become scores.
        ScoredDoc(query, paper, float(len(papers) - place))
        for query, papers in run.items()
        for place, paper in enumerate(papers)
    ]
    measures = [P @ 20, R @ 20, RR @ 1000, R @ 100, R @ 1000]
    sums = dict.fromkeys(measures, 0.0)
    per_query: dict[str, dict[object, float]] = {query: {} for query in qrels}
    for metric in ir_measures.iter_calc(measures, gold, ranked):
        sums[metric.measure] += metric.value
        per_query[metric.query_id][metric.measure] = metric.value
    mean = {measure: total / len(qrels) for measure, total in sums.items()}
    own = [_harmonic(found.get(P @ 20, 0.0), found.get(R @ 20, 0.0)) for found in per_query.values()]
    return Scores(
        queries=len(qrels),
        f1_at_20=_harmonic(mean[P @ 20], mean[R @ 20]),
        f1_at_20_per_query=sum(own) / len(own),
        mrr=mean[RR @ 1000],
        recall_at_100=mean[R @ 100],
        recall_at_1000=mean[R @ 1000],
    )


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
