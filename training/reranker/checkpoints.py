"""Where a reranker's training run is, and which runs are the same; see `training.checkpoints`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from torch import Tensor

from training import checkpoints
from training.checkpoints import FILE, damage_named
from training.reranker.lists import TrainingLists

__all__ = ["FILE", "Position", "fingerprint", "load_checkpoint", "save_checkpoint"]


@dataclass(frozen=True, slots=True)
class Position:
    """Where a run is."""

    step: int = 0  # steps that are done
    best: float = -1.0  # F1@20 of the model that is kept; below 0 while there is none
    best_step: int = 0
    worse: int = 0  # evaluations since


def fingerprint(settings: Any, base: str, lists: Iterable[TrainingLists]) -> str:
    """What two runs must share for one to go on where the other was: settings, base, queries, candidates, labels."""
    parts = (f"{settings!r}", base, *(one.digest for one in lists))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def save_checkpoint(folder: Path, tensors: Mapping[str, Tensor], position: Position, run: str) -> None:
    """Write the checkpoint of the run with fingerprint `run`."""
    checkpoints.save_checkpoint(folder, tensors, asdict(position), run)


def load_checkpoint(folder: Path, run: str) -> tuple[dict[str, Tensor], Position] | None:
    """Tensors and position of the checkpoint in `folder`; None where there is none.

    Raises:
        TrainingError: it is damaged, or of another run.
    """
    found = checkpoints.load_checkpoint(folder, run)
    if found is None:
        return None
    with damage_named(folder / FILE):
        return found[0], Position(**{field.name: found[1][field.name] for field in fields(Position)})
