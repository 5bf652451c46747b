"""SIGKILL at any moment of any operation: the index holds the papers from before it or from after it."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path

import orjson
import pytest
from kill_worker import after
from living import assert_holds, lists, paper_of

from common.errors import IndexDirectoryError
from indexer.builds import build_index
from indexer.changes import compact_index
from indexer.generations import served_manifest
from indexer.layout import CURRENT, LOCK, PARTIAL
from indexer.vector_choice import VectorOptions

pytestmark = pytest.mark.usefixtures("hash_encoder")

Variants = dict[str, int]  # the papers that an index should hold: id → variant


class Worker:
    """The other side of kill_worker.py."""

    def __init__(self) -> None:
        here = Path(__file__).parent
        path = os.pathsep.join([str(here.parents[1]), str(here)])
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, str(here / "kill_worker.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | {"PYTHONPATH": path},
        )

    def order(self, directory: Path, papers: Variants, seed: int, rounds: int) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(
            orjson.dumps({"directory": str(directory), "papers": papers, "seed": seed, "rounds": rounds}) + b"\n"
        )
        self._process.stdin.flush()

    def line(self) -> dict:
        assert self._process.stdout is not None
        record = orjson.loads(self._process.stdout.readline())
        assert "failed" not in record, record
        return record

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def holds(directory: Path, papers: Variants) -> bool:
    """Whether the index is whole and holds these papers; without papers, whether there is no index yet."""
    try:
        served_manifest(directory)
    except IndexDirectoryError:
        return not papers and not (directory / CURRENT).exists()
    try:
        assert_holds(directory, {id_: paper_of(id_, variant) for id_, variant in papers.items()})
    except AssertionError:
        return False
    return True


class Killer:
    """Has operations done and kills them, and knows what the index has to hold."""

    def __init__(self, directory: Path, seed: int) -> None:
        self.directory = directory
        self.papers: Variants = {}
        self.counts: Counter[str] = Counter()  # kills by operation
        self.rng = random.Random(seed)
        self._worker = Worker()
        self._usual: dict[str, list[float]] = defaultdict(lambda: [0.3])  # seconds of each operation

    def kill(self) -> None:
        """One kill, at a moment that is uniform over the usual time of the operation, and a look at what is left."""
        if self.rng.random() < 0.04:  # so that first builds are killed as well
            shutil.rmtree(self.directory, ignore_errors=True)
            self.papers = {}
        self._worker.order(self.directory, self.papers, self.rng.randrange(2**32), 1000)
        pid = self._worker.line()["pid"]
        for _ in range(self.rng.randint(0, 2)):
            self._done(self._worker.line(), self._worker.line())
        begun = self._worker.line()
        seconds = self._usual[begun["begun"]][-9:]
        time.sleep(self.rng.uniform(0, 1.05 * sum(seconds) / len(seconds)))
        os.kill(pid, signal.SIGKILL)
        # What was acknowledged before the signal came has to be there.
        unfinished = self._until_reaped(begun)
        self.counts[begun["begun"]] += 1
        if not holds(self.directory, self.papers):
            assert unfinished, (self.counts, begun)
            self.papers = after(self.papers, unfinished["begun"], unfinished["argument"])
            assert holds(self.directory, self.papers), (self.counts, unfinished)
            self.counts["after the swap"] += 1

    def end(self) -> None:
        """A few operations in peace: no repair was needed, and nothing is left behind."""
        self._worker.order(self.directory, self.papers, 0, 4)
        self._worker.line()
        assert self._until_reaped(None) is None
        self._worker.close()
        assert holds(self.directory, self.papers)
        name, _ = served_manifest(self.directory)
        # What a killed re-encoding has encoded stays for the next one; additions are no reason to lose it.
        assert {path.name for path in self.directory.iterdir()} <= {CURRENT, LOCK, PARTIAL, name}

    def _until_reaped(self, begun: dict | None) -> dict | None:
        """Take note of all that was done; returns what was begun and not acknowledged."""
        while "reaped" not in (record := self._worker.line()):
            if "done" in record:
                assert begun is not None
                self._done(begun, record)
                begun = None
            elif "begun" in record:
                begun = record
        return begun

    def _done(self, begun: dict, done: dict) -> None:
        self._usual[begun["begun"]].append(done["seconds"])
        self.papers = after(self.papers, begun["begun"], begun["argument"])


def kill_again_and_again(directory: Path, kills: int, seed: int) -> Counter[str]:
    """Returns how many kills hit each operation, and how many of them came after its swap."""
    killer = Killer(directory, seed)
    for _ in range(kills):
        killer.kill()
    killer.end()
    encoder = compact_index(directory).encoder
    fresh = directory.with_name("fresh")
    build_index(
        [paper_of(id_, variant) for id_, variant in killer.papers.items()],
        fresh,
        encoder,
        vectors=VectorOptions(search="hnsw"),
    )
    assert lists(directory) == lists(fresh)
    return killer.counts


@pytest.mark.long
def test_a_few_kills_at_random_moments(tmp_path: Path) -> None:
    kill_again_and_again(tmp_path / "index", 15, seed=1)


@pytest.mark.slow
def test_five_hundred_kills_at_random_moments(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    counts = kill_again_and_again(tmp_path / "index", 500, seed=2)
    with capsys.disabled():
        sys.stderr.write(f"{dict(counts)}\n")
