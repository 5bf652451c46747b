"""A rotation that makes vectors of a CTPE fit an index of 8 bits a dimension.

Most coordinates of a trained network are zero and a few are large, beyond the range of the codes. Any rotation leaves
the cosines as they are; this one, random signs and a Walsh-Hadamard transform, makes all coordinates about as large.
"""

from hashlib import shake_256

import numpy as np
from numpy.typing import NDArray


def rotated_dimension(dimension: int) -> int:
    """The next power of two."""
    return 1 << (dimension - 1).bit_length()


def rotated(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same rotation of every row, (n, dimension) → (n, rotated dimension)."""
    count, dimension = vectors.shape
    size = rotated_dimension(dimension)
    spread = np.zeros((count, size), np.float32)
    spread[:, :dimension] = vectors * _signs(dimension)
    half = 1
    while half < size:
        pairs = spread.reshape(count, -1, 2, half)
        spread = np.stack([pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]], axis=2)
        half *= 2
    return spread.reshape(count, size) / np.float32(size**0.5)


def _signs(dimension: int) -> NDArray[np.float32]:
    """Of a hash and not of a random generator, whose numbers may differ between versions."""
    digest = np.frombuffer(shake_256(b"ctpe").digest(-(-dimension // 8)), np.uint8)
    return np.where(np.unpackbits(digest)[:dimension], 1, -1).astype(np.float32)
