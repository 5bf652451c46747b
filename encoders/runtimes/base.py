"""The one thing that a runtime does, and the choice between runtimes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib.util import find_spec
from typing import Literal, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from encoders.batching import TokenBatch

RuntimeName = Literal["auto", "torch", "openvino"]
Consumer = Callable[[TokenBatch, NDArray[np.float32]], None]


class Runtime(Protocol):
    """A model ready to run."""

    name: str

    def run(self, batches: Iterable[TokenBatch], consume: Consumer) -> None:
        """Run every batch and hand its output, float32 with the batch as first axis, to `consume`.

        Batches may come back in any order, one at a time.
        """


def make_runtime(
    module: torch.nn.Module, example: TokenBatch, name: RuntimeName = "auto", exact: bool = False
) -> Runtime:
    """Prepare `module` (keyword inputs as in `example`, one tensor out) for inference.

    With `exact` it computes in fp32 on a CPU, so that every processor gives the same up to the last bits; else in bf16
    where the processor has it, which is faster. "auto" takes a CUDA device through torch where there is one, OpenVINO
    on a CPU where it is installed, and torch otherwise.
    """
    from encoders.runtimes.torch_runtime import TorchRuntime

    if name == "auto":
        name = "openvino" if find_spec("openvino") and not torch.cuda.is_available() else "torch"
    if name == "torch":
        return TorchRuntime(module)
    from encoders.runtimes.openvino_runtime import OpenVinoRuntime

    return OpenVinoRuntime(module, example, exact)
