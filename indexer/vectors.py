"""Document vectors in a flat faiss index: 8 bits a dimension, every vector compared, nothing to tune.

At 384 dimensions a million papers take 384 MB and an exhaustive scan some tens of milliseconds; the top 1000 keeps
.99 of the exact one, which approximate indexes do not reach at that depth.

The 8 bits span a fixed range rather than the one of the corpus. A paper's code then depends on its own text alone: it
is the same whichever papers it is indexed with, so codes are appended, copied and kept without encoding again.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.errors import IndexDirectoryError

Codes = NDArray[np.uint8]

# Half the range, in standard deviations of a unit vector's coordinate (1 / √dimension). Less clips, more is coarser;
# docs/index.md has the recall of several choices.
_HALF_RANGE = 5.0


def quantise(vectors: NDArray[np.float32]) -> Codes:
    """Codes of unit vectors, shape (n, dimension) both."""
    return np.asarray(_empty_index(vectors.shape[1]).sa_encode(np.ascontiguousarray(vectors, np.float32)), np.uint8)


def write_codes(codes: Codes, path: Path) -> None:
    """Write codes, shape (papers, dimension), as an inner-product index."""
    import faiss as faiss_module

    faiss: Any = faiss_module  # its stubs know only the C++ signatures
    index = _empty_index(codes.shape[1])
    faiss.copy_array_to_vector(np.ascontiguousarray(codes).reshape(-1), index.codes)
    index.ntotal = len(codes)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        # Its own file writer would not tell of a disk that is full when the last bytes are flushed.
        faiss.write_index(index, faiss.PyCallbackIOWriter(file.write))


def read_codes(path: Path) -> Codes:
    """What `write_codes` wrote.

    Raises:
        IndexDirectoryError: the file is missing or damaged.
    """
    import faiss

    index = open_vectors(path)
    codes: Codes = faiss.vector_to_array(index.codes).reshape(index.ntotal, index.d)
    return codes


def open_vectors(path: Path) -> Any:
    """The faiss index at `path`.

    Raises:
        IndexDirectoryError: the file is missing or damaged.
    """
    import faiss

    try:
        return faiss.read_index(str(path))
    except RuntimeError as error:
        reason = str(error).splitlines()[0][-120:]
        raise IndexDirectoryError(f"{path} is damaged ({reason}): build the index again") from None


def _empty_index(dimension: int) -> Any:
    import faiss as faiss_module

    faiss: Any = faiss_module
    quantiser = faiss.ScalarQuantizer.QT_8bit_uniform
    index = faiss.IndexScalarQuantizer(dimension, quantiser, faiss.METRIC_INNER_PRODUCT)
    half = _HALF_RANGE / dimension**0.5
    faiss.copy_array_to_vector(np.asarray([-half, 2 * half], np.float32), index.sq.trained)  # least value and width
    index.is_trained = True
    return index
