"""`citescout corpus build` as a process of its own, for a server that has indexes built."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

_GRACE = 5.0  # seconds between SIGTERM and SIGKILL


class CorpusProcess:
    """One build that is running: fixed arguments, no shell, no input."""

    def __init__(self, command: Sequence[str], output: Path) -> None:
        """Begin; what it says goes to `output`."""
        with output.open("wb") as file:
            self._process = subprocess.Popen(  # noqa: S603
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
            )

    def wait(self) -> bool:
        """Whether it succeeded, when it has ended."""
        return self._process.wait() == 0

    def stop(self) -> None:
        """End it."""
        self._process.terminate()
        try:
            self._process.wait(_GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()


def corpus_command(origins: Sequence[str], directory: Path, size: int) -> list[str]:
    """Builds an index around a bibliography, and says how far it is on standard output."""
    command = [sys.executable, "-m", "citescout", "-q", "corpus", "build", "--stages", "--size", str(size)]
    return [*command, "--index", str(directory), "--from", *origins]


def begin(origins: Sequence[str], directory: Path, size: int, output: Path) -> CorpusProcess:
    """That command, begun.

    Raises:
        OSError: `output` cannot be written.
    """
    return CorpusProcess(corpus_command(origins, directory, size), output)
