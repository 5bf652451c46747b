"""How many CPU cores this process may use."""

from __future__ import annotations

import os


def usable_cores() -> int:
    """The cores that the scheduler lets this process run on, which in a container is fewer than the machine has."""
    return max(1, len(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
