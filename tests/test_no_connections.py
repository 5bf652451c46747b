"""Nothing that is asked leaves the machine, whatever the libraries would tell their makers."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from demo import CORPUS

# Audit hooks see what libraries do, too, also in processes that are forked.
_WATCH = """
import sys

def hook(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        with open({log!r}, "a") as log:
            log.write(f"{{sys.argv}} {{event}} {{arguments[1:]}}\\n")

sys.addaudithook(hook)
"""


@pytest.mark.long
def test_building_and_asking_an_index_opens_no_connection_and_leaves_nothing_in_the_home(tmp_path: Path) -> None:
    log, home, hooks = tmp_path / "log", tmp_path / "home", tmp_path / "hooks"
    home.mkdir()
    hooks.mkdir()
    (hooks / "sitecustomize.py").write_text(_WATCH.format(log=str(log)), "utf-8")
    # Some libraries report nothing where they take themselves for tested.
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "TF_BUILD", "JENKINS_URL")}
    environment = {**kept, "HOME": str(home), "PYTHONPATH": str(hooks), "CITESCOUT_CACHE": str(tmp_path / "cache")}

    def run(*command: str, asked: str = "") -> str:
        done = subprocess.run(  # noqa: S603
            [sys.executable, *command], input=asked, env=environment, cwd=tmp_path, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    citescout = ("-m", "citescout")
    run(*citescout, "index", str(CORPUS), "--index", "index")  # MiniLM is converted
    answer = run(*citescout, "recommend", "-", "--index", "index", "-k", "5", asked="Dense passage retrieval")
    assert len(answer.splitlines()) > 5
    assert not log.exists(), log.read_text("utf-8")
    assert list(home.iterdir()) == []

    run("-c", "import socket; socket.getaddrinfo('localhost', 80)")
    assert "getaddrinfo" in log.read_text("utf-8")  # the hook does see
