"""Parts: some thousand vectors with the papers that they belong to, in one Parquet file that never changes.

    id      string                      of the paper
    key     16 bytes                    `indexer.encoding.text_key` of its title and abstract
    vector  float32[dimension]          of length 1
    and, in the metadata of the schema, the digest of the encoder

A part is named by the SHA-256 of its bytes, so any damage shows, and writing the same rows twice leaves one file.
"""

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from common.errors import VectorFolderError, os_errors
from common.files import write_atomically

ENDING = ".parquet"
KEY_BYTES = 16
_DIGEST_FIELD = b"citescout.encoder"
_NAME_DIGITS = 32

Digests = NDArray[np.void]  # (n,), 16 bytes each


@dataclass(frozen=True, slots=True)
class Part:
    """The rows of one file."""

    ids: list[str]
    keys: list[bytes]  # 16 bytes each
    vectors: NDArray[np.float32]  # (rows, dimension)


def write_part(folder: Path, part: Part, encoder_digest: str) -> str:
    """Write a part into `folder`, whole or not at all; returns the name of the file."""
    import pyarrow
    from pyarrow import parquet

    flat = pyarrow.array(np.ascontiguousarray(part.vectors, np.float32).reshape(-1))
    columns = {
        "id": pyarrow.array(part.ids, pyarrow.string()),
        "key": pyarrow.array(part.keys, pyarrow.binary(KEY_BYTES)),
        "vector": pyarrow.FixedSizeListArray.from_arrays(flat, part.vectors.shape[1]),
    }
    table = pyarrow.table(columns).replace_schema_metadata({_DIGEST_FIELD: encoder_digest.encode()})
    data = io.BytesIO()
    # Floats do not compress, and a dictionary of them would only be in the way. Checksums of pages guard the columns
    # of a file that is not read as a whole.
    parquet.write_table(table, data, compression="none", use_dictionary=False, write_page_checksum=True)
    name = hashlib.sha256(data.getvalue()).hexdigest()[:_NAME_DIGITS] + ENDING
    write_atomically(folder / name, data.getvalue())
    return name


def read_part(path: Path, encoder_digest: str, dimension: int) -> Part:
    """A part, every byte of it checked.

    Raises:
        VectorFolderError: it is damaged, or was made by another encoder.
    """
    with os_errors(VectorFolderError, f"read {path}"):
        data = path.read_bytes()
    if hashlib.sha256(data).hexdigest()[:_NAME_DIGITS] != path.stem:
        raise damaged(path, "its bytes are not those of the checksum in its name")
    table = _read(path, io.BytesIO(data), encoder_digest, ["id", "key", "vector"])
    if table.schema.field("vector").type.list_size != dimension:
        raise damaged(path, "its vectors have another dimension")
    flat = table.column("vector").combine_chunks().flatten().to_numpy()
    return Part(table.column("id").to_pylist(), table.column("key").to_pylist(), flat.reshape(-1, dimension))


def read_rows(path: Path, encoder_digest: str) -> Digests:
    """What identifies the rows of a part; their vectors are not read.

    Raises:
        VectorFolderError: what is read is damaged, or of another encoder.
    """
    # Opened here: a path with a colon is an address to Parquet's own opening.
    with os_errors(VectorFolderError, f"read {path}"), path.open("rb") as file:
        table = _read(path, file, encoder_digest, ["id", "key"])
    return row_digests(table.column("id").to_pylist(), table.column("key").to_pylist())


def row_digests(ids: Sequence[str], keys: Sequence[bytes]) -> Digests:
    """A digest of id and text of each row."""
    digests = (
        hashlib.blake2b(key + id_.encode("utf-8", "replace"), digest_size=KEY_BYTES).digest()
        for id_, key in zip(ids, keys, strict=True)
    )
    return np.frombuffer(b"".join(digests), f"V{KEY_BYTES}")


def damaged(path: Path, why: str) -> VectorFolderError:
    """The error of a part that cannot be used."""
    return VectorFolderError(f"{path} is damaged ({why}): delete it and run `citescout encode` again")


def _read(path: Path, source: BinaryIO, encoder_digest: str, columns: list[str]) -> Any:
    from pyarrow import ArrowException, parquet

    try:
        file = parquet.ParquetFile(source, page_checksum_verification=True)
        made_by = (file.schema_arrow.metadata or {}).get(_DIGEST_FIELD, b"").decode("ascii", "replace")
        if made_by != encoder_digest:
            raise VectorFolderError(f"{path} has vectors of another encoder: take it out of the folder")
        table = file.read(columns)
        if table.column_names != columns:
            raise damaged(path, f"it lacks {', '.join({*columns} - {*table.column_names})}")
        return table
    except (ArrowException, OSError, ValueError) as error:
        raise damaged(path, " ".join(str(error).split())[:120]) from None


def delete_leftovers(folder: Path) -> None:
    """Remove what a killed writer had not finished."""
    for path in folder.glob(f".*{ENDING}*"):
        path.unlink(missing_ok=True)
