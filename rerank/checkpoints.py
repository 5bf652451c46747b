"""A training run on disk, in one safetensors file that is replaced in one step; nothing is ever pickled."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from torch import Tensor

from common.errors import TrainingError
from common.files import sync
from rerank.training_lists import TrainingList

FILE = "checkpoint.safetensors"


@dataclass(frozen=True, slots=True)
class Position:
    """Where a run is."""

    step: int = 0  # steps that are done
    best: float = -1.0  # F1@20 of the model that is kept; below 0 while there is none
    best_step: int = 0
    worse: int = 0  # evaluations since


def fingerprint(settings: Any, base: str, lists: Sequence[TrainingList]) -> str:
    """What two runs must share for one to go on where the other was: settings, base, queries, candidates, labels."""
    digest = hashlib.sha256(f"{settings!r}\n{base}\n".encode())
    for one in lists:
        digest.update(repr((one.query, [text.title for text in one.candidates], one.labels)).encode("utf-8", "replace"))
    return digest.hexdigest()


def save_checkpoint(folder: Path, tensors: Mapping[str, Tensor], position: Position, run: str) -> None:
    """Write the checkpoint of the run with fingerprint `run`; a reader, or a crash, meets the old one or this one."""
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / (FILE + ".partial")
    content = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    save_file(content, partial, {"position": json.dumps(asdict(position)), "run": run})
    sync(partial)
    partial.replace(folder / FILE)
    sync(folder)


def load_checkpoint(folder: Path, run: str) -> tuple[dict[str, Tensor], Position] | None:
    """Tensors and position of the checkpoint in `folder`; None where there is none.

    Raises:
        TrainingError: it is damaged, or of another run.
    """
    from safetensors import SafetensorError, safe_open

    path = folder / FILE
    if not path.is_file():
        return None
    try:
        with safe_open(path, "pt") as file:
            notes = file.metadata() or {}
            content = json.loads(notes["position"])
            position = Position(**{field.name: content[field.name] for field in fields(Position)})
            made_by = notes["run"]
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"{path} is damaged ({error}): remove it and start again") from None
    if made_by != run:
        raise TrainingError(
            f"{path} belongs to a run with other settings, another base or other papers: give the same options, "
            "or remove it and start again"
        )
    return tensors, position
