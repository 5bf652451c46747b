"""Work in processes of its own: in order, prepared, and with nothing left in this one."""

import os
from functools import partial

import pytest

from common.processes import in_own_process, in_processes

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


def test_a_process_of_its_own_ends_with_its_work():
    assert in_own_process(os.getpid) != os.getpid()
