"""Papers a second of `citescout encode` on one and on two Ray nodes, against `citescout index`, on the same cores.

    python benchmarks/bulk_encoding.py SOURCE [--cores 2] [--papers 1000 3000] [--ways ordinary one two]

Every process, Ray's own included, is bound to the first `--cores` cores; two nodes have half of them each. Each way is
timed with both numbers of papers: what the larger one takes longer gives papers a second, and the rest is the start.
Seconds of the processor, of all processes together, are reported as well: on a machine that does other work, they are
what can be compared.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import orjson

from indexer.readers import read_papers

WAYS = ("ordinary", "one", "two")
_COMMAND = [sys.executable, "-c", "from cli.main import main; main()"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the seconds of every way, its papers a second, and that as a share of the ordinary build's."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--papers", type=int, nargs=2, default=(1000, 3000))
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--part", type=int, default=256)
    options = parser.parse_args(arguments)
    os.sched_setaffinity(0, range(options.cores))
    os.environ |= {"OMP_NUM_THREADS": str(options.cores), "RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    for way in options.ways:
        nodes = WAYS.index(way)
        with tempfile.TemporaryDirectory() as name, _cluster(nodes, options.cores) as address:
            folder = Path(name)
            seconds, worked = [], []
            for turn, papers in enumerate((options.papers[0], *options.papers)):
                source = folder / f"{papers}.jsonl"
                _write(options.source, papers, source)
                out = str(folder / f"out-{turn}")
                if nodes:
                    command = ["encode", str(source), "--out", out, "--cluster", address, "--part", str(options.part)]
                else:
                    command = ["index", str(source), "--index", out]
                start = time.perf_counter()
                with _processor_seconds() as used:
                    subprocess.run([*_COMMAND, *command], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
                if not turn:
                    continue  # files come into memory, and Ray starts its processes
                seconds.append(time.perf_counter() - start)
                worked.append(sum(used.values()))
        for what, (few, many) in (("seconds", seconds), ("processor seconds", worked)):
            each = (many - few) / (options.papers[1] - options.papers[0])
            begun = few - options.papers[0] * each
            print(
                f"{way}: {few:.1f} and {many:.1f} {what}, {1000 * each:.1f} ms a paper, start {begun:.1f} s", flush=True
            )


def _write(source: str, papers: int, path: Path) -> None:
    """Papers that are evenly mixed by length: every so-manieth of the source."""
    found = list(read_papers([source]))
    chosen = islice(found, 0, None, max(len(found) // papers, 1))
    rows = [{"id": paper.id, "title": paper.title, "abstract": paper.abstract} for paper in islice(chosen, papers)]
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))


@contextmanager
def _processor_seconds() -> Iterator[dict[int, float]]:
    """What every process below this one uses meanwhile, by process; looked at five times a second."""
    used: dict[int, float] = {}
    before = _ticks()
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.2):
            for process, ticks in _ticks().items():
                used[process] = (ticks - before.get(process, 0)) / os.sysconf("SC_CLK_TCK")

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield used
    finally:
        ended.set()
        looking.join()


def _ticks() -> dict[int, int]:
    """Clock ticks in user and system mode of every process below this one."""
    found: dict[int, tuple[int, int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended
        found[int(path.parent.name)] = (int(fields[1]), int(fields[11]) + int(fields[12]))
    below = {os.getpid()}
    while more := {process for process, (parent, _) in found.items() if parent in below} - below:
        below |= more
    return {process: found[process][1] for process in below - {os.getpid()}}


@contextmanager
def _cluster(nodes: int, cores: int) -> Iterator[str]:
    """So many Ray nodes on this machine; none for 0."""
    if not nodes:
        yield ""
        return
    from ray.cluster_utils import Cluster

    node = {
        "num_cpus": cores // nodes,
        "num_gpus": 0,
        "object_store_memory": 200 << 20,
        "node_ip_address": "127.0.0.1",
        "include_dashboard": False,
    }
    cluster = Cluster(initialize_head=True, head_node_args=node)
    try:
        for _ in range(nodes - 1):
            cluster.add_node(**node)
        cluster.wait_for_nodes()
        yield cluster.address
    finally:
        cluster.shutdown()


if __name__ == "__main__":
    main()
