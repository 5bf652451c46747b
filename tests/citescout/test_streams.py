"""The commands among other programs: a reader that has seen enough, and traces for those who ask for one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
MAIN = "from cli.main import main; main()"


def test_a_reader_that_has_seen_enough_is_no_error():
    reading, writing = os.pipe()
    os.close(reading)  # as `head` does
    try:
        done = subprocess.run(  # noqa: S603
            [sys.executable, "-c", MAIN, "eval", "baselines", "--list"],
            stdout=writing, stderr=subprocess.PIPE, text=True, cwd=ROOT, timeout=120,
        )  # fmt: skip
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_trace_comes_with_verbose_alone(tmp_path):
    def failing(*options: str) -> str:
        command = [sys.executable, "-c", MAIN, *options, "info", "--index", str(tmp_path / "nothing")]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)  # noqa: S603
        assert done.returncode == 1
        return done.stderr

    plain, verbose = failing(), failing("-v")
    assert plain.count("\n") == 1
    assert "Traceback" in verbose
    assert verbose.endswith(plain)
