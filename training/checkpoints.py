"""A training run on disk, in one safetensors file that is replaced in one step; nothing is ever pickled.

A run whose randomness is drawn from its seed and the number of the step needs no more than this to go on as if it had
never stopped, bit for bit.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from common.errors import TrainingError
from common.files import sync

FILE = "checkpoint.safetensors"
_OPTIMIZER = "optimizer"


def save_checkpoint(folder: Path, tensors: Mapping[str, Tensor], notes: Mapping[str, float], run: str) -> None:
    """Write the checkpoint of the run with fingerprint `run`; a reader, or a crash, meets the old one or this one."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / (FILE + ".partial")
    content = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    save_file(content, partial, {"position": json.dumps(dict(notes)), "run": run})
    sync(partial)
    partial.replace(folder / FILE)
    sync(folder)


@contextmanager
def damage_named(path: Path) -> Iterator[None]:
    """Raise what goes wrong while a checkpoint is read as a TrainingError that names it."""
    from safetensors import SafetensorError

    try:
        yield
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"{path} is damaged ({error}): remove it and start again") from None


def load_checkpoint(folder: Path, run: str) -> tuple[dict[str, Tensor], dict[str, Any]] | None:
    """Tensors and notes of the checkpoint in `folder`; None where there is none.

    Raises:
        TrainingError: it is damaged, or of another run.
    """
    from safetensors import safe_open

    path = folder / FILE
    if not path.is_file():
        return None
    with damage_named(path), safe_open(path, "pt") as file:
        about = file.metadata() or {}
        notes, made_by = dict(json.loads(about["position"])), about["run"]
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
    if made_by != run:
        raise TrainingError(
            f"{path} belongs to a run with other settings, another base or other papers: give the same options, "
            "or remove it and start again"
        )
    return tensors, notes


def optimizer_tensors(optimizer: torch.optim.Optimizer) -> dict[str, Tensor]:
    """An optimizer's state by names; learning rates are not in it, they follow from the number of the step."""
    state = optimizer.state_dict()["state"]
    return {f"{_OPTIMIZER}.{place}.{name}": tensor for place, one in state.items() for name, tensor in one.items()}


def load_optimizer(optimizer: torch.optim.Optimizer, tensors: Mapping[str, Tensor]) -> None:
    """The inverse of `optimizer_tensors`; other tensors are passed over."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, tensor in tensors.items():
        kind, _, rest = key.partition(".")
        if kind == _OPTIMIZER:
            place, _, name = rest.partition(".")
            state.setdefault(int(place), {})[name] = tensor
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})


def seed_step(seed: int, step: int) -> None:
    """Let torch draw what belongs to this step, whichever steps came before."""
    torch.manual_seed(int(np.random.default_rng((seed, step)).integers(2**63)))
