"""Where a model's arithmetic happens: torch everywhere, OpenVINO where it is faster."""

from __future__ import annotations

from typing import TYPE_CHECKING

from encoders.batching import TokenBatch
from encoders.runtimes.base import Runtime, RuntimeName, chosen

if TYPE_CHECKING:
    import torch

__all__ = ["Runtime", "make_runtime"]


def make_runtime(
    module: torch.nn.Module, example: TokenBatch, name: RuntimeName = "auto", exact: bool = False
) -> Runtime:
    """Prepare `module` (keyword inputs as in `example`, one tensor out) for inference, where it suits the machine.

    With `exact` it computes in fp32 on the CPU, so that every processor gives the same up to the last bits; else on a
    CUDA device in bf16, and on a CPU in bf16 where the processor has it, which is faster.
    """
    if chosen(name, exact) == "torch":
        from encoders.runtimes.torch_runtime import TorchRuntime

        return TorchRuntime(module, exact)
    from encoders.runtimes.openvino_runtime import OpenVinoRuntime
    from encoders.runtimes.torch_runtime import to_openvino

    return OpenVinoRuntime(to_openvino(module, example), exact)
