"""CPU seconds of whole commands, from their start to their end, and how many queries a second a batch answers.

    python benchmarks/start.py --index my-index --queries queries.jsonl --against ../an-older-checkout

Every command is a process of its own, its threads and children counted; medians of `--repeat` runs, which take turns
with those of the other checkout. The first run of each is not counted: it converts models and fills the file cache.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import product
from pathlib import Path
from typing import NamedTuple

_PAPER = {
    "id": "of the benchmark",
    "title": "A paper that is added",
    "abstract": "It is about citation recommendation.",
}


class Cost(NamedTuple):
    """Of one process."""

    cpu: float  # seconds, user and system, children included
    wall: float  # seconds


def cost_of(checkout: Path, arguments: list[str]) -> Cost:
    """Run a command of the package in a checkout."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(  # noqa: S603
        [sys.executable, "-m", "citescout", *arguments],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": str(checkout)},
        cwd=checkout,
    )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def commands(index: Path, queries: Path, work: Path) -> dict[str, list[str]]:
    """What is measured, by what it is called; `work` has a copy of the index that may change."""
    one, paper = work / "one.jsonl", work / "paper.jsonl"
    with queries.open() as lines:
        one.write_text(next(lines))
    # Another paper each time, or nothing would be added.
    paper.write_text(json.dumps({**_PAPER, "id": f"{_PAPER['id']} {time.time_ns()}"}) + "\n")
    at, out = ["--index", str(index)], ["--out", str(work / "out")]
    batch = ["recommend", str(queries), *at, *out]
    return {
        "one query": ["recommend", str(one), *at],
        "one query, words alone": ["recommend", str(one), *at, "--sources", "bm25", "--no-blend"],
        "one query, reranked": ["recommend", str(one), *at, "--reranker", "default"],
        "resolve one reference": ["resolve", str(paper), *at],
        "add one paper": ["add", str(paper), "--index", str(work / "index")],
        "batch, -k 1000 --format trec": [*batch, "-k", "1000", "--format", "trec"],
        "batch, -k 20 --format jsonl": [*batch, "-k", "20", "--format", "jsonl"],
    }


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--queries", type=Path, required=True, help="JSON lines, as `citescout recommend` takes them")
    parser.add_argument("--against", type=Path, help="a checkout of another version")
    parser.add_argument(
        "--against-index", type=Path, help="its index, where it cannot read this one's (default: --index)"
    )
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", default="", help="commands whose name holds this")
    asked = parser.parse_args()
    queries = asked.queries.resolve()
    indexes = [asked.index.resolve(), (asked.against_index or asked.index).resolve()]
    count = sum(1 for line in queries.open() if line.strip())
    checkouts = [Path(__file__).resolve().parent.parent, *([asked.against.resolve()] if asked.against else [])]
    print(f"{count} queries a batch\n")
    print("| | CPU s | wall s | queries/s | before: CPU s | wall s | queries/s | CPU | wall |\n|---|" + "---|" * 8)
    with tempfile.TemporaryDirectory() as folder:
        for name in commands(indexes[0], queries, Path(folder)):
            if asked.only not in name:
                continue
            costs: list[list[Cost]] = [[] for _ in checkouts]
            for run, (place, checkout) in product(range(asked.repeat + 1), enumerate(checkouts)):
                copy = Path(folder, "index")
                shutil.rmtree(copy, ignore_errors=True)
                if name.startswith("add"):
                    shutil.copytree(indexes[place], copy)
                cost = cost_of(checkout, commands(indexes[place], queries, Path(folder))[name])
                if run:
                    costs[place].append(cost)
            print(_row(name, count if name.startswith("batch") else 0, costs), flush=True)


def _row(name: str, queries: int, costs: list[list[Cost]]) -> str:
    medians = [Cost(*map(statistics.median, zip(*runs, strict=True))) for runs in costs]
    cells = [name]
    for cost in medians:
        cells += [f"{cost.cpu:.2f}", f"{cost.wall:.2f}", f"{queries / cost.wall:.1f}" if queries else ""]
    if len(medians) > 1:
        ours, theirs = medians
        cells += [f"{theirs.cpu / ours.cpu:.1f} ×", f"{theirs.wall / ours.wall:.1f} ×"]
    return "| " + " | ".join(cells) + " |"


if __name__ == "__main__":
    main()
