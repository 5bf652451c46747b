"""Work in processes of its own."""

from __future__ import annotations

import gc
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

Job = TypeVar("Job")
Result = TypeVar("Result")

_WAITING = 3  # jobs a process that are done or wait
_COLLECTED = 50_000  # objects that were made and not freed, after which Python looks for garbage among them


def collect_less() -> None:
    """Have Python look for garbage less often in this process.

    Most of what a command makes as it starts stays until it ends, and records of papers hold no circles: looking takes
    a twentieth of the time to a first list, and as much of a build.
    """
    gc.set_threshold(_COLLECTED)


def module_path() -> str:
    """The PYTHONPATH with which another interpreter finds the modules of this one.

    It is to be run with -P: else a `cli.py` or an `indexer` folder in the folder where it starts comes before ours.
    """
    return os.pathsep.join([str(Path(__file__).parents[1]), *filter(None, sys.path)])


@contextmanager
def environment(variables: Mapping[str, str | None]) -> Iterator[None]:
    """Environment variables of this process within, None for one that is not there; afterwards they are as before."""
    before = {name: os.environ.get(name) for name in variables}
    _set(variables)
    try:
        yield
    finally:
        _set(before)


def _set(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def in_processes(
    work: Callable[[Job], Result], jobs: Iterable[Job], processes: int, prepare: Callable[[], object] | None = None
) -> Iterator[Result]:
    """What `work` makes of each job, in their order, by so many processes, each of which begins with `prepare`.

    With one, it is this process. Others are spawned, because Java does not survive a fork: `work`, jobs and results
    are pickled. Jobs are taken as they are needed, so that there may be more than fit memory.
    """
    if processes > 1:
        with _pool(processes, prepare) as pool:
            waiting: deque[Future[Result]] = deque()
            for job in jobs:
                waiting.append(pool.submit(work, job))
                if len(waiting) == _WAITING * processes:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
    else:
        if prepare:
            prepare()
        yield from map(work, jobs)


def _pool(processes: int, prepare: Callable[[], object] | None) -> ProcessPoolExecutor:
    # Not imported before: most processes start no other, and one that reads a chapter takes as long for it.
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(processes, get_context("spawn"), _begin, (prepare,))


def _begin(prepare: Callable[[], object] | None) -> None:
    # Who is killed ends nothing that they have started, and the pool's processes would wait for them for ever.
    Thread(target=_end_with_parent, daemon=True).start()
    collect_less()
    if prepare:
        prepare()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent:
        parent.join()
        os._exit(1)
