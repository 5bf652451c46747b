"""A trained CTPE as an encoder for indexes.

sim(i, j) = cos(front i, back j) + cos(front j, back i) (equation 2) is an inner product: a document's vector is its
front and its back one after the other, a query's the other way round. Both are scaled to length 1, so that the inner
product is half the similarity.

Each half is rotated, so that it fits an index of 8 bits a dimension: most coordinates of a trained network are zero and
a few are large, beyond the range of the codes. Any rotation leaves the cosines as they are; this one, random signs and
a Walsh-Hadamard transform, makes all coordinates about as large.
"""

from collections.abc import Sequence
from hashlib import shake_256

import numpy as np
import torch
from numpy.typing import NDArray

from common.progress import counter
from encoders.ctpe.network import TextCnn, encode_runs
from encoders.ctpe.parts import Split, Words, completed, parts_of
from encoders.text import Text
from encoders.word_vectors import WordVectors

# Texts at a time, sorted by length within.
_CHUNK = 1024


class CtpeEncoder:
    """Encodes title + abstract without a tokenizer or a transformer."""

    def __init__(
        self, network: TextCnn, words: WordVectors, split: Split, name: str, digest: str, unit: bool = True
    ) -> None:
        """Take a network over `words`; without `unit`, both halves keep the lengths that the network gives them."""
        self.name = name
        self.digest = digest
        self.dimension = 2 * rotated_dimension(network.dimension)
        self._network = network.eval().to("cuda" if torch.cuda.is_available() else "cpu")
        self._places = words.places
        self._split: Split = split
        self._unit = unit

    def encode(self, texts: Sequence[Text], progress: bool = False) -> NDArray[np.float32]:
        """Vectors of documents, shape (len(texts), dimension); zeros where no word of a text is known.

        Where only one part has known words, it stands for both: the vector then asks for and offers the same.
        """
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        half = self.dimension // 2
        with counter("encoding", len(texts)) if progress else counter("encoding", 0) as bar:
            for start in range(0, len(texts), _CHUNK):
                parts = [completed(parts_of(text, self._places, self._split)) for text in texts[start : start + _CHUNK]]
                rows = sorted(range(len(parts)), key=lambda row: len(parts[row].front) + len(parts[row].back))
                chunk = np.zeros((len(parts), self.dimension), np.float32)
                chunk[rows, :half] = self._vectors([parts[row].front for row in rows])
                chunk[rows, half:] = self._vectors([parts[row].back for row in rows])
                vectors[start : start + _CHUNK] = chunk / np.float32(2**0.5) if self._unit else chunk
                bar.update(len(parts))
        return vectors

    def encode_queries(self, texts: Sequence[Text]) -> NDArray[np.float32]:
        """Vectors of queries: a query's front meets documents' backs, and its back their fronts."""
        alone = [self.encode([text]) for text in texts]
        return self.as_queries(np.concatenate(alone) if alone else self.encode(texts))

    def as_queries(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Halves exchanged, shape (n, dimension) both."""
        return np.roll(vectors, self.dimension // 2, axis=1)

    def _vectors(self, runs: Sequence[Words]) -> NDArray[np.float32]:
        return rotated(encode_runs(self._network, runs, self._unit))


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
