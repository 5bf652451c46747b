"""What each way to keep and search document vectors costs, and what it keeps of an exact search.

    python benchmarks/vectors.py --work DIR REAL.npy...

REAL.npy hold vectors of real papers, shape (n, dimension). Some of them are left out of the collection and are the
queries. The collections: real papers alone; random directions, which have no near neighbours and so are the worst
case; and, for what is larger than the real ones, as many copies of real papers with noise that leaves a cosine of .8.

Every row is a process of its own. Its files are dropped from the page cache before it opens them; times of queries are
medians on one thread after a first round, depth 1000; recall is that of 32-bit floats compared exhaustively. Resident
memory is parted into what the process owns and mapped files, which the system may take back.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.order import SIGNED, best_first
from indexer.dense_writing import write_dense
from indexer.layout import LAYOUT
from indexer.structures import FLAT
from indexer.vector_choice import VectorChoice, VectorOptions
from indexer.vector_search import VectorSearch
from indexer.vectors import KINDS, Coding, empty_index

DEPTH = 1000
_BLOCK = 1 << 16
_NOISE = 0.75  # standard deviations of a unit vector's coordinate
CHOICES = [*(f"{kind}:{FLAT}" for kind in KINDS), "sq8:hnsw", "sq8:ivfpq"]


def units(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Rows of length 1."""
    rows = rows.astype(np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def prepare(files: list[Path], work: Path, papers: int, random: bool, queries: int) -> Path:
    """A folder with collection.npy and queries.npy."""
    folder = work / f"{'random' if random else 'real'}-{papers}"
    if (folder / "queries.npy").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    real = np.concatenate([np.load(file) for file in files])
    real = units(real[rng.permutation(len(real))])
    dimension = real.shape[1]
    asked, real = real[:queries], real[queries : queries + papers]
    if random:
        asked, real = units(rng.normal(size=(queries, dimension))), real[:0]
    out = np.lib.format.open_memmap(folder / "collection.npy", "w+", np.float32, (papers, dimension))
    out[: len(real)] = real
    for start in range(len(real), papers, _BLOCK):
        count = min(_BLOCK, papers - start)
        noise = rng.normal(size=(count, dimension)).astype(np.float32)
        if not random:
            noise = real[rng.integers(len(real), size=count)] + noise * (_NOISE / dimension**0.5)
        out[start : start + count] = units(noise)
    out.flush()
    np.save(folder / "queries.npy", asked)
    return folder


def exact_neighbours(collection: NDArray[np.float32], queries: NDArray[np.float32]) -> NDArray[np.int64]:
    """Numbers of the nearest, best first, shape (queries, DEPTH)."""
    scores = np.concatenate([queries @ collection[i : i + _BLOCK].T for i in range(0, len(collection), _BLOCK)], axis=1)
    best = np.argpartition(-scores, DEPTH, axis=1)[:, :DEPTH]
    order = np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1)
    return np.take_along_axis(best, order, axis=1)


def resident() -> dict[str, float]:
    """Megabytes that this process has in memory: its own, and of mapped files."""
    lines = Path("/proc/self/status").read_text().splitlines()
    values = {name: rest.split()[0] for name, _, rest in (line.partition(":") for line in lines) if name[:3] == "Rss"}
    return {"own": int(values["RssAnon"]) / 1e3, "mapped": int(values["RssFile"]) / 1e3}


def build(folder: Path, index: Path, choice: VectorChoice) -> dict[str, Any]:
    """Write an index; seconds and bytes."""
    collection = np.load(folder / "collection.npy", mmap_mode="r")
    start = time.perf_counter()
    write_dense(index, collection.astype(KINDS[choice.kind].kept), choice, VectorOptions(choice.kind, choice.search))
    seconds = time.perf_counter() - start
    return {"build": seconds, "bytes": sum(path.stat().st_size for path in index.rglob("*") if path.is_file())}


def search(folder: Path, index: Path, choice: VectorChoice, mapped: bool) -> dict[str, Any]:
    """Open an index and ask all queries."""
    queries, exact = np.load(folder / "queries.npy"), np.load(folder / "exact.npy")
    empty_index(Coding(choice.kind, queries.shape[1]))  # imports faiss
    for path in index.rglob("*.faiss"):
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)
    before = resident()
    start = time.perf_counter()
    structure = index / LAYOUT.structure.path if choice.search != FLAT else None
    opened = VectorSearch(index / LAYOUT.vectors.path, structure, choice.search, mapped)
    found: dict[str, Any] = {"open": time.perf_counter() - start}
    start = time.perf_counter()
    opened.nearest(queries[0], DEPTH)
    found["first"] = time.perf_counter() - start
    lists = [opened.nearest(query, DEPTH) for query in queries]
    times = []
    for query in queries:
        start = time.perf_counter()
        opened.nearest(query, DEPTH)
        times.append(time.perf_counter() - start)
    found["query"] = statistics.median(times)
    ordered = [docids[best_first(scores, docids, SIGNED)] for docids, scores in lists]
    for depth in (10, 100, DEPTH):
        kept = [
            len(np.intersect1d(own[:depth], all_[:depth])) / depth for own, all_ in zip(ordered, exact, strict=True)
        ]
        found[f"recall@{depth}"] = float(np.mean(kept))
    after = resident()
    return found | {name: after[name] - before[name] for name in after}


def in_process(function: Callable[..., dict[str, Any]], *arguments: object) -> dict[str, Any]:
    """The result of one of the functions above, run by a process of its own."""
    call = [sys.executable, __file__, "--call", json.dumps([function.__name__, *map(str, arguments)])]
    single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} if function is search else {}
    done = subprocess.run(call, check=True, capture_output=True, text=True, env=os.environ | single)  # noqa: S603
    return dict(json.loads(done.stdout.splitlines()[-1]))


def called(name: str, folder: str, index: str, kind: str, how: str, *mapped: str) -> dict[str, Any]:
    """The other side of `in_process`."""
    choice = VectorChoice(kind, how)
    if name == "build":
        return build(Path(folder), Path(index), choice)
    return search(Path(folder), Path(index), choice, mapped == ("True",))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("real", type=Path, nargs="*")
    parser.add_argument("--work", type=Path)
    parser.add_argument("--papers", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--random", type=int, default=100_000, help="size of the random collection; 0 for none")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--choices", nargs="+", default=CHOICES, metavar="CODES:SEARCH")
    parser.add_argument("--call", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.call:
        print(json.dumps(called(*json.loads(arguments.call))))
        return
    collections = [(papers, False) for papers in arguments.papers]
    collections += [(arguments.random, True)] if arguments.random else []
    columns = "build s | MB on disk | opened | open s | first query ms | query ms | own MB | mapped MB"
    print(f"| collection | codes | search | {columns} | recall@10 | @100 | @1000 |\n|{'---|' * 14}")
    for papers, random in collections:
        folder = prepare(arguments.real, arguments.work, papers, random, arguments.queries)
        if not (folder / "exact.npy").exists():
            collection = np.load(folder / "collection.npy", mmap_mode="r")
            np.save(folder / "exact.npy", exact_neighbours(collection, np.load(folder / "queries.npy")))
        for choice in (VectorChoice(*name.split(":")) for name in arguments.choices):
            index = folder / "index"
            shutil.rmtree(index, ignore_errors=True)
            built = in_process(build, folder, index, choice.kind, choice.search)
            for mapped in (False, True):
                r = in_process(search, folder, index, choice.kind, choice.search, mapped)
                cells = [f"{'random' if random else 'real'} {papers:,}", choice.kind, choice.search]
                cells += [f"{built['build']:.0f}", f"{built['bytes'] / 1e6:,.0f}", "mapped" if mapped else "read"]
                cells += [f"{r['open']:.2f}", f"{r['first'] * 1e3:.0f}", f"{r['query'] * 1e3:.1f}"]
                cells += [f"{r['own']:,.0f}", f"{r['mapped']:,.0f}"]
                cells += [f"{r[f'recall@{depth}']:.4f}" for depth in (10, 100, DEPTH)]
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
