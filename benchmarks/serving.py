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
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain, cycle
from pathlib import Path
from typing import NamedTuple

from measuring import percentiles, resident

from indexer.generations import open_generation

_WARM_UP, _ALONE = 5, 50  # questions
_SAMPLE = 30  # seconds between two looks at the memory


class Server(NamedTuple):
    """A server that is up."""

    port: int
    pid: int


class Seen(NamedTuple):
    """What came of one question."""

    status: int
    seconds: float
    wait: int  # seconds before the next question


@contextmanager
def served(index: Path, options: list[str]) -> Iterator[Server]:
    """A server of its own, stopped in the end."""
    command = [sys.executable, "-m", "citescout", "serve", "--index", str(index), "--port", "0", *options]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        said = ""
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/", said)):
            line = process.stderr.readline()
            if not line:
                sys.exit(said)
            said += line
        threading.Thread(target=process.stderr.read, daemon=True).start()
        try:
            yield Server(int(found[1]), process.pid)
        finally:
            process.terminate()


def memory(server: Server) -> float:
    """Megabytes that the server has in memory now."""
    return sum(resident(server.pid).values()) / 1e6


def questions_of(index: Path, seed: int, depth: int) -> Iterator[bytes]:
    """Papers of the index as bodies of requests, each once until all were asked; safe to share between threads."""
    with open_generation(index) as generation:
        texts = [text for _, text in generation.catalog.all_texts() if text.title and text.abstract]
    random.Random(seed).shuffle(texts)  # noqa: S311
    asked = (
        {"title": text.title[:2000], "abstract": text.abstract[:50_000], "depth": depth} for text in texts[:20_000]
    )
    return cycle([json.dumps(one).encode() for one in asked])


def ask(server: Server, body: bytes) -> Seen:
    """One question."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    start = time.perf_counter()
    connection.request("POST", "/api/v1/recommend", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    answer.read()
    seconds = time.perf_counter() - start
    connection.close()
    return Seen(answer.status, seconds, int(answer.headers.get("Retry-After", 0)))


def one_user(server: Server, questions: Iterator[bytes], count: int) -> list[Seen]:
    """So many questions one after the other."""
    return [ask(server, next(questions)) for _ in range(count)]


def many_users(server: Server, questions: Iterator[bytes], users: int, seconds: float) -> list[Seen]:
    """So many users for so long."""
    end = time.monotonic() + seconds

    def use(number: int) -> Iterator[Seen]:
        patience = random.Random(number)  # noqa: S311
        while time.monotonic() < end:
            body = next(questions)
            while (seen := ask(server, body)).wait and time.monotonic() < end:
                yield seen
                time.sleep(seen.wait * patience.uniform(1.0, 1.5))
            yield seen

    with ThreadPoolExecutor(users) as pool:
        return list(chain.from_iterable(pool.map(lambda number: list(use(number)), range(users))))


def soak(server: Server, questions: Iterator[bytes], minutes: float) -> list[float]:
    """The server's memory over time while a user asks, in megabytes."""
    found: list[float] = []
    start = time.monotonic()
    while time.monotonic() < start + 60 * minutes:
        ask(server, next(questions))
        if time.monotonic() >= start + _SAMPLE * len(found):
            found.append(memory(server))
            print(f"{found[-1]:9.0f} MB", flush=True)
    return found


def times_of(seen: Sequence[Seen]) -> dict[str, float]:
    """Of the questions that were answered."""
    return percentiles([one.seconds for one in seen if one.status == http.client.OK])


def row(name: str, seen: Sequence[Seen]) -> str:
    """A line of the table."""
    statuses, times = Counter(one.status for one in seen), times_of(seen)
    answered = statuses.pop(http.client.OK, 0)
    others = ", ".join(f"{count} × {status}" for status, count in sorted(statuses.items()))
    return f"| {name} | {answered} | {times['p50']:.0f} | {times['p95']:.0f} | {others or 'none'} |"


def main() -> None:
    """Run the phases and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, required=True)
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
        alone = one_user(server, questions, _ALONE)
        together = many_users(server, questions, chosen.users, chosen.seconds)
        print("| load | answered | p50 ms | p95 ms | other |\n|---|---|---|---|---|")
        print(row("one user", alone))
        print(row(f"{chosen.users} users", together))
        print(f"\np95 of {chosen.users} users : p95 of one = {times_of(together)['p95'] / times_of(alone)['p95']:.2f}")
        print(f"memory {memory(server):.0f} MB", flush=True)
        if chosen.soak:
            found = soak(server, questions, chosen.soak)
            print(f"after the first quarter: {found[-1] - found[len(found) // 4]:+.0f} MB")


if __name__ == "__main__":
    main()
