"""What one index takes: its disk by part, and the memory and time of a process that answers from it.

The process that is measured is this file: `python benchmarks/growth_measures.py DIR --queries 100` prints JSON.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from retrieval.query import Query

_WARM_UP = 5
# Parts of a generation by the name of their file or folder.
PARTS = {"catalog.sqlite": "catalog", "bm25": "bm25", "graph": "graph", "dense": "dense"}


def disk(directory: Path) -> dict[str, int]:
    """Bytes by part of the newest generation."""
    sizes: dict[str, int] = defaultdict(int)
    generation = max(directory.glob("gen-*"))
    for path in generation.rglob("*"):
        if path.is_file():
            sizes[PARTS.get(path.relative_to(generation).parts[0], "other")] += path.stat().st_size
    return dict(sizes)


def measured(directory: Path, queries: int, reranked: int, cold: bool) -> dict[str, Any]:
    """What a process of its own finds; with `cold`, the index is out of the page cache when it starts."""
    if cold:
        _forget(directory)
    command = [sys.executable, __file__, str(directory), "--queries", str(queries), "--reranked", str(reranked)]
    command += ["--started", str(time.time())]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    return dict(json.loads(done.stdout.splitlines()[-1]))


def resident() -> dict[str, int]:
    """Bytes that this process has in memory: its own, and of mapped files, which the system may take back."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    fields = {name: rest.split() for name, _, rest in (line.partition(":") for line in lines)}
    return {"own": int(fields["RssAnon"][0]) * 1024, "mapped": int(fields["RssFile"][0]) * 1024}


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    """Milliseconds within which half of the queries and 95 of 100 were answered."""
    ordered = sorted(seconds)
    return {
        "p50": round(1000 * statistics.median(ordered), 2),
        "p95": round(1000 * ordered[min(int(0.95 * len(ordered)), len(ordered) - 1)], 2),
    }


def _forget(directory: Path) -> None:
    for path in max(directory.glob("gen-*")).rglob("*"):
        if path.is_file():
            descriptor = os.open(path, os.O_RDONLY)
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


def _here(directory: Path, queries: int, reranked: int, started: float) -> dict[str, Any]:
    from citescout.recommender import Recommender
    from citescout.settings import Settings

    recommender = Recommender.open(directory)
    asked = _queries(directory, queries + _WARM_UP)
    if len(asked) <= _WARM_UP:
        raise SystemExit(f"too few papers of {directory} have a text as long as a whole abstract")
    opened = time.time() - started
    found: dict[str, Any] = {"start-up": {"opened": round(opened, 2)}, "memory": {"opened": resident()}}
    begin = time.perf_counter()
    recommender.rank(asked[0])
    found["start-up"]["first answer"] = round(opened + time.perf_counter() - begin, 2)
    found["stages"] = _stages(recommender.rank, Settings(depth=0), asked)
    gc.collect()
    found["memory"]["first stage"] = resident()
    found["stages"] |= {"bm25, Pyserini": _pyserini(directory, asked)}
    if reranked:
        recommender.close()
        recommender = Recommender.open(directory, "default")
        stages = _stages(recommender.rank, Settings(), asked[: reranked + _WARM_UP])
        found["stages"]["cross-encoder"] = stages["cross-encoder"]
        found["memory"]["with the cross-encoder"] = resident()
    return found


def _queries(directory: Path, count: int) -> list[Query]:
    """Papers of the index with a whole abstract, as if they were being written now, drawn with a fixed seed."""
    from indexer.generations import open_generation
    from training.queries import query_of

    generation = open_generation(directory)
    docids = np.random.default_rng(11).permutation(generation.manifest.docid_count)[: 20 * count]
    papers = generation.catalog.papers(docids)
    generation.close()
    drafts = (replace(query_of(paper), year=None) for paper in papers if 150 <= len(paper.text.joined().split()) <= 300)
    return list(islice(drafts, count))


def _stages(rank: Callable[..., Any], settings: object, asked: Sequence[Query]) -> dict[str, dict[str, float]]:
    """p50 and p95 of every stage, of the first stage without the query's encoding, and of the whole."""
    from common.stages import watched

    seconds: dict[str, list[float]] = defaultdict(list)
    for number, query in enumerate(asked):
        one: dict[str, float] = defaultdict(float)

        def note(stage: str, took: float, one: dict[str, float] = one) -> None:
            one[stage] += took

        begin = time.perf_counter()
        with watched(note):
            rank(query, settings)
        one["whole"] = time.perf_counter() - begin
        one["first stage"] = one["whole"] - one["blend"] - one["cross-encoder"]
        if number >= _WARM_UP:
            for stage, took in one.items():
                seconds[stage].append(took)
    return {stage: percentiles(took) for stage, took in seconds.items()}


def _pyserini(directory: Path, asked: Sequence[Query]) -> dict[str, float]:
    """The same queries by Pyserini's own searcher, its parameters and depth ours."""
    from pyserini.search.lucene import LuceneSearcher

    from indexer.bm25_parameters import ABSTRACTS
    from indexer.layout import LAYOUT

    searcher = LuceneSearcher(str(max(directory.glob("gen-*")) / LAYOUT.bm25.path))
    searcher.set_bm25(*ABSTRACTS)
    seconds = []
    for query in asked:
        begin = time.perf_counter()
        searcher.search(query.text.joined(), k=1000)
        seconds.append(time.perf_counter() - begin)
    return percentiles(seconds[_WARM_UP:])


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
