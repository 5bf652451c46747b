"""How fast `citescout serve` gives the first list, to one user and to many at once, and whether its memory stays flat.

    python benchmarks/serving.py --index DIR [--users 50] [--seconds 60] [--soak 30]

Starts a server on a free port and asks it over HTTP. The questions are papers of the index with their own title and
abstract, in random order, so that none is answered from memory. One user asks 50 questions one after the
other; then so many users ask at once, each the next question when the last one is answered, and after a 429 again
after as many seconds as `Retry-After` says. Printed are the figures of answered questions, from the request to the
last byte, and how often each other status came. With `--soak`, a user asks for so many minutes, and the resident
memory of the server is printed every half minute, Java's included.
"""

import argparse
import http.client
import json
import random
import re
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path

from measuring import percentiles, resident

from indexer.generations import open_generation

_WARM_UP = 5  # questions
_SAMPLE = 30  # seconds between two looks at the memory


@dataclass(frozen=True, slots=True)
class Server:
    """A server that is up."""

    port: int
    pid: int

    def resident_bytes(self) -> int:
        """Its memory now."""
        return sum(resident(self.pid).values())


@dataclass(slots=True)
class Phase:
    """What was seen of one kind of load."""

    seconds: list[float] = field(default_factory=list)  # of the questions that were answered
    statuses: Counter[int] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, status: int, seconds: float) -> None:
        """One answer."""
        with self.lock:
            self.statuses[status] += 1
            if status == http.client.OK:
                self.seconds.append(seconds)


@contextmanager
def served(index: Path, options: list[str]) -> Iterator[Server]:
    """A server of its own, stopped in the end."""
    command = [sys.executable, "-m", "citescout", "serve", "--index", str(index), "--port", "0", *options]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)  # noqa: S603
    said: list[str] = []
    if process.stderr is None:
        sys.exit("the server says nothing")
    for line in process.stderr:
        said.append(line)
        if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
            break
    else:
        sys.exit("".join(said))
    drain = threading.Thread(target=process.stderr.read, daemon=True)
    drain.start()
    try:
        yield Server(int(found[1]), process.pid)
    finally:
        process.terminate()
        process.wait()


def questions_of(index: Path, seed: int, depth: int) -> Iterator[bytes]:
    """Papers of the index as bodies of requests, each once until all were asked; safe to share between threads."""
    with open_generation(index) as generation:
        texts = [text for _, text in generation.catalog.all_texts() if text.title and text.abstract]
    random.Random(seed).shuffle(texts)  # noqa: S311
    asked = (
        {"title": text.title[:2000], "abstract": text.abstract[:50_000], "depth": depth} for text in texts[:20_000]
    )
    return cycle([json.dumps(one).encode() for one in asked])


def ask(server: Server, body: bytes, phase: Phase) -> int:
    """One question; returns the seconds to wait before the next."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    start = time.perf_counter()
    connection.request("POST", "/api/v1/recommend", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    phase.note(answer.status, time.perf_counter() - start)
    connection.close()
    return int(answer.headers.get("Retry-After", 0))


def one_user(server: Server, questions: Iterator[bytes], count: int) -> Phase:
    """So many questions one after the other."""
    phase = Phase()
    for _ in range(count):
        ask(server, next(questions), phase)
    return phase


def many_users(server: Server, questions: Iterator[bytes], users: int, seconds: float) -> Phase:
    """So many users for so long."""
    phase = Phase()
    end = time.monotonic() + seconds

    def use(number: int) -> None:
        patience = random.Random(number)  # noqa: S311
        while time.monotonic() < end:
            body = next(questions)
            while (wait := ask(server, body, phase)) and time.monotonic() < end:
                time.sleep(wait * patience.uniform(1.0, 1.5))

    with ThreadPoolExecutor(users) as pool:
        list(pool.map(use, range(users)))
    return phase


def soak(server: Server, questions: Iterator[bytes], minutes: float) -> list[int]:
    """The server's memory over time while a user asks, in bytes."""
    memory = []
    end = time.monotonic() + 60 * minutes
    look = 0.0
    while time.monotonic() < end:
        ask(server, next(questions), Phase())
        if time.monotonic() >= look:
            memory.append(server.resident_bytes())
            print(f"{memory[-1] / 1e6:9.0f} MB", flush=True)
            look = time.monotonic() + _SAMPLE
    return memory


def row(name: str, phase: Phase) -> str:
    """A line of the table."""
    others = ", ".join(f"{count} × {status}" for status, count in sorted(phase.statuses.items()) if status != 200)
    found = percentiles(phase.seconds)
    return f"| {name} | {len(phase.seconds)} | {found['p50']:.0f} | {found['p95']:.0f} | {others or 'none'} |"


def main() -> None:
    """Run the phases and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--questions", type=int, default=50, help="of the one user")
    parser.add_argument("--users", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60, help="of the many users")
    parser.add_argument("--soak", type=float, default=0, help="minutes")
    parser.add_argument("--depth", type=int, default=0, help="candidates that the cross-encoder reads")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("options", nargs="*", help="of citescout serve, after --")
    chosen = parser.parse_args()
    questions = questions_of(chosen.index, chosen.seed, chosen.depth)
    with served(chosen.index, chosen.options) as server:
        one_user(server, questions, _WARM_UP)
        alone = one_user(server, questions, chosen.questions)
        together = many_users(server, questions, chosen.users, chosen.seconds)
        print("| load | answered | p50 ms | p95 ms | other |\n|---|---|---|---|---|")
        print(row("one user", alone))
        print(row(f"{chosen.users} users", together))
        many, one = (percentiles(phase.seconds)["p95"] for phase in (together, alone))
        print(f"\np95 of {chosen.users} users : p95 of one = {many / one:.2f}")
        print(f"memory {server.resident_bytes() / 1e6:.0f} MB", flush=True)
        if chosen.soak:
            memory = soak(server, questions, chosen.soak)
            settled = memory[len(memory) // 4 :]
            print(f"after the first quarter: {(settled[-1] - settled[0]) / 1e6:+.0f} MB")


if __name__ == "__main__":
    main()
