"""What the processor has: how many cores this process may use, and which arithmetic they know."""

import os
from functools import cache
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
_BF16 = {"avx512_bf16", "amx_bf16", "bf16"}  # x86's and Arm's names


def usable_cores() -> int:
    """The cores that the scheduler lets this process run on, which in a container is fewer than the machine has."""
    return max(1, len(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compute_threads() -> int:
    """Threads for a model: one a core, or as many as OMP_NUM_THREADS allows, which schedulers of clusters set."""
    allowed = os.environ.get("OMP_NUM_THREADS", "")
    return min(usable_cores(), int(allowed)) if allowed.isdecimal() and int(allowed) else usable_cores()


@cache
def has_bf16() -> bool:
    """Whether the processor multiplies in bfloat16 itself; where it would be emulated, fp32 is faster."""
    try:
        lines = _CPUINFO.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    return any(
        not _BF16.isdisjoint(line.partition(":")[2].split()) for line in lines if line.startswith(("flags", "Features"))
    )
