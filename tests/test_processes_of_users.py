"""The command as shells, cron and containers start and end it."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from demo import CORPUS

COMMAND = shlex.join([sys.executable, "-m", "citescout"])


def shell(line: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A line of bash, with the command as $C."""
    return subprocess.run(  # noqa: S603
        ["bash", "-c", line.replace("$C", COMMAND)],  # noqa: S607
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("$C models >&-", 0, ""),
        ("$C models 2>&-", 0, ""),
        ("$C models <&-", 0, ""),
        ("$C models > /dev/full", 1, "Error: the output cannot be written: No space left on device"),
        ("$C models | head -1 >/dev/null", 0, ""),
    ],
)
def test_streams_that_are_closed_or_full_are_no_traceback(line: str, code: int, message: str) -> None:
    done = shell(line)
    assert (done.returncode, done.stderr.strip()) == (code, message)


def test_names_of_files_are_in_utf_8_where_the_locale_is_c(tmp_path: Path) -> None:
    index = shlex.quote(str(tmp_path / "übung 論文"))
    for line in (
        f"$C -q index {CORPUS} --index {index} --encoder none",
        f"echo citations | $C recommend - --index {index}",
    ):
        done = shell(line, LC_ALL="C")
        assert done.returncode == 0, done.stderr
    assert "%" in done.stdout


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_who_ends_it_has_it_tidy_up(number: signal.Signals, tmp_path: Path) -> None:
    script = (
        "import tempfile, time; from cli.main import citescout, main; import cli.models\n"
        "def wait(**options):\n"
        "    with tempfile.TemporaryDirectory(dir='.'):\n"
        "        print('there', flush=True); time.sleep(60)\n"
        "cli.models.command.callback = wait; main(['models'])"
    )
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", script],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert list(tmp_path.iterdir())
        began = time.monotonic()
        process.send_signal(number)
        assert process.wait() == 128 + number
        assert time.monotonic() - began < 30
    assert list(tmp_path.iterdir()) == []
