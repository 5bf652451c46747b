"""A training run on disk, in one safetensors file that is replaced in one step; nothing is ever pickled.

A run whose randomness is drawn from its seed and the number of the step needs no more than this to go on as if it had
never stopped, bit for bit.
"""

import errno
import hashlib
import json
import logging
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from common.errors import TrainingError, os_errors
from common.files import alone_with, sync
from encoders.pooled import hash_weights
from rerank.reranking import CHECKPOINT
from training.settings import TrainingSettings

log = logging.getLogger(__name__)

FILE = CHECKPOINT
_PARTIAL = f"{FILE}.partial"
_FORMAT = "3"
_OPTIMIZER = "optimizer"


@dataclass(frozen=True, slots=True)
class Position:
    """Where a run is, and how it went."""

    step: int = 0  # steps that are done
    evaluations: tuple[tuple[int, float], ...] = ()  # (after how many steps, how good: higher is better)

    @property
    def best(self) -> tuple[int, float]:
        """The first of the best evaluations."""
        return max(self.evaluations, key=lambda one: one[1])

    def worse(self, after: float = -1) -> int:
        """Evaluations since the best one that were later than `after` so many steps."""
        return sum(step > max(after, self.best[0]) for step, _ in self.evaluations) if self.evaluations else 0


def fingerprint(settings: TrainingSettings, *parts: object) -> str:
    """What two runs must share for one to go on where the other was: settings, base, data."""
    # How often checkpoints are made changes nothing of the result.
    parts_hashed = (replace(settings, checkpoint_every=0), *parts)
    return hashlib.sha256("\n".join(map(str, parts_hashed)).encode()).hexdigest()


def weights_digest(tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 of what a run starts from: another model may come to stand under the name of the base."""
    digest = hashlib.sha256()
    hash_weights(digest, tensors)
    return digest.hexdigest()


def save_checkpoint(folder: Path, tensors: Mapping[str, Tensor], position: Position, run: str) -> None:
    """Write the checkpoint of the run with fingerprint `run`; a reader, or a crash, meets the old one or this one.

    Raises:
        TrainingError: see `written_into`.
    """
    from safetensors.torch import save_file

    partial = folder / _PARTIAL
    content = {name: tensor.detach().cpu().contiguous().clone() for name, tensor in tensors.items()}
    with written_into(folder):
        folder.mkdir(parents=True, exist_ok=True)
        save_file(content, partial, {"format": _FORMAT, "position": json.dumps(asdict(position)), "run": run})
        sync(partial)
        partial.replace(folder / FILE)
        sync(folder)


@contextmanager
def written_into(folder: Path) -> Iterator[None]:
    """Let what cannot be written into a run's folder end as one line: safetensors has an error of its own for it.

    Raises:
        TrainingError: the disk is full, or the system refuses it otherwise.
    """
    from safetensors import SafetensorError

    try:
        with os_errors(TrainingError, f"write into {folder}"):
            yield
    except SafetensorError as error:
        raise TrainingError(f"cannot write into {folder}: {error}") from None


def load_checkpoint(folder: Path, run: str) -> tuple[dict[str, Tensor], Position] | None:
    """Tensors and position of the checkpoint in `folder`; None where there is none, or one of no step.

    Raises:
        TrainingError: it is damaged, of another version, or of another run.
    """
    from safetensors import SafetensorError, safe_open

    path = folder / FILE
    if not path.is_file():
        return None
    try:
        with safe_open(path, "pt") as file:
            about = file.metadata() or {}
            if about.get("format") != _FORMAT:
                raise TrainingError(f"{path} was written by another version of citescout: remove it and start again")
            content, made_by = json.loads(about["position"]), about["run"]
            evaluations = tuple((int(step), float(quality)) for step, quality in content["evaluations"])
            position = Position(int(content["step"]), evaluations)
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise TrainingError(f"{path} is damaged ({error}): remove it and start again") from None
    if made_by != run:
        raise TrainingError(
            f"{path} belongs to a run with other settings, another base or other papers: give the same options, "
            "or remove it and start again"
        )
    return (tensors, position) if position.step else None


def check_folder(folder: Path, resume: bool) -> None:
    """Refuse to write over the checkpoint of an unfinished run, before any work.

    Raises:
        TrainingError: there is one, and it is not to be resumed; or the folder is a file.
    """
    if folder.is_file():
        raise TrainingError(f"{folder} is a file: give a folder for the model")
    if (folder / FILE).exists() and not resume:
        raise TrainingError(f"{folder} holds the checkpoint of an unfinished run: --resume it, or remove {FILE}")


def check_out(folder: Path, resume: bool) -> None:
    """Refuse a folder for a new model that holds something else, before any work.

    Raises:
        TrainingError: it holds a model that no run with a checkpoint there is making, or see `check_folder`.
    """
    check_folder(folder, resume)
    if (folder / "config.json").exists() and not (folder / FILE).exists():
        raise TrainingError(f"{folder} holds a model already: give another folder, or delete it")


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Train into `folder` as the one process that does: others would replace its checkpoint, and the model at the end.

    Raises:
        TrainingError: another process trains into it, or see `written_into`.
    """
    busy = TrainingError(f"another process is training into {folder}: wait for it to end, or give another folder")
    made = [one for one in (folder, *folder.absolute().parents) if not one.exists()]
    try:
        with ExitStack() as alone:
            with written_into(folder):
                folder.mkdir(parents=True, exist_ok=True)
                lock = folder / "training.lock"
                try:
                    alone.enter_context(alone_with(lock, busy))
                except OSError as error:
                    if error.errno != errno.ENOLCK:  # network file systems of clusters often have none
                        raise
                    lock.unlink(missing_ok=True)
                    log.warning("%s cannot be locked: nothing keeps another process from training into it", folder)
            yield
    finally:
        with suppress(OSError):
            for one in made:
                one.rmdir()  # if it is empty: the run failed before it wrote anything


def mark_unfinished(folder: Path, run: str) -> None:
    """Have a checkpoint, if only of no step, where a model is about to be kept that is not the last of its run.

    Raises:
        TrainingError: see `written_into`.
    """
    if not (folder / FILE).exists():
        save_checkpoint(folder, {}, Position(), run)


def remove_checkpoint(folder: Path) -> None:
    """For when the model is saved; what was being written when a process was killed goes, too."""
    for name in (FILE, _PARTIAL):
        (folder / name).unlink(missing_ok=True)


def save_weights(model: Any, folder: Path) -> None:
    """As transformers does, for all to read: safetensors lets nobody else read what it writes."""
    model.save_pretrained(folder, safe_serialization=True)
    for file in folder.glob("model*.safetensors"):
        file.chmod(0o644)


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
