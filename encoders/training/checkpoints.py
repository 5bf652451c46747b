"""Checkpoints: all that a run needs to go on as if it had never stopped, bit for bit."""

from __future__ import annotations

import io
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from common.errors import TrainingError
from common.files import write_atomically

FILE = "checkpoint.pt"


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A run after some steps."""

    fingerprint: str  # of base, settings and data
    step: int  # steps done
    model: dict[str, Any]
    optimizer: dict[str, Any]
    generators: list[Any]  # states of torch's, on the CPU and on every CUDA device
    before: float  # validation accuracy before the first step; not a number without validation


def save_checkpoint(folder: Path, checkpoint: Checkpoint) -> None:
    """Write `FILE` into `folder`; a crash leaves the one before."""
    buffer = io.BytesIO()
    torch.save({name: getattr(checkpoint, name) for name in Checkpoint.__slots__}, buffer)
    write_atomically(folder / FILE, buffer.getvalue())


def load_checkpoint(folder: Path, fingerprint: str) -> Checkpoint | None:
    """The checkpoint in `folder`, None if there is none.

    Raises:
        TrainingError: it is damaged, or of a run with another base, other settings or other data.
    """
    path = folder / FILE
    if not path.exists():
        return None
    try:
        found = Checkpoint(**torch.load(path, map_location="cpu", weights_only=True))
    except (OSError, RuntimeError, EOFError, TypeError, pickle.UnpicklingError) as error:
        reason = " ".join(str(error).split())[:100]
        raise TrainingError(f"{path} is damaged ({reason}): train without --resume") from None
    if found.fingerprint != fingerprint:
        raise TrainingError(
            f"{path} is of a run with another base model, other settings or other data: "
            "give the same options as then, or train without --resume"
        )
    return found


def generator_states() -> list[Any]:
    """What `restore_generators` needs."""
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    return [torch.get_rng_state(), *cuda]


def restore_generators(states: list[Any]) -> None:
    """Put torch's generators back where they were."""
    torch.set_rng_state(states[0])
    if torch.cuda.is_available() and len(states) > 1:
        torch.cuda.set_rng_state_all(states[1:])
