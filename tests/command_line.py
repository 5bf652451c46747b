"""Commands as tests run them: in this process, since to start Python and Java takes seconds, or in one of their own."""

import errno
import io
import logging
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from cli.main import main
from common.processes import module_path


class Ended(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def run(*arguments: object, stdin: str = "") -> Ended:
    """`citescout` in this process; its standard error has the warnings, too, which pytest keeps from getting there."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="") for _ in range(2))
    warnings = logging.StreamHandler(err)
    warnings.setLevel(logging.WARNING)
    warnings.setFormatter(logging.Formatter("%(levelname)s: %(message)s"))
    logging.getLogger().addHandler(warnings)
    code = 0
    try:
        given = io.TextIOWrapper(io.BytesIO(stdin.encode("utf-8")), encoding="utf-8")
        with redirect_stdout(out), redirect_stderr(err), patch("sys.stdin", given):
            main([str(argument) for argument in arguments])
    except SystemExit as ended:
        code = int(ended.code or 0)
    finally:
        logging.getLogger().removeHandler(warnings)
    return Ended(code, *(_text(stream) for stream in (out, err)))


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def refused(*arguments: object, stdin: str = "") -> str:
    """The one line in which `citescout` says what is wrong with its input."""
    ended = run(*arguments, stdin=stdin)
    assert (ended.code, ended.out, ended.err.count("\n")) == (1, "", 1), ended
    assert ended.err.startswith("Error: ")
    return ended.err


def run_alone(*arguments: object, **more: Any) -> Ended:
    """`citescout` in a process of its own, see `run_program`."""
    return run_program("from cli.main import main; main()", *arguments, **more)


def printed_by(program: str, *arguments: object, **more: Any) -> str:
    """What a program of Python, see `run_program`, printed that ended well."""
    ended = run_program(program, *arguments, **more)
    assert ended.code == 0, ended.err
    return ended.out


def run_program(
    program: str, *arguments: object, folder: Path | None = None, stdin: str = "", **environment: str
) -> Ended:
    """A program of Python in a process of its own, in that folder and with more in its environment."""
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": module_path(), **environment},
        cwd=folder,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@contextmanager
def running(program: str) -> Iterator[subprocess.Popen[str]]:
    """A program of Python in a process of its own, which is killed afterwards where it has not ended."""
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """As where the disk becomes full: no file can be written beyond so many bytes. Not on Windows."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def full_disk(_file: int) -> None:
    """What `os.fsync` does on a full disk."""
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
