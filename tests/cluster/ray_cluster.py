"""Two Ray nodes on this machine, the command in a process of its own, and what lies in a folder of vectors."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

OBJECT_STORE = 100 << 20
SECONDS = 240
# What Ray's native part writes by itself, such as "[2026-11-21 15:19:53,078 W 17387 17387] rpc_client.h:638: …".
NATIVE = re.compile(r"\[[0-9: ,-]+ [A-Z] [0-9]+ [0-9]+\] ")
ENVIRONMENT = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0", "OMP_NUM_THREADS": "2"}


@dataclass(frozen=True, slots=True)
class TwoNodes:
    address: str
    worker_raylet: int  # process id

    def encoders(self, raylet: int | None = None) -> list[int]:
        """Processes of encoders, of one raylet or of both."""
        return [pid for pid, parent, title in processes() if "MapWorker" in title and raylet in {None, parent}]


@contextmanager
def two_nodes() -> Iterator[TwoNodes]:
    """They are started by a process of their own: Ray forks, which one with Java or torch in it must not."""
    starter = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
    assert starter.stdin
    assert starter.stdout
    try:
        yield TwoNodes(**json.loads(starter.stdout.readline()))
    finally:
        starter.stdin.close()  # upon which it stops the nodes
        starter.wait(60)
        starter.stdout.close()


def serve_two_nodes() -> None:
    """Tell of two nodes on standard output, and stop them when standard input ends."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    from ray.cluster_utils import Cluster

    options = {
        "num_cpus": 1,
        "num_gpus": 0,
        "object_store_memory": OBJECT_STORE,
        "node_ip_address": "127.0.0.1",
        "include_dashboard": False,
    }
    cluster = Cluster(initialize_head=True, head_node_args=options)
    try:
        worker = cluster.add_node(**options)
        cluster.wait_for_nodes()
        raylet = worker.all_processes["raylet"][0].process.pid
        sys.stdout.write(json.dumps({"address": cluster.address, "worker_raylet": raylet}) + "\n")
        sys.stdout.flush()
        sys.stdin.read()
    finally:
        cluster.shutdown()


def processes() -> Iterator[tuple[int, int, str]]:
    """(process, parent, title) of all that run."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            title = (path / "cmdline").read_bytes().decode("utf-8", "replace")
            parent = re.search(r"^PPid:\s+(\d+)$", (path / "status").read_text(), re.MULTILINE)
        except OSError:
            continue
        if parent:
            yield int(path.name), int(parent[1]), title


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from cli.main import main; main()", "encode", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT)  # noqa: S603


def finished(process: subprocess.Popen[str]) -> str:
    """What the command said, having ended well."""
    out, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, err
    return out


def encode(*arguments: object) -> str:
    return finished(start(*arguments))


def failure(*arguments: object) -> str:
    """The one line in which the command ended; what is assumed of an encoder is told before."""
    process = start(*arguments)
    _, err = process.communicate(timeout=SECONDS)
    assert process.returncode == 1, err
    lines = [line for line in err.splitlines() if not NATIVE.match(line) and not line.startswith("WARNING: ")]
    assert len(lines) == 1, err
    assert lines[0].startswith("Error: ")
    return lines[0]


def wait_until(condition: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, "waited too long"
        assert process is None or process.poll() is None, process.communicate()
        time.sleep(0.05)


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)


def part_files(folder: Path) -> list[Path]:
    return sorted((folder / "parts").glob("[!.]*.parquet"))


def rows(folder: Path) -> list[tuple[str, np.ndarray]]:
    """(id, vector) of every row, read with nothing of ours."""
    from pyarrow import parquet

    found: list[tuple[str, np.ndarray]] = []
    for path in part_files(folder):
        table = parquet.read_table(path).to_pydict()
        found += [(id_, np.array(vector)) for id_, vector in zip(table["id"], table["vector"], strict=True)]
    return found


if __name__ == "__main__":
    serve_two_nodes()
