"""A model's weights as safetensors, whatever its authors published.

`pytorch_model.bin` is a pickle. torch's restricted unpickler (`weights_only=True`; its last known hole was closed in
2.6) makes tensors of it and nothing else, once: the safetensors stay in the user's cache under the file's SHA-256.
"""

from __future__ import annotations

import hashlib
import json
import logging
import pickle
import re
import tempfile
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from safetensors import SafetensorError, safe_open

from common.cache import user_cache
from common.errors import ModelError, brief
from common.files import sha256, sync

if TYPE_CHECKING:
    import torch

log = logging.getLogger(__name__)

SAFE, PICKLE = "model.safetensors", "pytorch_model.bin"
INDEX = ".index.json"  # after either name: in which of several files a tensor is
_PART = re.compile(r"[\w-]+\.(safetensors|bin)")


def chosen_weights(names: Collection[str]) -> list[str]:
    """The files of weights to take, of all that a folder has: safetensors first, one file before several."""
    for single in (SAFE, PICKLE):
        if single in names:
            return [single]
        if single + INDEX in names:
            stem, ending = single.split(".")
            parts = re.compile(rf"{stem}-\d+-of-\d+\.{ending}")
            return [single + INDEX, *sorted(name for name in names if parts.fullmatch(name))]
    return []


def weight_files(folder: Path) -> list[Path]:
    """The files that hold a folder's tensors; empty where there are none, or not all of them.

    Raises:
        ModelError: the list of files is damaged.
    """
    names = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
    chosen = chosen_weights(names)
    if not chosen or not chosen[0].endswith(INDEX):
        return [folder / name for name in chosen]
    try:
        parts = sorted({str(part) for part in json.loads((folder / chosen[0]).read_bytes())["weight_map"].values()})
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise ModelError(f"{folder / chosen[0]} is damaged: it lists the files that the weights are in") from None
    if not all(_PART.fullmatch(part) for part in parts):
        raise ModelError(f"{folder / chosen[0]} lists files that are not weights in its own folder")
    return [folder / part for part in parts] if names.issuperset(parts) else []


def safetensors_of(folder: Path, name: str, published: Mapping[str, str] | None) -> Path:
    """A folder with the weights of the model in `folder` as safetensors: itself, or one in the user's cache.

    `published` has SHA-256 of files, which those in `folder` must have.

    Raises:
        ModelError: there are no usable weights, they are damaged, not the published ones, or want more than tensors.
    """
    files = weight_files(folder)
    if not files:
        raise no_weights(name, str(folder), [path.name for path in folder.iterdir()])
    _check_published(folder, name, published or {}, files)
    if files[0].suffix == ".safetensors":
        for file in files:
            _check_safetensors(file, name)
        return folder
    return _converted(files, name)


def no_weights(name: str, place: str, names: Collection[str]) -> ModelError:
    """The error for a place that has none of the files that are read."""
    others = sorted(file for file in names if file.endswith((".h5", ".msgpack", ".ot", ".bin", ".onnx")))
    return ModelError(
        f"the model '{name}' has no usable weights: {place} has neither {SAFE} nor {PICKLE}, nor all of their parts"
        + (f" (but {', '.join(others)})" if others else "")
    )


def _check_published(folder: Path, name: str, published: Mapping[str, str], weights: Sequence[Path]) -> None:
    needed = {path.name for path in weights}
    for file, expected in published.items():
        if ((folder / file).is_file() or file in needed) and sha256(folder / file) != expected:
            raise ModelError(
                f"{folder / file} is not what the authors of '{name}' published: its SHA-256 is not {expected}. "
                "Delete the file to download it again"
            )


def _check_safetensors(file: Path, name: str) -> None:
    try:
        with safe_open(file, "pt") as opened:
            opened.keys()
    except (SafetensorError, OSError) as error:
        raise _damaged(file, name, error) from None


def _converted(files: list[Path], name: str) -> Path:
    from safetensors.torch import save_file

    key = hashlib.sha256("".join(map(sha256, files)).encode()).hexdigest() if len(files) > 1 else sha256(files[0])
    folder = user_cache() / "safetensors" / key
    if (folder / SAFE).is_file():
        _check_safetensors(folder / SAFE, name)
        return folder
    tensors: dict[str, torch.Tensor] = {}
    for file in files:
        tensors |= _tensors(file, name)
    log.warning("converting the weights of %s to safetensors, once, in %s", name, folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder, prefix=".") as place:
            partial = Path(place) / SAFE
            save_file(_apart(tensors), partial, {"format": "pt"})
            sync(partial)
            partial.replace(folder / SAFE)
    except (OSError, SafetensorError) as error:
        raise ModelError(f"cannot keep the weights of '{name}' in {folder}: {error}") from None
    return folder


def _tensors(file: Path, name: str) -> dict[str, torch.Tensor]:
    """Name → tensor, of a pickle that has nothing else.

    Raises:
        ModelError: it has, or it is damaged.
    """
    import torch

    try:
        found = torch.load(file, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as error:
        if asked := re.search(r"(?:GLOBAL|class|function|instruction:?) ([\w.]+)", str(error)):
            raise _not_only_tensors(file, name, f"it asks for {asked[1]}") from None
        raise _damaged(file, name, error) from None
    except Exception as error:  # noqa: BLE001 - a damaged pickle ends in any of a dozen kinds
        raise _damaged(file, name, error) from None
    tensors = found if isinstance(found, dict) else {}
    plain = (
        isinstance(key, str) and isinstance(one, torch.Tensor) and one.layout is torch.strided and not one.is_quantized
        for key, one in tensors.items()
    )
    if not tensors or not all(plain):
        raise _not_only_tensors(file, name, "it is not a table of plain tensors by name")
    return dict(tensors)


def _apart(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The same, none in the memory of another: safetensors has no tied weights."""
    seen: set[int] = set()
    apart = {}
    for key, tensor in tensors.items():
        place = tensor.untyped_storage().data_ptr()
        apart[key] = tensor.clone().contiguous() if place in seen else tensor.contiguous()
        seen.add(place)
    return apart


def _not_only_tensors(file: Path, name: str, reason: str) -> ModelError:
    return ModelError(
        f"the weights of '{name}' are refused: {file} is a pickle that holds more than tensors ({reason}), "
        "and loading it could run any code"
    )


def _damaged(file: Path, name: str, error: Exception) -> ModelError:
    return ModelError(f"the weights of '{name}' are damaged: {file} cannot be read ({brief(error)})")
