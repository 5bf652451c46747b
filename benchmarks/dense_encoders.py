"""Encoders and baselines alone, by exact cosine, on validation queries: an index's own newest papers.

    python benchmarks/dense_encoders.py --index my-index --systems word2vec tf-idf encoder:my-ctpe

A validation query is a paper of the index with its citations hidden; see `training.queries`. No test paper is
asked, so that settings may be chosen by what this prints.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

from eval.baselines.base import Setup
from eval.baselines.registry import find_baselines
from eval.baselines_protocol import rank_all, read_collection
from eval.experiments.asking import validation_set
from eval.metrics import score
from indexer.generations import open_generation

DEPTH = 1000


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one row a system."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--systems", nargs="+", required=True)
    parser.add_argument("--queries", type=int, default=300)
    options = parser.parse_args(arguments)
    with open_generation(options.index) as generation:
        tests = validation_set(generation, options.queries, seed=0)
    papers = read_collection(options.index)
    print(f"{options.index.name}: {len(tests.queries)} queries, {len(papers.ids):,} papers")
    print("| system | F1@20 | R@100 | R@1000 |\n|---|---|---|---|")
    for baseline in find_baselines(options.systems):
        ranker = baseline.make(Setup())
        ranker.fit(papers.texts)
        scores = score(tests.qrels, rank_all(ranker, papers, tests.queries, DEPTH))
        row = (scores.f1_at_20, scores.recall_at_100, scores.recall_at_1000)
        print(f"| {baseline.name} | {' | '.join(f'{value:.4f}' for value in row)} |", flush=True)


if __name__ == "__main__":
    main()
