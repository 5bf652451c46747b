"""Models converted once, for every later process of this user: OpenVINO's IR in fp32, and the tokenizer beside it.

To convert takes torch, transformers and ten seconds of a core; to read what is converted, half a second and neither.
A conversion is found by the model's own files: other weights, or another OpenVINO, are another one. What nobody has
used for half a year goes when the next one is made. OpenVINO's cache of compiled models is not used: it takes damaged
weights without a word, and as much disk again, for .2 seconds.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Container, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.cache import long_unused, user_cache
from common.errors import ModelError, os_errors
from common.files import folder_made, sha256
from encoders.runtimes.base import Runtime
from encoders.tokens import Tokens

if TYPE_CHECKING:
    import torch

    from encoders.batching import TokenBatch

log = logging.getLogger(__name__)

FORMAT = 2  # of what is written here: another number makes all conversions again
_RECORD, _TOKENIZER = "converted.json", "tokenizer.json"
_READ = {".json", ".txt", ".model", ".safetensors", ".bin"}  # endings of the files that a model is loaded from


@dataclass(frozen=True, slots=True)
class Converted:
    """A model that needs neither torch nor transformers."""

    folder: Path
    record: Mapping[str, Any]  # what was written of it
    tokenizer: Tokens

    def runtime(self, network: str = "model", exact: bool = False) -> Runtime:
        """One of its networks, ready to run; see `encoders.runtimes.make_runtime`."""
        from encoders.runtimes.openvino_runtime import OpenVinoRuntime

        return OpenVinoRuntime(self.folder / f"{network}.xml", exact)


def add_network(folder: Path, module: torch.nn.Module, example: TokenBatch, network: str = "model") -> None:
    """Write a network of a model that is being converted, before `add_record`."""
    import openvino

    from encoders.runtimes.torch_runtime import to_openvino

    model = to_openvino(module, example)
    try:
        openvino.save_model(model, folder / f"{network}.xml", compress_to_fp16=False)
    except RuntimeError as error:  # as of a full disk, which it does not name
        raise OSError(f"OpenVINO could not write it: {str(error).splitlines()[0]}") from None


def add_record(folder: Path, tokenizer: Tokens, record: Mapping[str, Any]) -> None:
    """Write the tokenizer, and what else is to be known of the model, as JSON has it."""
    (folder / _TOKENIZER).write_text(tokenizer.core, "utf-8")
    files = {path.name: _state(path) | {"sha256": sha256(path)} for path in sorted(folder.iterdir())}
    content = {"files": files, "tokenizer": tokenizer.facts, "record": dict(record)}
    (folder / _RECORD).write_text(json.dumps({"sha256": _sum(content), "content": content}), "utf-8")


def converted(identity: str, convert: Callable[[Path], None]) -> Converted:
    """The conversion of what `identity` names, made by `convert` in a folder where there is none yet, or a damaged one.

    Raises:
        ModelError: what `convert` raises, or there is room neither in the cache nor among temporary files.
    """
    import openvino

    key = hashlib.sha256(f"{FORMAT} {openvino.__version__} {identity}".encode()).hexdigest()
    folder = user_cache() / "converted" / key[:32]
    found = _read(folder)
    if found is None:
        try:
            return _made(folder, convert)
        except OSError as error:
            log.warning(
                "converted models cannot be kept in %s (%s), which takes seconds each time: "
                "name another folder with CITESCOUT_CACHE",
                folder,
                error.strerror or error,
            )
            with os_errors(ModelError, "write the converted model to a temporary folder either, make room there"):
                own = Path(tempfile.mkdtemp(prefix="citescout-"))
                atexit.register(shutil.rmtree, own, ignore_errors=True)
                return _made(own / "converted", convert)
    with suppress(OSError):
        os.utime(folder)  # it is used
    return found


def fingerprint(folder: Path, known: Mapping[str, str] | None = None, names: Container[str] | None = None) -> str:
    """What identifies a model's folder: the SHA-256 of its files, or of those of these `names`; `known` are not read.

    Raises:
        ModelError: a file cannot be read.
    """
    known = known or {}
    try:
        files = sorted(path for path in folder.iterdir() if path.suffix in _READ and path.is_file())
        read = [path for path in files if names is None or path.name in names]
        return "\n".join(f"{path.name} {known.get(path.name) or sha256(path)}" for path in read)
    except OSError as error:
        raise ModelError(f"cannot read the model in {folder}: {error}") from None


def _made(folder: Path, convert: Callable[[Path], None]) -> Converted:
    from filelock import FileLock

    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_suffix(".lock")):  # one process converts, the others wait for it
        found = _read(folder)
        if found is None:
            if folder.exists():
                log.warning("the converted model in %s is damaged: it is made again", folder)
                shutil.rmtree(folder)
            for left in folder.parent.glob(f".{folder.name}.*"):  # by a process that was killed
                shutil.rmtree(left, ignore_errors=True)
            with folder_made(folder) as place:
                convert(place)
            found = _read(folder)
            with suppress(OSError):
                for path in long_unused(folder.parent):
                    if (path / _RECORD).exists():
                        shutil.rmtree(path, ignore_errors=True)
        if found is None:
            raise OSError(f"{folder} is not what was written")
        return found


def _read(folder: Path) -> Converted | None:
    """A conversion that is as it was written; None for any other."""
    try:
        written = json.loads((folder / _RECORD).read_bytes())
        content = written["content"]
        if written["sha256"] != _sum(content):
            return None
        if not all(_as_written(folder / name, file) for name, file in content["files"].items()):
            return None
        tokenizer = Tokens((folder / _TOKENIZER).read_text("utf-8"), content["tokenizer"])
        return Converted(folder, content["record"], tokenizer)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _state(path: Path) -> dict[str, int]:
    state = path.stat()
    return {"size": state.st_size, "changed": state.st_mtime_ns}


def _as_written(path: Path, file: Mapping[str, Any]) -> bool:
    # To read five networks takes half a second of a core: only what was touched since is read.
    return _state(path).items() <= file.items() or sha256(path) == file["sha256"]


def _sum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
