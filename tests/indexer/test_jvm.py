"""What Java leaves to the rest of a process."""

import os
import subprocess
import sys

from common.processes import module_path

# Each level takes some 100 bytes of the stack, which Python itself lets grow to what Linux gives.
_DEEP = """
import json, sys
from contextlib import suppress
from indexer import jvm
jvm.start()
sys.setrecursionlimit(40_000)
with suppress(RecursionError):
    json.loads("[" * 15_000 + "]" * 15_000)
print("alive")
"""


def test_what_needs_more_stack_than_java_runs_beside_it():
    environment = {**os.environ, "PYTHONPATH": module_path()}
    ran = subprocess.run([sys.executable, "-c", _DEEP], env=environment, capture_output=True, text=True)  # noqa: S603
    assert (ran.returncode, ran.stdout) == (0, "alive\n"), ran.stderr
