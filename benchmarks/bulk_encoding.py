"""Papers a second of `citescout encode` on one and on two Ray nodes, against `citescout index`, on the same cores.

    python benchmarks/bulk_encoding.py SOURCE [--cores 2] [--papers 1000 3000] [--ways ordinary one two]

Every process, Ray's own included, is bound to the first `--cores` cores; two nodes have half of them each. Each way is
timed with both numbers of papers: what the larger one takes longer gives papers a second, and the rest is the start.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import orjson

from indexer.readers import read_papers

WAYS = ("ordinary", "one", "two")
_COMMAND = [sys.executable, "-c", "from citescout.cli.main import main; main()"]


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
            seconds = []
            for papers in options.papers:
                source = folder / f"{papers}.jsonl"
                _write(options.source, papers, source)
                out = str(folder / f"out-{papers}")
                if nodes:
                    command = ["encode", str(source), "--out", out, "--cluster", address, "--part", str(options.part)]
                else:
                    command = ["index", str(source), "--index", out]
                start = time.perf_counter()
                subprocess.run([*_COMMAND, *command], check=True, stdout=subprocess.DEVNULL)  # noqa: S603
                seconds.append(time.perf_counter() - start)
        rate = (options.papers[1] - options.papers[0]) / (seconds[1] - seconds[0])
        begun = seconds[0] - options.papers[0] / rate
        print(f"{way}: {seconds[0]:.1f} s and {seconds[1]:.1f} s, {rate:.1f} papers a second, start {begun:.1f} s")


def _write(source: str, papers: int, path: Path) -> None:
    """Papers that are evenly mixed by length: every so-manieth of the source."""
    found = list(read_papers([source]))
    chosen = islice(found, 0, None, max(len(found) // papers, 1))
    rows = [{"id": paper.id, "title": paper.title, "abstract": paper.abstract} for paper in islice(chosen, papers)]
    path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))


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
