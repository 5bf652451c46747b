"""Whether the fast runtime of the second stage changes the lists: F1@20 with it and with torch in fp32.

    python benchmarks/faithfulness.py CORPORA --index DIR [--corpus union] [--queries 200] [--depth 32]

CORPORA is a folder as for `citescout eval corpora`, and DIR the index that this made of the corpus. Every query's
candidates are read with both runtimes; the table has the lists ordered by the blend with the cross-encoder's score,
and by its probability alone (`--no-blend`), where nothing hides a difference.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from citescout import Recommender, Settings
from common.progress import progress
from encoders.runtimes.base import RuntimeName
from eval.corpora import UNION, find_corpora
from eval.metrics import score
from eval.systems import DEPTH
from rerank.cross_encoder import CrossEncoder
from retrieval.query import Query

RUNTIMES: tuple[RuntimeName, ...] = ("torch", "openvino")
Run = dict[str, list[str]]


def lists(directory: Path, queries: Sequence[Query], runtime: RuntimeName, settings: Sequence[Settings]) -> list[Run]:
    """The best of every query, one run for each of `settings`."""
    runs: list[Run] = [{} for _ in settings]
    with Recommender.opened(directory, CrossEncoder.load(runtime=runtime)) as recommender:
        for query in progress(queries, runtime, len(queries)):
            for run, one in zip(runs, settings, strict=True):
                run[query.id] = recommender.rank(query, one).ids(DEPTH)
    return runs


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--corpus", default=UNION)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--depth", type=int, default=32)
    arguments = parser.parse_args()
    tests = find_corpora(arguments.corpora, [arguments.corpus])[0].test_set(arguments.queries, 0)
    orders = {name: Settings(depth=arguments.depth, blend=name == "blend") for name in ("blend", "no blend")}
    runs = {
        runtime: dict(zip(orders, lists(arguments.index, tests.queries, runtime, list(orders.values())), strict=True))
        for runtime in RUNTIMES
    }
    print(f"{len(tests.queries)} queries of {arguments.corpus}, {arguments.depth} candidates read\n")
    print("| order | runtime | F1@20 | MRR | best 20 as with torch |\n|---|---|---|---|---|")
    for order in orders:
        reference = runs[RUNTIMES[0]][order]
        for runtime in RUNTIMES:
            run = runs[runtime][order]
            scores = score(tests.qrels, run)
            same = np.mean([len(set(run[id_][:20]) & set(reference[id_][:20])) / 20 for id_ in reference])
            print(f"| {order} | {runtime} | {scores.f1_at_20:.4f} | {scores.mrr:.4f} | {same:.4f} |")


if __name__ == "__main__":
    main()
