"""Run inside a network namespace of its own: a Milvus server is filled, asked, killed and started again.

    python milvus_server_session.py MILVUS-SERVER WORK

Prints what came of it as one JSON object. The server binds every interface, hence the namespace.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from common.errors import CitescoutError, EngineError
from indexer.engines import builds as engine_builds
from indexer.engines.address import EngineAddress
from indexer.engines.milvus_connection import Milvus
from indexer.generations import open_generation
from indexer.paper import Paper
from retrieval.opening import open_dense

PAPERS, DIMENSION, QUERIES, DEPTH = 6000, 64, 20, 100
ADDRESS = "milvus://127.0.0.1:19530/papers"
OPTIONS = "?bm25=lucene&index=HNSW&shards=2&timeout=20"


def units(rows: np.ndarray) -> np.ndarray:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


RANDOM = np.random.default_rng(5)
VECTORS = units(RANDOM.normal(size=(PAPERS, DIMENSION)))
ASKED = units(VECTORS[:QUERIES] + 0.1 * RANDOM.normal(size=(QUERIES, DIMENSION)))


class Encoder:
    """Gives the paper of each number the vector of that number."""

    name, dimension, digest = "of-a-test", DIMENSION, "1" * 64

    def encode(self, texts):
        return VECTORS[[int(text.title.split()[-1]) for text in texts]]


def start(server: str, work: Path) -> subprocess.Popen[bytes]:
    log = (work / "server.log").open("ab")
    process = subprocess.Popen(  # noqa: S603
        [server, "--data", str(work / "data")], stdout=log, stderr=log, start_new_session=True
    )
    for _ in range(180):
        try:
            Milvus(EngineAddress.parsed(ADDRESS + OPTIONS)).close()
        except EngineError:
            time.sleep(1)
        else:
            return process
    raise SystemExit("the server did not come up")


def kill(process: subprocess.Popen[bytes]) -> None:
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def lists(directory: Path) -> list[list[int]]:
    generation = open_generation(directory)
    try:
        allowed = generation.years <= 2010
        dense = open_dense(generation, Encoder())  # type: ignore[arg-type]
        found = [dense.search(vector, DEPTH, allowed).docids.tolist() for vector in ASKED]
        dense.close()
    finally:
        generation.close()
    return found


def error_of(action) -> str:
    try:
        action()
    except CitescoutError as error:
        return f"{type(error).__name__}: {error}"
    return ""


def main() -> None:
    server, work = sys.argv[1], Path(sys.argv[2])
    engine_builds.load_encoder = lambda name: Encoder() if name else None
    papers = [Paper(f"p{number:05}", f"Paper {number}", year=2000 + number % 20) for number in range(PAPERS)]
    directory = work / "index"
    process = start(server, work)
    try:
        output = {"texts refused": error_of(lambda: engine_builds.build_on_engine(papers, work / "no", ADDRESS, None))}
        output["16 bits refused"] = error_of(
            lambda: engine_builds.build_on_engine(papers, work / "no", ADDRESS + OPTIONS)
        )
        engine_builds.build_on_engine(papers, directory, ADDRESS + OPTIONS, kind="fp32")
        allowed = np.flatnonzero(np.arange(PAPERS) % 20 <= 10)
        exact = [allowed[np.argsort(-(VECTORS[allowed] @ vector))[:DEPTH]].tolist() for vector in ASKED]
        before = lists(directory)
        output["recall"] = float(np.mean([len({*a} & {*b}) / DEPTH for a, b in zip(exact, before, strict=True)]))
        generation = open_generation(directory)
        dense = open_dense(generation, Encoder())  # type: ignore[arg-type]
        fetched = dense.documents(np.arange(0, PAPERS, 7))
        output["vectors"] = float(np.abs(fetched - VECTORS[::7]).max())
        kill(process)
        output["killed"] = error_of(lambda: dense.search(ASKED[0], DEPTH))
        output["reopened while it is gone"] = error_of(lambda: lists(directory))
        process = start(server, work)
        output["same after the restart"] = lists(directory) == before
        output["old connection after the restart"] = (
            dense.search(ASKED[0], DEPTH, generation.years <= 2010).docids.tolist() == before[0]
        )
        dense.close()
        generation.close()
    finally:
        kill(process)
    sys.stdout.write(json.dumps(output))


if __name__ == "__main__":
    main()
