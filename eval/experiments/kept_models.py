"""Models that an experiment trains, some of them for days: one that was stopped goes on where it was."""

import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path

import orjson

from common.errors import SourceError
from common.files import write_atomically
from encoders.converted import fingerprint as files_of
from encoders.pretrained import model_folder
from encoders.text import Text
from training.checkpoints import FILE as CHECKPOINT
from training.checkpoints import alone_in, fingerprint, remove_checkpoint
from training.settings import TrainingSettings

_RECORD = "experiment.json"  # in the folder of a model whose training has ended


def origin(settings: TrainingSettings, base: str | None, texts: Iterable[Text], *parts: object) -> str:
    """What a model depends on, in a line: its settings, the files of its base, the texts, and whatever else."""
    read = hashlib.sha256()
    for text in texts:
        read.update(repr(tuple(text)).encode())
    files = "" if base is None else files_of(model_folder(base))
    return fingerprint(settings, base, files, read.hexdigest(), *parts)


def trained(folder: Path, made_of: str, train: Callable[[bool], str]) -> str:
    """Have a model in `folder`, and say how its training went.

    `train`, which takes whether to resume, is not called where an earlier run has made the model of the same `origin`.

    Raises:
        SourceError: the folder has a model of another origin.
        TrainingError: its checkpoint is of another origin, or another process trains into it.
    """
    record = folder / _RECORD
    unfinished = (folder / CHECKPOINT).exists()
    if record.is_file():
        known = orjson.loads(record.read_bytes())
        if known["made_of"] == made_of:
            remove_checkpoint(folder)
            return str(known["said"])
    if record.is_file() or ((folder / "config.json").exists() and not unfinished):
        raise SourceError(
            f"{folder.parent} has models of an earlier run with other options or papers: delete it, or name another "
            "folder with --out"
        )
    with alone_in(folder):
        said = train(unfinished)
        write_atomically(record, orjson.dumps({"made_of": made_of, "said": said}))
        remove_checkpoint(folder)
    return said
