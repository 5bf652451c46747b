"""One command over many papers, against bare Pyserini on the same texts.

    python benchmarks/indexing.py --papers 1000000 --work DIR

Makes synthetic papers, indexes them with `citescout index --encoder none` (readers, catalog, keys, BM25, citation
graph, checksums, everything forced to disk) and their titles and abstracts with Pyserini's own command on as many
threads: once with nothing stored, once with `--storeRaw`, which keeps the records that a result is shown from and
citations are read from. Each run is a process of its own; time, peak memory (of the largest process, Java included)
and bytes on disk are printed as a table.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import orjson
from made_up_papers import synthetic
from measuring import Cost, bytes_below, cost_of

from common.cpu import usable_cores

# The Java runtime that pip installed has to be started as citescout does it; the rest is Pyserini's command.
_PYSERINI = """
import runpy, sys
from indexer.jvm import start
start()
sys.argv = ["pyserini.index.lucene", *sys.argv[1:]]
runpy.run_module("pyserini.index.lucene", run_name="__main__")
"""


class Run(NamedTuple):
    """What one process took, and left on disk."""

    cost: Cost
    disk_bytes: int


def run(command: list[str], out: Path) -> Run:
    """Run a command that writes the folder `out`, which is removed before."""
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run(["sync"], check=True)  # noqa: S607
    return Run(cost_of(command), bytes_below(out))


def citescout(source: Path, work: Path) -> Run:
    """`citescout index`."""
    index = work / "citescout"
    command = [sys.executable, "-m", "citescout", "index", str(source), "--index", str(index), "--encoder", "none"]
    return run(command, index)


def pyserini(collection: Path, work: Path, *options: str) -> Run:
    """`python -m pyserini.index.lucene`."""
    index = work / "pyserini"
    arguments = ["--collection", "JsonCollection", "--generator", "DefaultLuceneDocumentGenerator"]
    arguments += ["--input", str(collection), "--index", str(index), "--threads", str(usable_cores()), *options]
    return run([sys.executable, "-c", _PYSERINI, *arguments], index)


def prepare(count: int, work: Path) -> tuple[Path, Path]:
    """The papers as one file for citescout, and as a folder of files, one a thread, for Pyserini."""
    source, collection = work / f"papers-{count}.jsonl", work / f"collection-{count}"
    if not source.exists():
        shutil.rmtree(collection, ignore_errors=True)
        collection.mkdir(parents=True)
        files = [(collection / f"{number}.jsonl").open("wb") for number in range(usable_cores())]
        partial = source.with_suffix(".partial")
        with partial.open("wb") as out:
            for number, record in enumerate(synthetic(count)):
                out.write(orjson.dumps(record) + b"\n")
                contents = f"{record.pop('title')} {record.pop('abstract')}"
                files[number % len(files)].write(orjson.dumps({"contents": contents, **record}) + b"\n")
        for file in files:
            file.close()
        partial.rename(source)
    return source, collection


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--papers", type=int, default=1_000_000)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--repeat", type=int, default=1, help="runs of each, in turn; medians are printed")
    arguments = parser.parse_args()
    arguments.work.mkdir(parents=True, exist_ok=True)
    source, collection = prepare(arguments.papers, arguments.work)
    systems: dict[str, Callable[[], Run]] = {
        "Pyserini": lambda: pyserini(collection, arguments.work),
        "Pyserini --storeRaw": lambda: pyserini(collection, arguments.work, "--storeRaw"),
        "citescout": lambda: citescout(source, arguments.work),
    }
    runs: dict[str, list[Run]] = {name: [] for name in systems}
    for _ in range(arguments.repeat):
        for name, system in systems.items():
            runs[name].append(system())
    print(f"{arguments.papers:,} papers, {source.stat().st_size / 1e6:,.0f} MB, {usable_cores()} cores\n")
    print("| | seconds | × Pyserini | CPU seconds | × Pyserini | peak memory, MB | on disk, MB |\n" + "|---" * 7 + "|")
    bare, bare_processor = _seconds(runs["Pyserini"])
    for name, own in runs.items():
        seconds, processor = _seconds(own)
        peak, disk = max(one.cost.peak_bytes for one in own), own[-1].disk_bytes
        times = f"{seconds:.0f} | {seconds / bare:.2f} | {processor:.0f} | {processor / bare_processor:.2f}"
        print(f"| {name} | {times} | {peak / 1e6:,.0f} | {disk / 1e6:,.0f} |")


def _seconds(runs: list[Run]) -> tuple[float, float]:
    """Medians: of the clock, and of processors."""
    costs = [one.cost for one in runs]
    return statistics.median(one.seconds for one in costs), statistics.median(one.processor_seconds for one in costs)


if __name__ == "__main__":
    main()
