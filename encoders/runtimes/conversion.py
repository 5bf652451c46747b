"""torch modules → OpenVINO models, with dynamic shapes; no exporter and no file in between."""

import contextlib
import io
import logging
import warnings
from typing import Any

import torch

from encoders.batching import TokenBatch


def to_openvino(module: torch.nn.Module, example: TokenBatch) -> Any:
    """The `openvino.Model` of a module that takes keyword inputs as in `example`, one tensor out."""
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
