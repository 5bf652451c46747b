"""Inference through OpenVINO: several times torch's speed on a CPU, in bf16 where the processor has it."""

import threading
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from common.cpu import compute_threads
from encoders.batching import TokenBatch
from encoders.runtimes.base import Consumer

_REQUESTS_IN_FLIGHT = 8


class OpenVinoRuntime:
    """A model on the CPU."""

    def __init__(self, model: Any, exact: bool = False) -> None:
        """Compile an `openvino.Model`, or the IR at a path."""
        import openvino

        core = openvino.Core()
        bf16 = not exact and "BF16" in core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
        compiled = core.compile_model(
            core.read_model(model) if isinstance(model, Path) else model,
            "CPU",
            {
                "PERFORMANCE_HINT": "THROUGHPUT",
                "INFERENCE_PRECISION_HINT": "bf16" if bf16 else "f32",
                "INFERENCE_NUM_THREADS": compute_threads(),
                # Else the threads of every process are pinned to the same first cores.
                "ENABLE_CPU_PINNING": False,
            },
        )
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
            try:
                for batch in batches:
                    self._queue.start_async({name: batch.inputs[name] for name in self._names}, batch)
            finally:  # a thread of OpenVINO's that calls into a Python that is ending would abort the process
                self._queue.wait_all()
        if failures:
            raise failures[0]
