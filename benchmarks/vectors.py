"""What each way to keep and search document vectors costs, and what it keeps of an exact search.

    python benchmarks/vectors.py --work DIR REAL.npy...

REAL.npy hold vectors of real papers, shape (n, dimension). Some of them are left out of the collection and are the
queries. The collections: real papers alone; random directions, which have no near neighbours and so are the worst
case; and, for what is larger than the real ones, as many copies of real papers with noise that leaves a cosine of .8.

Every row is a process of its own. Its files are dropped from the page cache before it opens them; times of queries are
medians on one thread after a first round, depth 1000; recall is that of 32-bit floats compared exhaustively. Resident
memory is parted into what the process owns and mapped files, which the system may take back.
"""

import argparse
import json
import shutil
import statistics
from functools import partial
from pathlib import Path
from typing import Any

import faiss
import numpy as np
from measuring import bytes_below, forget, in_process, noise, resident, timed
from numpy.typing import NDArray

from common.arrays import unit_rows
from common.order import SIGNED, best_first
from indexer.dense_writing import write_dense
from indexer.layout import LAYOUT
from indexer.structures import FLAT
from indexer.vector_choice import VectorChoice, VectorOptions
from indexer.vector_search import VectorSearch
from indexer.vectors import KINDS, Coding, empty_index

DEPTH = 1000
_BLOCK = 1 << 16
CHOICES = [*(f"{kind}:{FLAT}" for kind in KINDS), "sq8:hnsw", "sq8:ivfpq"]


def prepare(files: list[Path], work: Path, papers: int, random: bool, queries: int) -> Path:
    """A folder with collection.npy and queries.npy."""
    folder = work / f"{'random' if random else 'real'}-{papers}"
    if (folder / "queries.npy").exists():
        return folder
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(7)
    real = np.concatenate([np.load(file) for file in files]).astype(np.float32)
    real = unit_rows(real[rng.permutation(len(real))])
    dimension = real.shape[1]
    asked, real = real[:queries], real[queries : queries + papers]
    if random:
        asked, real = unit_rows(rng.normal(size=(queries, dimension)).astype(np.float32)), real[:0]
    out = np.lib.format.open_memmap(folder / "collection.npy", "w+", np.float32, (papers, dimension))
    out[: len(real)] = real
    for start in range(len(real), papers, _BLOCK):
        count = min(_BLOCK, papers - start)
        others = noise(rng, count, dimension)
        out[start : start + count] = unit_rows(others if random else real[rng.integers(len(real), size=count)] + others)
    out.flush()
    np.save(folder / "queries.npy", asked)
    return folder


def exact_neighbours(collection: NDArray[np.float32], queries: NDArray[np.float32]) -> NDArray[np.int64]:
    """Numbers of the nearest, best first, shape (queries, DEPTH)."""
    numbers: NDArray[np.int64] = faiss.knn(queries, collection, DEPTH, metric=faiss.METRIC_INNER_PRODUCT)[1]
    return numbers


def build(folder: Path, index: Path, choice: VectorChoice) -> dict[str, Any]:
    """Write an index; seconds and bytes."""
    collection = np.load(folder / "collection.npy", mmap_mode="r")
    kept, options = KINDS[choice.kind].kept, VectorOptions(choice.kind, choice.search)
    _, seconds = timed(lambda: write_dense(index, collection.astype(kept), choice, options))
    return {"build": seconds, "bytes": bytes_below(index)}


def search(folder: Path, index: Path, choice: VectorChoice, mapped: bool) -> dict[str, Any]:
    """Open an index and ask all queries."""
    queries, exact = np.load(folder / "queries.npy"), np.load(folder / "exact.npy")
    empty_index(Coding(choice.kind, queries.shape[1]))  # imports faiss
    forget(index)
    before = resident()
    structure = index / LAYOUT.structure if choice.search != FLAT else None
    opened, seconds = timed(lambda: VectorSearch(index / LAYOUT.vectors, structure, choice.search, mapped))
    found: dict[str, Any] = {"open": seconds, "first": timed(lambda: opened.nearest(queries[0], DEPTH))[1]}
    lists = [opened.nearest(query, DEPTH) for query in queries]
    found["query"] = statistics.median(timed(partial(opened.nearest, query, DEPTH))[1] for query in queries)
    ordered = [docids[best_first(scores, docids, SIGNED)] for docids, scores in lists]
    for depth in (10, 100, DEPTH):
        kept = [
            len(np.intersect1d(own[:depth], all_[:depth])) / depth for own, all_ in zip(ordered, exact, strict=True)
        ]
        found[f"recall@{depth}"] = float(np.mean(kept))
    after = resident()
    return found | {name: after[name] - before[name] for name in after}


def called(name: str, folder: str, index: str, kind: str, how: str, *mapped: str) -> dict[str, Any]:
    """What a process of its own does."""
    choice = VectorChoice(kind, how)
    if name == "build":
        return build(Path(folder), Path(index), choice)
    return search(Path(folder), Path(index), choice, mapped == ("mapped",))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("real", type=Path, nargs="*")
    parser.add_argument("--work", type=Path)
    parser.add_argument("--papers", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--random", type=int, default=100_000, help="size of the random collection; 0 for none")
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--choices", nargs="+", default=CHOICES, metavar="CODES:SEARCH")
    parser.add_argument("--call", nargs="+", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.call:
        print(json.dumps(called(*arguments.call)))
        return
    if not (arguments.real and arguments.work):
        parser.error("give --work and at least one REAL.npy")
    collections = [(papers, False) for papers in arguments.papers]
    collections += [(arguments.random, True)] if arguments.random else []
    columns = "build s | MB on disk | opened | open s | first query ms | query ms | own MB | mapped MB"
    print(f"| collection | codes | search | {columns} | recall@10 | @100 | @1000 |\n|{'---|' * 14}")
    for papers, random in collections:
        folder = prepare(arguments.real, arguments.work, papers, random, arguments.queries)
        if not (folder / "exact.npy").exists():
            collection = np.load(folder / "collection.npy", mmap_mode="r")
            np.save(folder / "exact.npy", exact_neighbours(collection, np.load(folder / "queries.npy")))
        for codes, how in (name.split(":") for name in arguments.choices):
            index = folder / "index"
            shutil.rmtree(index, ignore_errors=True)
            built = in_process(__file__, "--call", "build", folder, index, codes, how)
            for opened in ("read", "mapped"):
                r = in_process(__file__, "--call", "search", folder, index, codes, how, opened, one_thread=True)
                cells = [f"{'random' if random else 'real'} {papers:,}", codes, how]
                cells += [f"{built['build']:.0f}", f"{built['bytes'] / 1e6:,.0f}", opened]
                cells += [f"{r['open']:.2f}", f"{r['first'] * 1e3:.0f}", f"{r['query'] * 1e3:.1f}"]
                cells += [f"{r['own'] / 1e6:,.0f}", f"{r['mapped'] / 1e6:,.0f}"]
                cells += [f"{r[f'recall@{depth}']:.4f}" for depth in (10, 100, DEPTH)]
                print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
