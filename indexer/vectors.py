"""Document vectors in a flat faiss index: 8 bits a dimension, every vector compared, nothing to tune.

At 384 dimensions a million papers take 384 MB and an exhaustive scan some tens of milliseconds; the top 1000 keeps
.99 of the exact one, which approximate indexes do not reach at that depth.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.errors import IndexDirectoryError


def build_vectors(vectors: NDArray[np.float32], path: Path) -> None:
    """Write unit vectors, shape (papers, dimension), as an inner-product index."""
    import faiss

    index = faiss.IndexScalarQuantizer(vectors.shape[1], faiss.ScalarQuantizer.QT_8bit, faiss.METRIC_INNER_PRODUCT)
    index.train(vectors)
    index.add(vectors)
    path.parent.mkdir(parents=True, exist_ok=True)
    faiss.write_index(index, str(path))


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
