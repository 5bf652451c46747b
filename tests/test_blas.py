"""The limit on threads of linear algebra: one while anybody is within, and as many as before afterwards."""

import json

from command_line import printed_by

# In a process of its own, where no thread of another test still answers a query.
PROGRAM = """
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
import numpy
from threadpoolctl import threadpool_info, threadpool_limits
from common.blas import one_blas_thread

def threads():
    return sorted({library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"})

threadpool_limits(limits=3, user_api="blas")
found = [threads()]
with one_blas_thread():
    found.append(threads())
found.append(threads())
with suppress(KeyError), one_blas_thread():
    raise KeyError
found.append(threads())
first, second = ExitStack(), ExitStack()
first.enter_context(one_blas_thread())
second.enter_context(one_blas_thread())
first.close()
found.append(threads())
second.close()
found.append(threads())
with ThreadPoolExecutor(1) as other:  # while the main thread, which set the limit first, goes on
    entered = other.submit(first.enter_context, one_blas_thread())
    entered.result()
    found.append(threads())
    with one_blas_thread():  # and is the last to leave
        other.submit(first.close).result()
        found.append(threads())
found.append(threads())
print(json.dumps(found))
"""


def test_one_thread_while_anybody_is_within_and_as_many_as_before_afterwards():
    threads = json.loads(printed_by(PROGRAM))
    before, within, after, after_an_error, one_has_left, both_have, another, this_one, none = threads
    assert before == after == after_an_error == both_have == none == [3]
    assert within == one_has_left == another == this_one == [1]
