"""Inference through torch: the reference that every other runtime is compared with."""

from collections.abc import Iterable

import numpy as np
import torch

from encoders.batching import TokenBatch
from encoders.runtimes.base import Consumer


class TorchRuntime:
    """fp32 on a CPU; unless it is to be exact, bf16 autocast on a CUDA device."""

    name = "torch"

    def __init__(self, module: torch.nn.Module, exact: bool = False) -> None:
        self._device = torch.device("cuda" if torch.cuda.is_available() and not exact else "cpu")
        self._module = module.eval().to(self._device)

    @torch.inference_mode()
    def run(self, batches: Iterable[TokenBatch], consume: Consumer) -> None:
        """See `Runtime.run`."""
        for batch in batches:
            inputs = {name: torch.from_numpy(array).to(self._device) for name, array in batch.inputs.items()}
            with torch.autocast(self._device.type, dtype=torch.bfloat16, enabled=self._device.type == "cuda"):
                output = self._module(**inputs)
            consume(batch, output.float().cpu().numpy().astype(np.float32, copy=False))
