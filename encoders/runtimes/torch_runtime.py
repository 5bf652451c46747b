"""Inference through torch, the reference that every other runtime is compared with; and torch modules for OpenVINO."""

import contextlib
import io
import logging
import warnings
from collections.abc import Iterable
from typing import Any

import torch

from encoders.batching import TokenBatch
from encoders.runtimes.base import Consumer


class TorchRuntime:
    """fp32 on a CPU; unless it is to be exact, bf16 autocast on a CUDA device."""

    def __init__(self, module: torch.nn.Module, exact: bool = False) -> None:
        self._device = torch.device("cuda" if torch.cuda.is_available() and not exact else "cpu")
        self._module = module.eval().to(self._device)

    @torch.inference_mode()
    def run(self, batches: Iterable[TokenBatch], consume: Consumer) -> None:
        """See `Runtime.run`."""
        for batch in batches:
            found = outputs_of(self._module, batch, self._device, bf16=self._device.type == "cuda")
            consume(batch, found.cpu().numpy())


def outputs_of(module: torch.nn.Module, batch: TokenBatch, device: torch.device, bf16: bool) -> torch.Tensor:
    """What a module on that device makes of a batch, in fp32; with `bf16` it computes in that where it does no harm."""
    inputs = {name: torch.from_numpy(array).to(device) for name, array in batch.inputs.items()}
    with torch.autocast(device.type, torch.bfloat16, enabled=bf16):
        found: torch.Tensor = module(**inputs).float()
    return found


def to_openvino(module: torch.nn.Module, example: TokenBatch) -> Any:
    """The `openvino.Model` of a module that takes keyword inputs as in `example`, one tensor out; of dynamic shapes.

    No exporter and no file stand in between.
    """
    import openvino

    inputs = {name: torch.from_numpy(array) for name, array in example.inputs.items()}
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        # Tracing warns about Python values that it freezes; the parity test holds the result against torch.
        warnings.simplefilter("ignore")
        level = logging.getLogger("transformers").level
        logging.getLogger("transformers").setLevel(logging.ERROR)
        model = openvino.convert_model(module.eval(), example_input=inputs)
        logging.getLogger("transformers").setLevel(level)
    for port in model.inputs:  # tracing adds names of its own
        port.get_tensor().set_names(port.get_names() & inputs.keys())
    return model
