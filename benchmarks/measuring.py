"""What several benchmarks measure by: processes of their own, memory, the page cache, percentiles, stages, vectors."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
_NOISE = 0.75  # standard deviations of a unit vector's coordinate


class Cost(NamedTuple):
    """What one process took."""

    seconds: float
    processor_seconds: float  # of all threads and processes
    peak_bytes: int  # resident, Java included, of the largest process


def cost_of(command: Sequence[str]) -> Cost:
    """Run a command; what it says is shown only where it fails."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as said:
        process = subprocess.Popen(command, stdout=said, stderr=said)  # noqa: S603
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        if status:
            said.seek(0)
            sys.stderr.write(said.read().decode("utf-8", "replace"))
            raise SystemExit(f"{' '.join(command[:4])} failed")
    return Cost(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024)


def in_process(script: str, *arguments: object, one_thread: bool = False) -> Any:
    """What a script of this folder prints last, as JSON, run by a process of its own."""
    single = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"} if one_thread else {}
    call = [sys.executable, script, *map(str, arguments)]
    done = subprocess.run(call, check=True, stdout=subprocess.PIPE, text=True, env=os.environ | single)  # noqa: S603
    return json.loads(done.stdout.splitlines()[-1])


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """What it gives, and the seconds that it takes."""
    start = time.perf_counter()
    return work(), time.perf_counter() - start


def resident(process: int | str = "self") -> dict[str, int]:
    """Bytes that a process has in memory: its own, and of mapped files, which the system may take back."""
    lines = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    fields = {name: rest.split() for name, _, rest in (line.partition(":") for line in lines)}
    return {"own": int(fields["RssAnon"][0]) * 1024, "mapped": int(fields["RssFile"][0]) * 1024}


def bytes_below(folder: Path) -> int:
    """Of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def forget(folder: Path) -> None:
    """Drop the files below a folder from the page cache."""
    for path in folder.rglob("*"):
        if path.is_file():
            descriptor = os.open(path, os.O_RDONLY)
            os.fsync(descriptor)
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(descriptor)


def percentiles(seconds: Sequence[float]) -> dict[str, float]:
    """Milliseconds within which half of the queries and 95 of 100 were answered; NaN without any."""
    ordered = sorted(seconds) or [float("nan")]
    last = ordered[min(int(0.95 * len(ordered)), len(ordered) - 1)]
    return {"p50": round(1000 * statistics.median(ordered), 2), "p95": round(1000 * last, 2)}


def noise(rng: np.random.Generator, rows: int, dimension: int) -> NDArray[np.float32]:
    """What leaves a cosine of .8 when it is added to vectors of length 1, shape (rows, dimension)."""
    return (rng.normal(size=(rows, dimension)) * (_NOISE / dimension**0.5)).astype(np.float32)
