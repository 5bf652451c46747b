"""The one thing that a runtime does, and which one "auto" stands for."""

import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from encoders.batching import TokenBatch

RuntimeName = Literal["auto", "torch", "openvino"]
Consumer = Callable[[TokenBatch, NDArray[np.float32]], None]

# One of these is there where a driver for torch's CUDA devices is: NVIDIA's, its embedded one, that of Windows for
# its Linux, AMD's.
_DRIVERS = ("/dev/nvidiactl", "/dev/nvmap", "/dev/dxg", "/dev/kfd")


class Runtime(Protocol):
    """A model ready to run."""

    def run(self, batches: Iterable[TokenBatch], consume: Consumer) -> None:
        """Run every batch and hand its output, float32 with the batch as first axis, to `consume`.

        Batches may come back in any order, one at a time.
        """


@cache
def has_gpu() -> bool:
    """Whether torch has a CUDA device; it is imported, which takes seconds, only where there may be one."""
    if sys.platform == "darwin" or (sys.platform == "linux" and not any(Path(path).exists() for path in _DRIVERS)):
        return False
    import torch

    return torch.cuda.is_available()


def chosen(name: RuntimeName, exact: bool = False) -> Literal["torch", "openvino"]:
    """The runtime that "auto" stands for: torch on a CUDA device, but for what is `exact`; else OpenVINO if there."""
    if name != "auto":
        return name
    return "openvino" if find_spec("openvino") and (exact or not has_gpu()) else "torch"


def outputs(runtime: Runtime, batches: Iterable[TokenBatch], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """What a runtime makes of all batches, an array of that shape, each in the rows that it is of."""
    found = np.zeros(shape, np.float32)

    def store(batch: TokenBatch, made: NDArray[np.float32]) -> None:
        found[batch.rows] = made

    runtime.run(batches, store)
    return found


def output(runtime: Runtime, inputs: Mapping[str, NDArray[Any]]) -> NDArray[np.float32]:
    """What a runtime makes of one batch."""
    found: list[NDArray[np.float32]] = []
    runtime.run([TokenBatch(np.zeros(1, np.int64), dict(inputs))], lambda _, made: found.append(made))
    return found[0]
