"""How far answers from Milvus are from those of a local index of the same papers, and what each stage takes.

    python benchmarks/milvus.py FOLDER NAME --work DIR [--engine ADDRESS] [--vectors fp16|fp32] [--queries N]

FOLDER has NAME.jsonl beside NAME.test.ids; the citations of the test papers are hidden, as in `citescout eval corpora`.
Indexes that are below DIR already are not built again.
"""

import argparse
import json
import statistics
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from citescout.recommender import Recommender
from citescout.settings import Settings
from common.stages import stage_seconds
from eval.corpora import find_corpora
from eval.metrics import score
from indexer.builds import build_index
from indexer.engines.builds import DEFAULT_FLOATS, build_on_engine
from indexer.layout import CURRENT
from retrieval.query import Query

CUTS = (10, 100, 1000)
LISTS = {
    "+ blend": Settings(depth=0),  # the first, whose times are told: the others find the query's vector made
    "BM25": Settings(sources=("bm25",), blend=False, depth=0),
    "dense": Settings(sources=("dense",), blend=False, depth=0),
    "fused": Settings(sources=("bm25", "dense"), blend=False, depth=0),
    "+ graph": Settings(blend=False, depth=0),
}


def answers(directory: Path, queries: Sequence[Query]) -> tuple[dict[str, dict[str, list[str]]], dict[str, float]]:
    """Ids by list and query; median milliseconds by stage of the whole pipeline, the first query not counted."""
    found: dict[str, dict[str, list[str]]] = defaultdict(dict)
    taken: dict[str, list[float]] = defaultdict(list)
    with Recommender.open(directory) as recommender:
        for place, query in enumerate(queries):
            for name, settings in LISTS.items():
                ranking, spent = stage_seconds(partial(recommender.rank, query, settings))
                found[name][query.id] = ranking.ids()
                if place and name == "+ blend":
                    for stage, seconds in spent.items():
                        taken[stage].append(1000 * seconds)
    return found, {stage: round(statistics.median(times), 1) for stage, times in taken.items()}


def overlap(ours: dict[str, list[str]], theirs: dict[str, list[str]], cut: int) -> float:
    """Mean share of the first `cut` that two sets of lists have in common."""
    shares = [len({*ours[id_][:cut]} & {*theirs[id_][:cut]}) / max(len(ours[id_][:cut]), 1) for id_ in ours]
    return statistics.mean(shares)


def main() -> None:
    """Print a JSON object a list, and the times."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("name")
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--engine", help="Milvus Lite below the working folder without it.")
    parser.add_argument("--vectors", default=DEFAULT_FLOATS, choices=["fp16", "fp32"])
    parser.add_argument("--queries", type=int, default=400)
    options = parser.parse_args()
    (corpus,) = find_corpora(options.folder, [options.name])
    local, milvus = options.work / "local", options.work / "milvus"
    options.work.mkdir(parents=True, exist_ok=True)
    if not (local / CURRENT).exists():
        build_index(corpus.papers(), local)
    if not (milvus / CURRENT).exists():
        engine = options.engine or f"milvus-lite:{options.work / 'milvus.db'}"
        build_on_engine(corpus.papers(), milvus, engine, kind=options.vectors)
    tests = corpus.test_set(options.queries)
    queries, gold = tests.queries, tests.qrels
    ours, our_times = answers(local, queries)
    theirs, their_times = answers(milvus, queries)
    for name in LISTS:
        shares = {f"overlap@{cut}": round(overlap(ours[name], theirs[name], cut), 4) for cut in CUTS}
        here, there = score(gold, ours[name]), score(gold, theirs[name])
        f1 = {"F1@20 local": round(here.f1_at_20, 4), "F1@20 Milvus": round(there.f1_at_20, 4)}
        recall = {"R@1000 local": round(here.recall_at_1000, 4), "R@1000 Milvus": round(there.recall_at_1000, 4)}
        print(json.dumps({"list": name, "queries": len(queries), **shares, **f1, **recall}))
    print(json.dumps({"ms local": our_times, "ms Milvus": their_times}))


if __name__ == "__main__":
    main()
