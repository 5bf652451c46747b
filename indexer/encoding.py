"""Vectors of papers' texts: taken from where they are known, else encoded, and kept until they are served.

Encoding is by far the slowest part of an index. What an operation has encoded is written to `DIR/partial` every few
seconds, so that one that is killed loses no more than that; the next one, whatever it indexes, takes over every text
that it meets again.
"""

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from common.files import write_atomically
from common.progress import counter
from common.sequences import batches
from encoders.base import Encoder
from encoders.text import Text
from indexer.layout import FORMAT_VERSION, PARTIAL
from indexer.vectors import KINDS, Floats

# Texts encoded at a time, and lost at most when the process is killed: some ten seconds on four cores.
CHUNK = 2048
_KEY_BYTES = 16
_DIGEST_BYTES = 32


class KnownVectors:
    """Vectors by text, as an index with codes of `kind` keeps them."""

    def __init__(self, dimension: int, kind: str) -> None:
        self._rows: dict[bytes, int] = {}
        self._blocks: list[Floats] = [np.zeros((0, dimension), KINDS[kind].kept)]

    def add(self, keys: Iterable[bytes], vectors: Floats) -> None:
        """Remember vectors, shape (n, dimension), of n texts."""
        first = sum(map(len, self._blocks))
        self._rows.update((key, first + row) for row, key in enumerate(keys))
        self._blocks.append(vectors.astype(self._blocks[0].dtype, copy=False))

    def fill(self, keys: list[bytes], into: Floats) -> list[int]:
        """Write what is known into rows of `into`, shape (len(keys), dimension); returns the other rows."""
        if len(self._blocks) > 1:
            self._blocks = [np.concatenate(self._blocks)]
        found = [(row, self._rows[key]) for row, key in enumerate(keys) if key in self._rows]
        into[[row for row, _ in found]] = self._blocks[0][[known for _, known in found]]
        return [row for row, key in enumerate(keys) if key not in self._rows]


class PartialVectors:
    """Chunks of vectors in `DIR/partial`, each guarded by a checksum.

    Those of another encoder, number of bits or format do not count.
    """

    def __init__(self, directory: Path, encoder: Encoder, kind: str) -> None:
        self._folder = directory / PARTIAL
        self.dtype = np.dtype(KINDS[kind].kept)
        named = f"{FORMAT_VERSION} {encoder.digest} {self.dtype.name}"
        self._identity = hashlib.sha256(named.encode()).digest()
        self._size = _KEY_BYTES + encoder.dimension * self.dtype.itemsize

    def load_into(self, known: KnownVectors) -> None:
        """Remember every chunk that is whole."""
        for path in sorted(self._folder.glob("*.codes")):
            body = _body(path)
            if body is None or not body.startswith(self._identity):
                continue
            rows = np.frombuffer(body, np.uint8, offset=_DIGEST_BYTES).reshape(-1, self._size)
            vectors = np.ascontiguousarray(rows[:, _KEY_BYTES:]).view(self.dtype)
            known.add([row[:_KEY_BYTES].tobytes() for row in rows], vectors)

    def save(self, keys: list[bytes], vectors: Floats) -> None:
        """Write one chunk, whole or not at all."""
        self._folder.mkdir(exist_ok=True)
        numbers = (int(path.stem) for path in self._folder.glob("*.codes") if path.stem.isdecimal())
        texts = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, _KEY_BYTES)
        rows = np.concatenate([texts, np.ascontiguousarray(vectors, self.dtype).view(np.uint8)], axis=1)
        body = self._identity + rows.tobytes()
        path = self._folder / f"{max(numbers, default=0) + 1:06d}.codes"
        write_atomically(path, hashlib.sha256(body).digest() + body)

    def delete(self) -> None:
        """Forget these chunks, now that an index with their vectors is served, and what is damaged.

        Those of another encoder stay: `reencode` may have been stopped to add papers, and will go on.
        """
        with suppress(OSError):
            for path in self._folder.iterdir():
                body = _body(path)
                if body is None or body.startswith(self._identity):
                    path.unlink(missing_ok=True)
            self._folder.rmdir()


def delete_partial(directory: Path) -> None:
    """Forget the chunks of all encoders."""
    shutil.rmtree(directory / PARTIAL, ignore_errors=True)


def _body(path: Path) -> bytes | None:
    """What a chunk holds; None where it is not whole."""
    data = path.read_bytes()
    digest, body = data[:_DIGEST_BYTES], data[_DIGEST_BYTES:]
    return body if hashlib.sha256(body).digest() == digest else None


def text_key(text: Text) -> bytes:
    """What identifies a text."""
    content = f"{len(text.title)} {text.title}{text.abstract}".encode("utf-8", "replace")
    return hashlib.blake2b(content, digest_size=_KEY_BYTES).digest()


def vectors_of(
    texts: Iterable[Text], total: int, encoder: Encoder, known: KnownVectors, partial: PartialVectors
) -> Floats:
    """The vector of every text, shape (total, dimension), with the bits of `partial`.

    `known` ones and those in `partial` are not encoded again.
    """
    partial.load_into(known)
    vectors = np.zeros((total, encoder.dimension), partial.dtype)
    # The encoder counts the texts of a chunk; where there is one chunk only, a bar for all would stand still beside it.
    with counter("papers", total if total > CHUNK else 0) as bar:
        for some in batches(_to_encode(texts, vectors, known, bar.update), CHUNK):
            unknown = [text for _, text in some]
            made = encoder.encode(unknown, progress=True).astype(partial.dtype)
            vectors[[row for row, _ in some]] = made
            partial.save([text_key(text) for text in unknown], made)
            bar.update(len(unknown))
    return vectors


def _to_encode(
    texts: Iterable[Text], vectors: Floats, known: KnownVectors, count_known: Callable[[int], object]
) -> Iterator[tuple[int, Text]]:
    """Fill in the rows that are known; yield the others with their texts."""
    start = 0
    for chunk in batches(texts, CHUNK):
        unknown = known.fill([text_key(text) for text in chunk], vectors[start : start + len(chunk)])
        count_known(len(chunk) - len(unknown))
        yield from ((start + row, chunk[row]) for row in unknown)
        start += len(chunk)
