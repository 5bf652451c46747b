"""Which files hold a model's weights, whatever its authors published, and whether they are what they should be.

`pytorch_model.bin` is a pickle. transformers reads it by torch's restricted unpickler (`weights_only=True`; its last
known hole was closed in 2.6), which makes tensors of it and nothing else.
"""

import json
import pickle
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from safetensors import SafetensorError, safe_open

from common.errors import ModelError, brief
from common.files import sha256

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


def check_weights(folder: Path, name: str, published: Mapping[str, str]) -> None:
    """Look at the weights of the model in `folder`; `published` has SHA-256 of files, which those there must have.

    Raises:
        ModelError: there are no usable weights, they are damaged, or not the published ones.
    """
    files = weight_files(folder)
    if not files:
        raise no_weights(name, str(folder), [path.name for path in folder.iterdir()])
    _check_published(folder, name, published, files)
    for file in files:
        if file.suffix == ".safetensors":
            _check_safetensors(file, name)


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


def check_pickles(folder: Path, name: str) -> None:
    """Look for what is wrong with pickled weights in `folder`, once a model with such could not be loaded.

    Raises:
        ModelError: one is damaged, or asks for more than tensors.
    """
    import torch

    for file in weight_files(folder):
        if file.suffix == ".safetensors":
            continue
        try:
            torch.load(file, map_location="cpu", weights_only=True)
        except Exception as error:  # noqa: BLE001 - a damaged pickle ends in any of a dozen kinds
            asked = re.search(r"(?:GLOBAL|class|function|instruction:?) ([\w.]+)", str(error))
            if asked is None or not isinstance(error, pickle.UnpicklingError):
                raise _damaged(file, name, error) from None
            raise ModelError(
                f"the weights of '{name}' are refused: {file} is a pickle that holds more than tensors (it asks for "
                f"{asked[1]}), and loading it could run any code"
            ) from None


def _check_safetensors(file: Path, name: str) -> None:
    try:
        with safe_open(file, "pt") as opened:
            opened.keys()
    except (SafetensorError, OSError) as error:
        raise _damaged(file, name, error) from None


def _damaged(file: Path, name: str, error: Exception) -> ModelError:
    return ModelError(f"the weights of '{name}' are damaged: {file} cannot be read ({brief(error)})")
