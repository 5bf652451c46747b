"""What tests of the experiments share."""

from pathlib import Path

import pytest

from citescout import Recommender
from citescout.settings import Settings
from eval.experiments.base import Inputs
from eval.experiments.findings import Findings, Row
from eval.metrics import Scores, score
from rerank.cross_encoder import CrossEncoder
from training.queries import training_queries

ROOT = Path(__file__).parents[2]
NAMES = {"query-forms", "bm25", "sources", "blend-features", "depth", "token-split", "imbalance", "base-models"}
ABLATIONS = {
    "specter-inputs", "specter-signals", "scincl-training", "scincl-positives", "scincl-negatives",
    "ctpe-methods", "ctpe-words", "ctpe-split", "ctpe-pairs",
}  # fmt: skip
QUERIES, SEED = 8, 3
FIELDS = {"F1@20": "f1_at_20", "MRR": "mrr", "R@100": "recall_at_100", "R@1000": "recall_at_1000"}


def inputs_of(out: Path, *directories: Path, **others) -> Inputs:
    return Inputs(directories, out, **{"queries": QUERIES, "seed": SEED, **others})


def directly(
    directory: Path, settings: Settings, reranker: CrossEncoder | None = None, queries: int = QUERIES
) -> Scores:
    """What `recommend` returns, scored."""
    with Recommender.opened(directory, reranker) as recommender:
        generation = recommender.generation
        drawn = list(training_queries(generation, queries, SEED))
        qrels = {one.query.id: frozenset(generation.catalog.ids(one.gold)) for one in drawn}
        run = {one.query.id: [found.paper.id for found in recommender.recommend(one.query, settings)] for one in drawn}
    assert len(qrels) > 4
    return score(qrels, run)


def row_of(findings: Findings, name: str) -> Row:
    (found,) = [row for row in findings.rows if row.name == name]
    return found


def assert_same(row: Row, corpus: str, scores: Scores) -> None:
    for figure, value in row.by_corpus[corpus].items():
        assert value == pytest.approx(getattr(scores, FIELDS[figure])), (row.name, figure)
