"""A folder of vectors: a description, and parts that are written once.

    DIR/vectors.json    the encoder, and whether every paper of the last run is there
    DIR/parts/*.parquet vectors with ids and keys (`indexer.bulk.parts`)
    DIR/LOCK            held by the one run that fills it

The parts are the checkpoint: what is in them is not encoded again, and one that is deleted is.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from pydantic import TypeAdapter, ValidationError

from common.errors import IndexLockedError, VectorFolderError, os_errors
from common.files import lock_at_once, write_atomically
from encoders.base import Encoder
from indexer.bulk.parts import ENDING, Digests, Part, delete_leftovers, read_part, read_rows, row_digests, write_part

DESCRIPTION, PARTS, LOCK = "vectors.json", "parts", "LOCK"
FORMAT = 1


@dataclass(frozen=True, slots=True)
class Description:
    """What `vectors.json` says."""

    format: int
    encoder: str  # preset, folder or hub id
    digest: str  # of the encoder
    dimension: int
    run: str  # names the run that filled the folder last; any other that still writes is to stop
    complete: bool  # whether that run came to its end
    papers: int  # rows in all parts, when it did
    parts: int


def describe(directory: Path) -> Description:
    """What a folder holds.

    Raises:
        VectorFolderError: it holds no vectors, or its description is damaged.
    """
    path = directory / DESCRIPTION
    try:
        found = TypeAdapter(Description).validate_json(path.read_bytes(), strict=True)
    except OSError as error:
        why = f"{path}: {error.strerror}"
        raise VectorFolderError(
            f"{directory} is not a folder of vectors ({why}): `citescout encode` makes one"
        ) from None
    except ValidationError:
        raise VectorFolderError(f"{path} is damaged: run `citescout encode` again in a new folder") from None
    if found.format != FORMAT:
        raise VectorFolderError(f"{path} is of format {found.format}, this version reads {FORMAT}")
    return found


def check_encoder(directory: Path, encoder: Encoder) -> Description:
    """What a folder holds, if it is of this encoder.

    Raises:
        VectorFolderError: of another one, or no folder of vectors.
    """
    found = describe(directory)
    if found.digest != encoder.digest:
        other = "another model by that name" if found.encoder == encoder.name else f"the encoder '{found.encoder}'"
        raise VectorFolderError(
            f"the vectors in {directory} were made by {other}, not by '{encoder.name}': "
            "take the encoder that made them, or another folder"
        )
    return found


def part_paths(directory: Path) -> list[Path]:
    """All parts, in the order of their names."""
    return sorted((directory / PARTS).glob(f"[!.]*{ENDING}"))


@contextmanager
def filling(directory: Path, encoder: Encoder, run: str) -> Iterator[None]:
    """Hold the folder's one lock, with a description that names `run`; creates what is not there.

    Raises:
        VectorFolderError: it has other content, is of another encoder, or cannot be written.
        IndexLockedError: another run fills it.
    """
    with os_errors(VectorFolderError, f"write vectors in {directory}"):
        if (directory / DESCRIPTION).exists():
            check_encoder(directory, encoder)
        elif directory.is_dir() and not {entry.name for entry in directory.iterdir()} <= {PARTS, LOCK}:
            raise VectorFolderError(f"{directory} is a folder with other content: give a new or empty one")
        (directory / PARTS).mkdir(parents=True, exist_ok=True)
        busy = IndexLockedError(f"another process is encoding into {directory}: wait for it to end")
        lock = lock_at_once(directory / LOCK, busy)
        try:
            _write(directory, Description(FORMAT, encoder.name, encoder.digest, encoder.dimension, run, False, 0, 0))
            yield
        finally:
            lock.release()


def known_rows(directory: Path) -> Digests:
    """The rows of all parts, sorted.

    Raises:
        VectorFolderError: a part is damaged.
    """
    delete_leftovers(directory / PARTS)
    digest = describe(directory).digest
    return np.sort(_joined([read_rows(path, digest) for path in part_paths(directory)]))


def finish(directory: Path) -> Description:
    """Leave every row once, and say that the folder is complete.

    A row comes twice if the corpus has the same record twice, or if an encoder that was taken for dead wrote it after
    all.

    Raises:
        VectorFolderError: a part is damaged.
    """
    found = describe(directory)
    paths = part_paths(directory)
    rows = [read_rows(path, found.digest) for path in paths]
    together = _joined(rows)
    order = np.argsort(together, kind="stable")
    repeated = np.zeros(len(together), np.bool_)
    repeated[order[1:]] = together[order[1:]] == together[order[:-1]]
    starts = np.cumsum([0, *map(len, rows)])
    written: set[str] = set()  # what is left of a part may be the very file of one behind it
    for path, start, end in zip(paths, starts[:-1], starts[1:], strict=True):
        if repeated[start:end].any():
            written |= _written_of(path, ~repeated[start:end], found)
            if path.name not in written:
                path.unlink()
    whole = replace(found, complete=True, papers=int((~repeated).sum()), parts=len(part_paths(directory)))
    _write(directory, whole)
    return whole


def read_parts(directory: Path, encoder: Encoder) -> Iterator[Part]:
    """All parts, every byte checked.

    Raises:
        VectorFolderError: one is damaged, or of another encoder.
    """
    for path in part_paths(directory):
        yield read_part(path, encoder.digest, encoder.dimension)


def _written_of(path: Path, kept: np.ndarray[Any, np.dtype[np.bool_]], found: Description) -> set[str]:
    """The name of the file with those rows of a part that are kept, where there are any."""
    part = read_part(path, found.digest, found.dimension)
    rows = np.flatnonzero(kept).tolist()
    fewer = Part([part.ids[row] for row in rows], [part.keys[row] for row in rows], part.vectors[rows])
    return {write_part(path.parent, fewer, found.digest)} if rows else set()


def _joined(rows: list[Digests]) -> Digests:
    return np.concatenate([row_digests([], []), *rows])


def _write(directory: Path, description: Description) -> None:
    write_atomically(directory / DESCRIPTION, orjson.dumps(asdict(description), option=orjson.OPT_INDENT_2))
