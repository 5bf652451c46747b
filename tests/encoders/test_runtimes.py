"""What a runtime does when those who use it fail in the middle, on one of its own threads."""

import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from transformers import AutoModel

from encoders.batching import TokenBatch, model_batches
from encoders.runtimes import make_runtime

TOKENIZER = SimpleNamespace(pad_token_id=0, model_input_names=["token_type_ids"])
ROWS = [[2, 7 + row, 9, 3] for row in range(6)]


class Full(Exception):
    pass


class LastStates(torch.nn.Module):
    """The network as runtimes take it: named arrays in, one tensor out."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.model = AutoModel.from_pretrained(folder)

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor, token_type_ids: torch.Tensor):
        return self.model(input_ids, attention_mask, token_type_ids, return_dict=False)[0]


@pytest.mark.parametrize("name", ["torch", "openvino"])
def test_a_failure_of_the_consumer_reaches_the_caller_and_the_runtime_goes_on(tiny_bert, name):
    model = LastStates(tiny_bert).eval()
    batches = list(model_batches(TOKENIZER, ROWS, 2))
    runtime = make_runtime(model, batches[0], name)

    def failing(batch: TokenBatch, _output: np.ndarray) -> None:
        if 3 in batch.rows:
            raise Full("no room for row 3")

    with pytest.raises(Full, match="no room for row 3"):
        runtime.run(batches, failing)
    found: dict[int, np.ndarray] = {}
    runtime.run(batches, lambda batch, output: found.update(zip(batch.rows.tolist(), output.copy(), strict=True)))
    assert sorted(found) == list(range(6))
    for row, ids in enumerate(ROWS):
        with torch.no_grad():
            expected = model.model(torch.tensor([ids]))[0][0].numpy().ravel()
        own = found[row][: len(ids)].ravel()
        assert own @ expected > 0.99 * np.linalg.norm(own) * np.linalg.norm(expected)  # bf16 where the processor has it


@pytest.mark.parametrize("name", ["torch", "openvino"])
def test_nothing_runs_any_more_where_batches_stop_coming(tiny_bert, name):
    batches = list(model_batches(TOKENIZER, ROWS, 2))
    runtime = make_runtime(LastStates(tiny_bert).eval(), batches[0], name)
    begun, done = 0, 0

    def interrupted():
        nonlocal begun
        for batch in batches:
            begun += 1
            yield batch
        raise KeyboardInterrupt

    def consume(_batch: TokenBatch, _output: np.ndarray) -> None:
        nonlocal done
        time.sleep(0.1)
        done += 1

    with pytest.raises(KeyboardInterrupt):
        runtime.run(interrupted(), consume)
    assert done == begun > 0


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads' cores are read from /proc")
def test_no_thread_is_tied_to_a_core(tiny_bert, monkeypatch):
    """Processes that encode side by side would all be tied to the same first ones."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    batches = list(model_batches(TOKENIZER, [[2, *[7] * 60, 3]] * 4000, 200))
    runtime = make_runtime(LastStates(tiny_bert).eval(), batches[0], "openvino")
    cores: set[frozenset[int]] = set()
    ended = threading.Event()

    def watch() -> None:
        while not ended.is_set():
            for task in Path("/proc/self/task").iterdir():
                with suppress(ProcessLookupError):  # it ended meanwhile
                    cores.add(frozenset(os.sched_getaffinity(int(task.name))))

    watching = threading.Thread(target=watch)
    watching.start()
    runtime.run(batches, lambda _batch, _output: None)
    ended.set()
    watching.join()
    assert cores == {frozenset(os.sched_getaffinity(0))}
