"""A server that a command starts, on a port that is free."""

import http.client
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from desk import environment


@dataclass(frozen=True, slots=True)
class Server:
    """Where it listens, and the name that it wants to be asked for."""

    port: int
    host: str

    def get(self, path: str) -> tuple[int, str]:
        """Status and body of one answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request("GET", path, headers={"Host": self.host})
            answer = connection.getresponse()
            return answer.status, answer.read().decode()
        finally:
            connection.close()


@contextmanager
def running(folder: Path, command: str) -> Iterator[Server]:
    """Start `citescout serve` or `citescout demo` as the command says, and end it as Ctrl-C or a supervisor would."""
    arguments = shlex.split(command)
    process = subprocess.Popen(  # noqa: S603
        [str(folder / "bin" / arguments[0]), *arguments[1:], "--port", "0"],
        cwd=folder,
        env=environment(folder),
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        said = []
        assert process.stderr is not None
        for line in process.stderr:
            said.append(line)
            if found := re.search(r"http://(\S+:([0-9]+))/", line):
                break
        else:
            raise AssertionError("".join(said))
        trusted = re.search(r"--trusted-host (\S+)", command)
        yield Server(int(found[2]), trusted[1] if trusted else found[1])
        process.terminate()
        _, rest = process.communicate(timeout=60)
        assert process.returncode == 0, rest
        assert "Traceback" not in "".join(said) + rest, rest
    finally:
        process.kill()
        process.communicate()
