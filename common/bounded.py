"""Files that anybody may have made are parsed in a process of their own, which is bounded and may be killed."""

import os
import subprocess
import sys
from collections.abc import Callable

from common.errors import CitescoutError, SourceError
from common.processes import module_path

MEMORY = 1 << 30  # bytes
PROCESSOR_SECONDS = 8  # of what strangers may hand over
_REFUSED = 3  # exit code of the process where the file is to blame
_LONGEST_REASON = 300  # characters


def parsed(module: str, arguments: tuple[str, ...], data: bytes, patience: float) -> bytes:
    """What `python -m module` makes of `data` in so many seconds; its main function calls `answer`.

    Raises:
        SourceError: the file is refused, or takes too much time or memory, or reading it fails.
    """
    # No secrets of this process. Windows' libraries are found by its SYSTEMROOT.
    environment = {"PYTHONPATH": module_path(), "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
    environment |= {name: value for name, value in os.environ.items() if name == "SYSTEMROOT"}
    command = [sys.executable, "-P", "-m", module, *arguments]
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and module; the file comes as input
            command, input=data, capture_output=True, timeout=patience, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        # Its own work ends earlier, by `PROCESSOR_SECONDS`.
        raise SourceError("the file takes too long to read: try again when this computer is less busy") from None
    except OSError as error:  # as another user, who may not run this interpreter
        raise SourceError(f"cannot start {sys.executable}, which would read the file: {error.strerror}") from None
    said = "".join(done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:])[:_LONGEST_REASON]
    if done.returncode > 0 and said:
        raise SourceError(said if done.returncode == _REFUSED else f"an error of citescout, not of the file: {said}")
    if done.returncode:  # it was killed
        raise SourceError("the file takes too much time or memory to read")
    return done.stdout


def answer(work: Callable[[], bytes], processor_seconds: int = PROCESSOR_SECONDS) -> None:
    """Write to standard output what `work` gives, within the bounds, and within those of who started the process.

    What the file's maker did wrong is one line on standard error, and an exit code of its own.
    """
    _bound(processor_seconds)
    try:
        result = work()
    except (CitescoutError, MemoryError, RecursionError) as error:
        deep = "brackets, or other parts of it, are nested too deep" if isinstance(error, RecursionError) else ""
        sys.stderr.write(f"{deep or error or 'it takes too much memory'}\n")
        sys.exit(_REFUSED)
    sys.stdout.buffer.write(result)


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
