"""Codes of document vectors, one a paper in the order of the docids, in a flat faiss index.

At 384 dimensions and 8 bits a million papers take 384 MB and an exhaustive scan some tens of milliseconds. Each
dimension has its own range of 8 bits, from the least to the largest value in a sample of the corpus: encoders differ in
where their vectors lie, and some have a coordinate that is ten times as large as the others. The vectors themselves,
which ranges are trained on, stay beside 8-bit codes as 16-bit floats, so that they can be trained again.
"""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from common.arrays import evenly
from common.errors import IndexDirectoryError

Codes = NDArray[np.uint8]  # (papers, code size in bytes)
Floats = NDArray[np.floating]  # (papers, dimension), of 16 or 32 bits
Rows = TypeVar("Rows", Codes, Floats)

# Papers, evenly chosen, whose least and largest values are the range of a dimension.
_SAMPLE = 50_000
# Codes made or read at a time: enough for all cores, and 100 MB of floats at 384 dimensions.
_BLOCK = 1 << 16

# The system reads no more than some megabytes for one request.
_AHEAD_BYTES = 2 << 20


@dataclass(frozen=True, slots=True)
class CodeKind:
    """One way to keep a vector."""

    bytes: int  # a coordinate
    quantiser: str | None  # faiss's name of it; None for plain 32-bit floats
    kept: type[np.floating[Any]]  # how an index keeps the vectors themselves


@dataclass(frozen=True, slots=True)
class Coding:
    """How vectors of one corpus become codes."""

    kind: str  # of `KINDS`
    dimension: int
    ranges: NDArray[np.float32] | None = None  # (2, dimension): least values and widths of 8 bits; None for floats


KINDS = {
    "sq8": CodeKind(1, "QT_8bit", np.float16),
    "fp16": CodeKind(2, "QT_fp16", np.float16),
    "fp32": CodeKind(4, None, np.float32),
}
DEFAULT_KIND, FINER_KIND = "sq8", "fp16"


def code_size(dimension: int, kind: str) -> int:
    """Bytes of one code."""
    return dimension * KINDS[kind].bytes


def fitted(kind: str, vectors: Floats, order: NDArray[np.integer] | None = None) -> Coding:
    """The coding of a corpus by the values of `vectors`, shape (n, dimension), or of its rows `order` in that order."""
    dimension = vectors.shape[1]
    if kind != "sq8":
        return Coding(kind, dimension)
    rows = np.arange(len(vectors)) if order is None else order
    sample = np.asarray(vectors[rows[evenly(len(rows), _SAMPLE)]], np.float32)
    least = sample.min(axis=0)
    return Coding(kind, dimension, np.stack([least, sample.max(axis=0) - least]))


def quantise(vectors: Floats, coding: Coding) -> Codes:
    """Codes of vectors of shape (n, dimension); what is outside of the range of 8 bits becomes the end of it."""
    if coding.kind != "sq8":
        rows = np.ascontiguousarray(vectors, KINDS[coding.kind].kept)
        return rows.view(np.uint8).reshape(len(rows), -1)
    index = empty_index(coding)
    return np.asarray(index.sa_encode(np.ascontiguousarray(vectors, np.float32)), np.uint8)


def dequantise(codes: Codes, coding: Coding) -> NDArray[np.float32]:
    """The vectors that codes stand for, shape (n, dimension)."""
    return np.asarray(empty_index(coding).sa_decode(np.ascontiguousarray(codes)), np.float32)


def blocks_of(rows: Rows) -> Iterator[Rows]:
    """Vectors or codes, some rows at a time."""
    for start in range(0, len(rows), _BLOCK):
        yield rows[start : start + _BLOCK]


def write_codes(blocks: Iterable[Codes], path: Path, coding: Coding) -> None:
    """Write codes, in blocks of rows, as an inner-product index."""
    import faiss

    index = empty_index(coding)
    for block in blocks:
        index.add_sa_codes(np.ascontiguousarray(block))
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        # Its own file writer would not report a disk that is full when the last bytes are flushed.
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


def empty_index(coding: Coding) -> Any:
    """A flat faiss index that codes can be added to."""
    import faiss

    quantiser = KINDS[coding.kind].quantiser
    if quantiser is None:
        return faiss.IndexFlatIP(coding.dimension)
    kind = getattr(faiss.ScalarQuantizer, quantiser)
    index = faiss.IndexScalarQuantizer(coding.dimension, kind, faiss.METRIC_INNER_PRODUCT)
    if coding.ranges is not None:
        faiss.copy_array_to_vector(np.ascontiguousarray(coding.ranges, np.float32).ravel(), index.sq.trained)
    index.is_trained = True
    return index


def ranges_of(index: Any) -> NDArray[np.float32] | None:
    """Least values and widths of 8-bit codes in a faiss index, shape (2, dimension); None for floats."""
    import faiss

    if not isinstance(index, faiss.IndexScalarQuantizer) or index.sq.qtype != faiss.ScalarQuantizer.QT_8bit:
        return None
    return np.asarray(faiss.vector_to_array(index.sq.trained), np.float32).reshape(2, -1)
