"""The limit on threads of linear algebra: one while anybody is within, and as many as before afterwards."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from common.blas import one_blas_thread


def threads() -> set[int]:
    """Of NumPy's library: others come and go with what else is imported."""
    return {library["num_threads"] for library in threadpool_info() if "numpy" in library["filepath"]}


@pytest.fixture(autouse=True)
def three_threads() -> Iterator[Any]:
    np.ones((2, 2)) @ np.ones((2, 2))  # the library is there
    with threadpool_limits(limits=3, user_api="blas"):
        yield


def test_one_thread_within_and_as_many_as_before_afterwards():
    with one_blas_thread():
        assert threads() == {1}
    assert threads() == {3}


def test_an_error_within_lifts_the_limit():
    with pytest.raises(KeyError), one_blas_thread():
        raise KeyError
    assert threads() == {3}


def test_whoever_leaves_first_takes_the_limit_from_nobody():
    first, second = ExitStack(), ExitStack()
    first.enter_context(one_blas_thread())
    second.enter_context(one_blas_thread())
    first.close()
    assert threads() == {1}
    second.close()
    assert threads() == {3}
