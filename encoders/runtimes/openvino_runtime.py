"""Inference through OpenVINO: several times torch's speed on a CPU, in bf16 where the processor has it."""

from __future__ import annotations

import contextlib
import io
import logging
import threading
import warnings
from collections.abc import Iterable

import numpy as np
import torch

from common.cpu import compute_threads
from encoders.batching import TokenBatch
from encoders.runtimes.base import Consumer

_REQUESTS_IN_FLIGHT = 8


class OpenVinoRuntime:
    """A torch module converted in memory, with dynamic shapes; no exporter and no file in between."""

    name = "openvino"

    def __init__(self, module: torch.nn.Module, example: TokenBatch, exact: bool = False) -> None:
        import openvino

        inputs = {name: torch.from_numpy(array) for name, array in example.inputs.items()}
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            # Tracing warns about Python values that it freezes; the parity test holds the result against torch.
            warnings.simplefilter("ignore")
            level = logging.getLogger("transformers").level
            logging.getLogger("transformers").setLevel(logging.ERROR)
            model = openvino.convert_model(module.eval(), example_input=inputs)
            logging.getLogger("transformers").setLevel(level)
        core = openvino.Core()
        bf16 = not exact and "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
        compiled = core.compile_model(
            model,
            "CPU",
            {
                "PERFORMANCE_HINT": "THROUGHPUT",
                "INFERENCE_PRECISION_HINT": "bf16" if bf16 else "f32",
                "INFERENCE_NUM_THREADS": compute_threads(),
            },
        )
        self.precision = "bf16" if bf16 else "f32"
        self._queue = openvino.AsyncInferQueue(compiled, _REQUESTS_IN_FLIGHT)
        self._names = [port.get_any_name() for port in compiled.inputs]
        self._lock = threading.Lock()  # one queue, one callback: concurrent callers take turns

    def run(self, batches: Iterable[TokenBatch], consume: Consumer) -> None:
        """See `Runtime.run`. `consume` is called from OpenVINO's threads, one call at a time."""
        turn = threading.Lock()
        failures: list[BaseException] = []

        def finished(request: object, batch: TokenBatch) -> None:
            output = np.array(request.get_output_tensor(0).data, np.float32)  # type: ignore[attr-defined]
            try:
                with turn:
                    consume(batch, output)
            except BaseException as error:  # noqa: BLE001 - an exception must not cross into OpenVINO's threads
                failures.append(error)

        with self._lock:
            self._queue.set_callback(finished)
            for batch in batches:
                self._queue.start_async({name: batch.inputs[name] for name in self._names}, batch)
            self._queue.wait_all()
        if failures:
            raise failures[0]
