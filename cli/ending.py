"""How the command ends where a signal ends it: tidied up, with one line, and with 128 + its number."""

import atexit
import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from types import FrameType

_ENDING = {signal.SIGINT: "interrupted", signal.SIGTERM: "ended by SIGTERM"}
if sys.platform != "win32":
    _ENDING[signal.SIGHUP] = "ended by SIGHUP"


@contextmanager
def ended_by_signals(last: bool) -> Iterator[None]:
    """Let the first signal unwind what is within, so that temporary files are removed, and the next end it at once.

    Python's own way out would wait for threads, print what is raised in them, and be aborted by those of Java or
    OpenVINO that call into it; and what is raised by a signal may come out as another error. Where this is the `last`
    that the process does, signals that come later change nothing.
    """
    came: list[int] = []

    def end(number: int, _frame: FrameType | None) -> None:
        came.append(number)
        if len(came) > 1:
            os._exit(_said(came[0]))
        logging.disable()  # asyncio would log the trace of what is raised here in a task of its own
        raise SystemExit(128 + number)

    if current_thread() is not main_thread():
        yield
        return
    heeded = [number for number in _ENDING if signal.getsignal(number) != signal.SIG_IGN]  # nohup ignores SIGHUP
    before = {number: signal.signal(number, end) for number in heeded}
    try:
        yield
    finally:
        if came:
            with suppress(OSError, ValueError):
                sys.stdout.flush()
            for number in heeded:
                signal.signal(number, signal.SIG_IGN)
            code = _said(came[0])
            atexit._run_exitfuncs()
            os._exit(code)
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if last else handler)


def _said(number: int) -> int:
    """The exit code of a signal, which a line has reported."""
    with suppress(OSError, ValueError):
        sys.stderr.write(f"Error: {_ENDING[signal.Signals(number)]}\n")
        sys.stderr.flush()
    return 128 + number
