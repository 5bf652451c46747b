"""Work in processes of its own: in order, prepared, and with nothing left in this one."""

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from common.processes import in_processes
from indexer.builds import build_index
from indexer.paper import Paper

_given: list[int] = []


def _give(number: int) -> None:
    _given.append(number)


def _times_given(number: int) -> tuple[int, int]:
    return number * _given[-1], os.getpid()


@pytest.mark.parametrize("processes", [1, 2])
def test_every_job_is_done_in_order_by_processes_that_were_prepared(processes):
    found = list(in_processes(_times_given, range(5), processes, partial(_give, 3)))
    assert [result for result, _ in found] == [0, 3, 6, 9, 12]
    assert ({process for _, process in found} == {os.getpid()}) == (processes == 1)


def _wait(number: int) -> None:
    sys.stdout.write(f"{os.getpid()}\n")
    sys.stdout.flush()
    time.sleep(60)


def test_processes_end_with_the_one_that_started_them_and_is_killed():
    script = "from tests.test_processes import _wait, in_processes\nlist(in_processes(_wait, [1, 2], 2))"
    root = Path(__file__).parents[1]
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=root)  # noqa: S603
    started = [int(parent.stdout.readline()) for _ in range(2)]
    assert all(map(_lives, started))
    parent.kill()
    parent.wait()
    deadline = time.monotonic() + 30
    while any(map(_lives, started)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(_lives, started))


def _lives(process: int) -> bool:
    try:
        return "zombie" not in Path(f"/proc/{process}/status").read_text(encoding="utf-8")
    except FileNotFoundError:
        return False


def test_no_more_jobs_are_taken_than_may_wait():
    taken = []
    found = in_processes(_times_given, (taken.append(n) or n for n in range(1000)), 2, partial(_give, 1))
    assert next(found)[0] == 0
    assert len(taken) < 20
    found.close()


# As multiprocessing starts processes on Linux before Python 3.14; one that waited for Java would wait for ever.
_FORKING = """
import multiprocessing, sys
from citescout import Query, Recommender
recommender = Recommender.open(sys.argv[1])
recommender.recommend(Query(title="retrieval"))

def ask(again):
    (Recommender.open(sys.argv[1]) if again else recommender).recommend(Query(title="passages"))

with multiprocessing.get_context("fork").Pool(1) as pool:
    for again in (False, True):
        try:
            pool.apply_async(ask, [again]).get(60)
        except Exception as error:
            print(type(error).__name__, error)
"""


def test_a_process_that_is_forked_after_java_has_started_is_told_and_does_not_wait(tmp_path):
    build_index([Paper("a", "Passage retrieval")], tmp_path, None)
    command = [sys.executable, "-c", _FORKING, str(tmp_path)]
    said = subprocess.run(command, capture_output=True, text=True, timeout=200, check=True)  # noqa: S603
    assert said.stdout.count("JavaError this process was forked") == 2
    assert said.stdout.count('start it with multiprocessing.get_context("spawn")') == 2


_ASKED = bytes(16)  # to read a file of no bytes, without arguments, as `parsed` asks it


def test_a_bounded_process_keeps_the_bounds_of_the_one_that_started_it() -> None:
    resource = pytest.importorskip("resource")
    code = "import resource; from common.bounded import answer; "
    code += "answer(lambda *_: str(resource.getrlimit(resource.RLIMIT_CPU)).encode(), {})"
    for seconds, bound in ((40, 8), (5, 5)):
        done = subprocess.run(  # noqa: S603 - our own code
            [sys.executable, "-c", code.format(seconds)],
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (8, 8)),
            input=_ASKED,
            capture_output=True,
            check=True,
        )
        assert done.stdout.endswith(f"={(bound, bound)}".encode())


# Windows knows no SIGHUP, opens no folder, and forces nothing to disk that was opened for reading alone.
_AS_ON_WINDOWS = """
import os, signal, sys
from pathlib import Path
import click, filelock, platformdirs  # these ask for the system as they are imported
before = os.open, os.fsync
def opened(path, flags, *rest, **named):
    if os.path.isdir(path):
        raise PermissionError(13, "Permission denied", str(path))
    return before[0](path, flags, *rest, **named)
def forced(descriptor):
    import fcntl
    if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise OSError(9, "Bad file descriptor")
    before[1](descriptor)
del signal.SIGHUP
os.open, os.fsync, sys.platform = opened, forced, "win32"
from cli.ending import ended_by_signals
from common.files import sync_tree, write_atomically
folder = Path(sys.argv[1])
with ended_by_signals(last=True):
    write_atomically(folder / "file", "text")
    sync_tree(folder)
"""


def test_files_are_written_as_windows_lets_us(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", _AS_ON_WINDOWS, str(tmp_path)], check=True)  # noqa: S603 - our own code
    assert (tmp_path / "file").read_text() == "text"


@pytest.mark.parametrize(("platform", "read"), [("darwin", True), ("linux", False)])
def test_files_are_read_where_the_system_refuses_a_bound_on_memory_and_only_there(platform: str, read: bool) -> None:
    pytest.importorskip("resource")
    code = f"""
import resource, sys
from common.bounded import answer
bounded = resource.setrlimit
def refusing(kind, bounds):
    if kind == resource.RLIMIT_AS:
        raise ValueError("current limit exceeds maximum limit")
    bounded(kind, bounds)
resource.setrlimit, sys.platform = refusing, {platform!r}
answer(lambda *_: str(resource.getrlimit(resource.RLIMIT_FSIZE)).encode())
"""
    done = subprocess.run([sys.executable, "-c", code], input=_ASKED, capture_output=True, check=True)  # noqa: S603
    assert done.stdout.endswith(b"=(0, 0)" if read else b"?ValueError: current limit exceeds maximum limit")
