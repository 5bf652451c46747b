"""A recommender on the demo corpus for the tests of the front door, and its commands without a process for each."""

import io
import logging
import subprocess

import pytest

from citescout import Recommender
from cli.main import main


@pytest.fixture(scope="session")
def recommender(demo_index):
    with_index = Recommender.open(demo_index, reranker="none")
    yield with_index
    with_index.close()


@pytest.fixture
def run_here(capfd, caplog, monkeypatch):
    """Runs a command in this process, for tests of what it does and says: to start Python and Java takes seconds.

    Its standard error has the warnings, too, which pytest keeps from getting there.
    """

    def run(*arguments, stdin=""):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8")), encoding="utf-8"))
        capfd.readouterr()
        caplog.clear()
        code = 0
        try:
            main([str(argument) for argument in arguments])
        except SystemExit as ended:
            code = ended.code or 0
        written, said = capfd.readouterr()
        warnings = (record for record in caplog.records if record.levelno >= logging.WARNING)
        logged = "".join(f"{record.levelname}: {record.getMessage()}\n" for record in warnings)
        return subprocess.CompletedProcess(arguments, code, written, logged + said)

    return run
