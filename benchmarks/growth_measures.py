"""What one index takes: its disk by part, and the memory and time of a process that answers from it.

The process that is measured is this file: `python benchmarks/growth_measures.py DIR --queries 100` prints JSON. Every
quantity is named "group: name", the group with its unit, such as "memory, MB: opened: own".
"""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from measuring import forget, in_process, percentiles, resident, timed

from common.stages import stage_seconds

if TYPE_CHECKING:
    from retrieval.query import Query

Quantities = dict[str, float]
_WARM_UP = 5
# Parts of a generation by the name of their file or folder.
PARTS = {"catalog.sqlite": "catalog", "bm25": "bm25", "graph": "graph", "dense": "dense"}


def disk(directory: Path) -> Quantities:
    """Megabytes by part of the newest generation, and of the whole."""
    sizes: Quantities = defaultdict(float)
    generation = max(directory.glob("gen-*"))
    for path in generation.rglob("*"):
        if path.is_file():
            part = PARTS.get(path.relative_to(generation).parts[0], "other")
            for name in (part, "whole"):
                sizes[f"disk, MB: {name}"] += path.stat().st_size / 1e6
    return dict(sizes)


def measured(directory: Path, queries: int, reranked: int, cold: bool) -> Quantities:
    """What a process of its own finds; with `cold`, the index is out of the page cache when it starts."""
    if cold:
        forget(max(directory.glob("gen-*")))
    options = ("--queries", queries, "--reranked", reranked, "--started", time.time())
    return dict(in_process(__file__, directory, *options))


def _here(directory: Path, queries: int, reranked: int, started: float) -> Quantities:
    from citescout.recommender import Recommender
    from citescout.settings import Settings

    recommender = Recommender.open(directory)
    asked = _queries(directory, queries + _WARM_UP)
    if len(asked) <= _WARM_UP:
        raise SystemExit(f"too few papers of {directory} have a text as long as a whole abstract")
    opened = time.time() - started
    found: Quantities = {"seconds: opened": opened, **_memory("opened")}
    found["seconds: first answer"] = opened + timed(lambda: recommender.rank(asked[0]))[1]
    found |= _stages(recommender.rank, Settings(depth=0), asked)
    gc.collect()
    found |= _memory("first stage") | _pyserini(directory, asked)
    if reranked:
        recommender.close()
        recommender = Recommender.open(directory, "default")
        stages = _stages(recommender.rank, Settings(), asked[: reranked + _WARM_UP])
        found |= {name: value for name, value in stages.items() if name.endswith(": cross-encoder")}
        found |= _memory("with the cross-encoder")
    return found


def _memory(moment: str) -> Quantities:
    sizes = resident()
    own, both = sizes["own"] / 1e6, (sizes["own"] + sizes["mapped"]) / 1e6
    return {f"memory, MB: {moment}: own": own, f"memory, MB: {moment}: own and mapped": both}


def _times(name: str, seconds: Sequence[float]) -> Quantities:
    return {f"{group}, ms: {name}": value for group, value in percentiles(seconds).items()}


def _queries(directory: Path, count: int) -> list[Query]:
    """Papers of the index with a whole abstract, as if they were being written now, drawn with a fixed seed."""
    from indexer.generations import open_generation
    from training.queries import query_of

    with open_generation(directory) as generation:
        docids = np.random.default_rng(11).permutation(generation.manifest.docid_count)[: 20 * count]
        papers = generation.catalog.papers(docids)
    drafts = (replace(query_of(paper), year=None) for paper in papers if 150 <= len(paper.text.joined().split()) <= 300)
    return list(islice(drafts, count))


def _stages(rank: Callable[..., Any], settings: object, asked: Sequence[Query]) -> Quantities:
    """Times of every stage, of the first stage without the query's encoding, and of the whole."""
    seconds: dict[str, list[float]] = defaultdict(list)
    for number, query in enumerate(asked):
        _, one = stage_seconds(lambda query=query: rank(query, settings))
        one["first stage"] = one["whole"] - one["blend"] - one["cross-encoder"]
        if number >= _WARM_UP:
            for stage, took in one.items():
                seconds[stage].append(took)
    return {name: value for stage, took in seconds.items() for name, value in _times(stage, took).items()}


def _pyserini(directory: Path, asked: Sequence[Query]) -> Quantities:
    """The same queries by Pyserini's own searcher, its parameters and depth ours."""
    from pyserini.search.lucene import LuceneSearcher

    from indexer.bm25_parameters import ABSTRACTS
    from indexer.layout import LAYOUT

    searcher = LuceneSearcher(str(max(directory.glob("gen-*")) / LAYOUT.bm25))
    searcher.set_bm25(*ABSTRACTS)
    seconds = [timed(partial(searcher.search, query.text.joined(), k=1000))[1] for query in asked]
    return _times("bm25, Pyserini", seconds[_WARM_UP:])


def main() -> None:
    """Measure in this process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("directory", type=Path)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--reranked", type=int, default=0)
    parser.add_argument("--started", type=float, default=None)
    given = parser.parse_args()
    print(json.dumps(_here(given.directory, given.queries, given.reranked, given.started or time.time())))


if __name__ == "__main__":
    main()
