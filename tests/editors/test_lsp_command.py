"""`citescout lsp` as a process."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from command_line import refused, run_alone

from common.processes import module_path


def _message(**fields: object) -> str:
    content = json.dumps({"jsonrpc": "2.0", **fields})
    return f"Content-Length: {len(content)}\r\n\r\n{content}"


_OPENING = _message(id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})


def test_the_server_ends_without_a_word(demo_index: Path) -> None:
    ending = _message(id=2, method="shutdown") + _message(method="exit")
    done = run_alone("lsp", "--index", demo_index, stdin=_OPENING + ending)
    assert (done.code, done.err, done.out.count("Content-Length")) == (0, "", 2)


@pytest.mark.skipif(os.name == "nt", reason="Windows ends a process without asking it")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_while_it_waits_for_the_editor(demo_index: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-c", "from cli.main import main; main()", "lsp", "--index", str(demo_index)]
    environment = {**os.environ, "PYTHONPATH": module_path()}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as process:  # noqa: S603
        try:
            process.stdin.write(_OPENING)
            process.stdin.flush()
            assert "Content-Length" in process.stdout.readline()
            time.sleep(1)  # until it reads again
            process.send_signal(number)
            assert process.wait(60) == 128 + number
        finally:
            process.kill()
        assert process.stderr.read().count("\n") == 1


def test_no_index_is_one_line(tmp_path: Path) -> None:
    assert "is not an index" in refused("lsp", "--index", str(tmp_path))
