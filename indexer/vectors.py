"""Codes of document vectors, one a paper in the order of the numbers, in a flat faiss index.

At 384 dimensions and 8 bits a million papers take 384 MB and an exhaustive scan some tens of milliseconds. Every kind
of code depends on its own vector alone (the range of the 8 bits is fixed, not the one of the corpus): a paper's code
is the same whichever papers it is indexed with, so codes are appended, copied and kept without encoding again.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.errors import IndexDirectoryError

Codes = NDArray[np.uint8]  # (papers, code size in bytes)

# Half the range, in standard deviations of a unit vector's coordinate (1 / √dimension). Less clips, more is coarser;
# docs/index.md has the recall of several choices.
_HALF_RANGE = 5.0

# The system reads no more than some megabytes for one request.
_AHEAD_BYTES = 2 << 20


@dataclass(frozen=True, slots=True)
class CodeKind:
    """One way to keep a vector."""

    name: str
    bytes: int  # a coordinate
    quantiser: str | None  # faiss's name of it; None for plain 32-bit floats


KINDS = {
    kind.name: kind
    for kind in (
        CodeKind("sq8", 1, "QT_8bit_uniform"),
        CodeKind("fp16", 2, "QT_fp16"),
        CodeKind("fp32", 4, None),
    )
}
DEFAULT_KIND = "sq8"


def code_size(dimension: int, kind: str) -> int:
    """Bytes of one code."""
    return dimension * KINDS[kind].bytes


def dimension_of(codes: Codes, kind: str) -> int:
    """Dimension of the vectors that codes stand for."""
    return int(codes.shape[1]) // KINDS[kind].bytes


def quantise(vectors: NDArray[np.float32], kind: str = DEFAULT_KIND) -> Codes:
    """Codes of unit vectors of shape (n, dimension)."""
    index = empty_index(vectors.shape[1], kind)
    return np.asarray(index.sa_encode(np.ascontiguousarray(vectors, np.float32)), np.uint8)


def dequantise(codes: Codes, kind: str) -> NDArray[np.float32]:
    """The vectors that codes stand for, shape (n, dimension); their codes are `codes` again."""
    index = empty_index(dimension_of(codes, kind), kind)
    return np.asarray(index.sa_decode(np.ascontiguousarray(codes)), np.float32)


def write_codes(blocks: Sequence[Codes], path: Path, kind: str = DEFAULT_KIND) -> None:
    """Write codes, in one or more blocks of rows, as an inner-product index."""
    import faiss

    index = empty_index(dimension_of(blocks[0], kind), kind)
    for block in blocks:
        index.add_sa_codes(np.ascontiguousarray(block))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        # Its own file writer would not tell of a disk that is full when the last bytes are flushed.
        faiss.write_index(index, faiss.PyCallbackIOWriter(file.write))


def read_codes(path: Path) -> Codes:
    """What `write_codes` wrote, memory-mapped.

    Raises:
        IndexDirectoryError: the file is missing or damaged.
    """
    index = open_index(path)
    shape = (int(index.ntotal), int(index.code_size))
    # The codes are the last thing in the file.
    return np.memmap(path, np.uint8, "r", offset=path.stat().st_size - shape[0] * shape[1], shape=shape)


def open_index(path: Path, mapped: bool = True) -> Any:
    """The faiss index at `path`; memory-mapped ones open at once, share their pages and cannot be added to.

    Raises:
        IndexDirectoryError: the file is missing or damaged.
    """
    import faiss

    try:
        if mapped:
            _read_ahead(path)
        return faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC if mapped else 0)
    except OSError as error:
        raise IndexDirectoryError(f"cannot read {path}: {error.strerror}") from None
    except RuntimeError as error:
        reason = str(error).splitlines()[0][-120:]
        raise IndexDirectoryError(f"{path} is damaged ({reason}): build the index again") from None


def _read_ahead(path: Path) -> None:
    """Ask the system to read a file that will be mapped, without waiting for it.

    Pages of a mapped file that are not in memory come one by one otherwise: a scan of 150 MB took 9 s instead of 0.1.
    """
    if not hasattr(os, "posix_fadvise"):  # it only makes the first query quicker
        return
    descriptor = os.open(path, os.O_RDONLY)
    try:
        for start in range(0, os.fstat(descriptor).st_size, _AHEAD_BYTES):
            os.posix_fadvise(descriptor, start, _AHEAD_BYTES, os.POSIX_FADV_WILLNEED)
    finally:
        os.close(descriptor)


def empty_index(dimension: int, kind: str) -> Any:
    """A flat faiss index that codes of `kind` can be added to."""
    import faiss

    quantiser = KINDS[kind].quantiser
    if quantiser is None:
        return faiss.IndexFlatIP(dimension)
    index = faiss.IndexScalarQuantizer(dimension, getattr(faiss.ScalarQuantizer, quantiser), faiss.METRIC_INNER_PRODUCT)
    if kind == "sq8":
        half = _HALF_RANGE / dimension**0.5
        faiss.copy_array_to_vector(np.asarray([-half, 2 * half], np.float32), index.sq.trained)  # least value and width
    index.is_trained = True
    return index
