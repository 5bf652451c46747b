"""A process that changes an index again and again until it is killed; started by test_kills.py.

It reads one JSON line a round: {"directory", "papers": {id: variant}, "seed"}. For each round it forks a child, before
Java is started (a child of a process with Java would hang), and the child writes a line before and after every
operation. The imports are thus paid once rather than for every kill.
"""

import os
import random
import sys
import time
from pathlib import Path

import faiss  # noqa: F401 - loaded before the fork
import living
import orjson

import indexer.encoding
from encoders.transformer import TextEncoder
from indexer import jvm
from indexer.builds import build_index
from indexer.changes import add_papers, compact_index, reencode, remove_papers
from indexer.generations import served_manifest
from indexer.vector_choice import VectorOptions

IDS = [f"p{number:03}" for number in range(120)]


def operation(papers: dict[str, int], rng: random.Random) -> tuple[str, dict[str, int] | list[str]]:
    """What to do next, and with what."""
    kind = rng.choices(["add", "remove", "compact", "re-encode", "build"], [5, 3, 1, 2, 1])[0] if papers else "build"
    if kind == "remove" and len(papers) > 1:
        return kind, rng.sample(sorted(papers), rng.randint(1, min(20, len(papers) - 1)))
    if kind in {"compact", "re-encode"}:
        return kind, []
    count = rng.randint(1, 15) if kind == "add" else rng.randint(20, 100)
    return ("build" if kind == "build" else "add"), {i: rng.randrange(6) for i in rng.sample(IDS, count)}


def after(papers: dict[str, int], kind: str, argument: dict[str, int] | list[str]) -> dict[str, int]:
    """What the index should hold when the operation is done."""
    if kind == "build":
        return dict(argument)
    if kind == "add":
        return papers | dict(argument)
    return {id_: variant for id_, variant in papers.items() if id_ not in argument}


def perform(directory: Path, kind: str, argument: dict[str, int] | list[str]) -> None:
    """The operation itself."""
    if kind == "remove":
        remove_papers(argument, directory)
    elif kind == "compact":
        compact_index(directory)
    elif kind == "re-encode":
        reencode(directory, "other-hash" if served_manifest(directory)[1].encoder == "hash" else "hash")
    else:
        papers = [living.paper_of(id_, variant) for id_, variant in dict(argument).items()]
        if kind == "build":
            build_index(papers, directory, "hash", vectors=VectorOptions(search="hnsw"))
        else:
            add_papers(papers, directory)


def say(**record: object) -> None:
    os.write(1, orjson.dumps(record) + b"\n")


def work(directory: Path, papers: dict[str, int], seed: int, rounds: int) -> None:
    """Operation after operation; the other side kills it when it likes."""
    rng = random.Random(seed)
    jvm.autoclass("io.anserini.index.SimpleIndexer")  # a moment that no operation should contain

    say(pid=os.getpid())
    for _ in range(rounds):
        kind, argument = operation(papers, rng)
        say(begun=kind, argument=argument)
        start = time.monotonic()
        perform(directory, kind, argument)
        say(done=kind, seconds=time.monotonic() - start)
        papers = after(papers, kind, argument)
    say(ended=True)


if __name__ == "__main__":
    TextEncoder.load = living.use_hash_encoder  # type: ignore[method-assign, assignment]
    indexer.encoding.CHUNK = 8
    for line in sys.stdin.buffer:
        order = orjson.loads(line)
        child = os.fork()
        if not child:
            try:
                work(Path(order["directory"]), order["papers"], order["seed"], order["rounds"])
            except BaseException as error:
                say(failed=repr(error))
                raise
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        say(reaped=True)
