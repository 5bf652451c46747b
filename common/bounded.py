"""Files that anybody may have made are parsed in processes of their own, which are bounded and may be killed.

To import what reads them takes longer than to read most of them. So where a process may be forked safely, on Linux, the
one that has imported it waits for the next file, and reads none itself: each is read by a fork of it.
"""

import atexit
import gc
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from threading import Event, Timer
from traceback import format_exception_only
from typing import IO, cast

from common.errors import CitescoutError, SourceError
from common.processes import module_path

MEMORY = 1 << 30  # bytes
PROCESSOR_SECONDS = 8  # of what strangers may hand over
_LONGEST_REASON = 300  # characters
_FORKS = sys.platform == "linux"  # elsewhere a process reads one file alone
_LENGTH = 8  # bytes that say how many follow
_READ, _REFUSED, _FAILED = b"=", b"!", b"?"  # how an answer begins: the file is to blame for the second alone
_OURS = ("common.", "indexer.", "manuscripts.")  # modules that a file may have the next process import


def parsed(module: str, arguments: tuple[str, ...], data: bytes, patience: float) -> bytes:
    """What the `module` makes of `data` in so many seconds; its main function calls `answer`.

    Raises:
        SourceError: the file is refused, or takes too much time or memory, or reading it fails.
    """
    reader = _idle.pop(module, None)
    if not reader or reader.has_ended():
        reader = _Reader(module)
    answered = reader.answer_to(arguments, data, patience)
    if not _FORKS or (not reader.has_ended() and _idle.setdefault(module, reader) is not reader):
        reader.end()
    if answered.startswith(_READ):
        return answered[1:]
    reason = answered[1:].decode("utf-8", "replace")[:_LONGEST_REASON]
    raise SourceError(reason if answered.startswith(_REFUSED) else f"an error of citescout, not of the file: {reason}")


class _Reader:
    """A process that reads one file after the other, until it is killed or nobody can ask it any more."""

    def __init__(self, module: str) -> None:
        # No secrets of this process. Windows' libraries are found by its SYSTEMROOT.
        environment = {"PYTHONPATH": module_path(), "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
        environment |= {name: value for name, value in os.environ.items() if name == "SYSTEMROOT"}
        command, pipe = [sys.executable, "-P", "-m", module], subprocess.PIPE
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module; the file comes as input
                command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, start_new_session=True
            )
        except OSError as error:  # as another user, who may not run this interpreter
            raise SourceError(f"cannot start {sys.executable}, which would read the file: {error.strerror}") from None

    def has_ended(self) -> bool:
        return self._process.poll() is not None

    def end(self) -> None:
        self._kill()
        with suppress(BrokenPipeError), self._process:  # closes what is open, and waits
            pass

    def _kill(self) -> None:
        with suppress(ProcessLookupError):
            if sys.platform == "win32":
                self._process.kill()
            else:
                os.killpg(self._process.pid, signal.SIGKILL)  # the fork as well

    def answer_to(self, arguments: tuple[str, ...], data: bytes, patience: float) -> bytes:
        """What it answers to `arguments` and `data`, or why it did not; then it has ended."""
        pipes = self._process.stdin, self._process.stdout, self._process.stderr
        asked, answers, errors = cast("tuple[IO[bytes], IO[bytes], IO[bytes]]", pipes)
        late = Event()

        def give_up() -> None:
            late.set()
            self._kill()

        timer = Timer(patience, give_up)
        timer.start()
        try:
            with suppress(BrokenPipeError):
                _send(asked, "\0".join(arguments).encode("utf-8", "surrogatepass"), data)
            answered = _received(answers)
            said = errors.read() if answered is None else b""
        except BaseException:
            self.end()
            raise
        finally:
            timer.cancel()
            timer.join()
        if answered is None or late.is_set():
            self.end()
        if answered:
            return answered
        if late.is_set():
            # Its own work ends earlier, by `PROCESSOR_SECONDS`.
            raise SourceError("the file takes too long to read: try again when this computer is less busy")
        if not said:  # the process that read it was killed
            raise SourceError("the file takes too much time or memory to read")
        return _FAILED + said.strip().splitlines()[-1]


_idle: dict[str, _Reader] = {}  # one of each module


@atexit.register
def _end_all() -> None:
    while _idle:
        _idle.popitem()[1].end()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)  # two that ask one process would get each other's answers


def answer(work: Callable[..., bytes], processor_seconds: int = PROCESSOR_SECONDS) -> None:
    """Answer what `parsed` asks on standard input, within the bounds, and those of who started this process.

    `work` gets the bytes of the file, and the arguments. What the file's maker did wrong is one line.
    """
    asked, answers = sys.stdin.buffer, sys.stdout.buffer
    loaded: list[str] = []
    while (arguments := _received(asked)) is not None and (data := _received(asked)) is not None:
        for module in loaded:
            import_module(module)
        do = partial(work, data, *arguments.decode("utf-8", "surrogatepass").split("\0"))
        if not _FORKS:
            _send(answers, _answered(do, processor_seconds))
            return
        answered, loaded = _of_fork(do, processor_seconds)
        _send(answers, answered)


def _of_fork(do: Callable[[], bytes], processor_seconds: int) -> tuple[bytes, list[str]]:
    """What a fork of this process answers, nothing if it was killed, and which of our modules it has imported."""
    before = set(sys.modules)
    gc.freeze()  # what is collected in a fork would be copied for that
    reading, writing = os.pipe()
    if process := os.fork():
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            answered, modules = _received(pipe), _received(pipe)
        if os.waitpid(process, 0)[1] or answered is None or modules is None:
            return b"", []
        return answered, [name for name in modules.decode().split() if name.startswith(_OURS)]
    try:
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (reading, *range(3)):  # what is asked next, and the answers to it, are not for this file
            os.dup2(null, stream)
        answered = _answered(do, processor_seconds)
        with os.fdopen(writing, "wb") as pipe:
            _send(pipe, answered, " ".join(set(sys.modules) - before).encode())
        os._exit(0)
    finally:
        os._exit(1)


def _answered(do: Callable[[], bytes], processor_seconds: int) -> bytes:
    try:
        _bound(processor_seconds)
        return _READ + do()
    except (CitescoutError, MemoryError, RecursionError) as error:
        deep = "brackets, or other parts of it, are nested too deep" if isinstance(error, RecursionError) else ""
        reason = deep or str(error)  # without one, the memory was not enough
        return _REFUSED + reason.encode() if reason else b""
    except Exception as error:  # noqa: BLE001 - who asked says so
        return _FAILED + format_exception_only(error)[-1].strip().encode("utf-8", "replace")


def _send(stream: IO[bytes], *parts: bytes) -> None:
    for part in parts:
        stream.write(len(part).to_bytes(_LENGTH))
        stream.write(part)
    stream.flush()


def _received(stream: IO[bytes]) -> bytes | None:
    """What was sent, None where the stream ends."""
    length = stream.read(_LENGTH)
    part = stream.read(int.from_bytes(length))
    return part if len(length) == _LENGTH and len(part) == int.from_bytes(length) else None


def _bound(processor_seconds: int) -> None:
    """Give up the right to take more; Windows knows no such limits, and there the caller's patience is the bound."""
    try:
        import resource
    except ImportError:
        return
    for kind, most in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_CPU, processor_seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        held = resource.getrlimit(kind)[1]
        bound = most if held == resource.RLIM_INFINITY else min(most, held)
        try:
            resource.setrlimit(kind, (bound, bound))
        except ValueError:  # macOS refuses every bound on addresses, since a process has more from its start
            if sys.platform != "darwin" or kind != resource.RLIMIT_AS:
                raise
