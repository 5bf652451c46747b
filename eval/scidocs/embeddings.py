"""Vectors of papers, and the file that SciDocs keeps them in: {"paper_id": …, "embedding": […]} a line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from common.errors import SourceError, os_errors
from common.files import replaced

# Dimensions of the row "Random" in the papers' tables (Cohan et al. 2020, appendix A).
RANDOM_DIMENSION = 25


@dataclass(frozen=True, slots=True)
class Embeddings:
    """The vectors of some papers."""

    rows: Mapping[str, int]  # paper id → row of `vectors`
    vectors: NDArray[np.float32]  # (papers, dimension)
    replaced: int = 0  # lines of the file that gave a paper another vector than the line before

    def find(self, ids: Sequence[str]) -> NDArray[np.float64]:
        """Shape (len(ids), dimension); a paper without a vector gets zeros, as in SciDocs."""
        found = np.zeros((len(ids), self.vectors.shape[1]))
        for place, paper in enumerate(ids):
            if (row := self.rows.get(paper)) is not None:
                found[place] = self.vectors[row]
        return found

    def missing(self, ids: Iterable[str]) -> int:
        """How many of these papers have no vector."""
        return sum(paper not in self.rows for paper in ids)


def load_embeddings(paths: Sequence[Path], wanted: Collection[str] | None = None) -> Embeddings:
    """Read files of embeddings as one; of two vectors of a paper the later counts, as in SciDocs.

    An empty vector is none. Papers that are not `wanted` are checked, but not kept.

    Raises:
        SourceError: a file is missing, a line is malformed or of another dimension, or no paper is a wanted one.
    """
    rows: dict[str, int] = {}
    vectors: list[NDArray[np.float32]] = []
    dimension = replaced = lines = 0
    for where, paper, vector in (line for path in paths for line in _lines(path)):
        lines += 1
        if not len(vector):
            continue
        dimension = dimension or len(vector)
        if len(vector) != dimension:
            raise SourceError(f"{where}: {len(vector)} dimensions, where the lines before have {dimension}")
        if wanted is not None and paper not in wanted:
            continue
        if paper not in rows:
            rows[paper] = len(vectors)
            vectors.append(vector)
        elif not np.array_equal(vectors[rows[paper]], vector):
            vectors[rows[paper]] = vector
            replaced += 1
    if not vectors:
        whose = "of a paper that is asked for" if lines else "at all"
        raise SourceError(f"{', '.join(map(str, paths))}: no embedding {whose}")
    return Embeddings(rows, np.stack(vectors), replaced)


def write_embeddings(path: Path, batches: Iterable[tuple[Sequence[str], NDArray[np.float32]]]) -> int:
    """Write (ids, vectors) batch by batch, and put the file in its place when it is complete; the lines written.

    Raises:
        SourceError: the file cannot be written.
    """
    lines = 0
    with os_errors(SourceError, f"write {path}"), replaced(path) as file:
        for ids, vectors in batches:
            for paper, vector in zip(ids, vectors, strict=True):
                record = {"paper_id": paper, "embedding": np.ascontiguousarray(vector)}
                file.write(orjson.dumps(record, option=orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_APPEND_NEWLINE))
                lines += 1
    return lines


def random_embeddings(ids: Iterable[str], seed: int = 0, dimension: int = RANDOM_DIMENSION) -> Embeddings:
    """Normal vectors of mean zero: what an encoder reaches that has not read the papers."""
    rows = {paper: row for row, paper in enumerate(dict.fromkeys(ids))}
    vectors = np.random.default_rng(seed).standard_normal((len(rows), dimension), np.float32)
    return Embeddings(rows, vectors)


def _lines(path: Path) -> Iterator[tuple[str, str, NDArray[np.float32]]]:
    """(where, paper id, vector) of each line that is not blank."""
    with os_errors(SourceError, f"read the embeddings {path}"), path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                where = f"{path}, line {number}"
                yield where, *_parse(line, where)


def _parse(line: bytes, where: str) -> tuple[str, NDArray[np.float32]]:
    try:
        record = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise SourceError(f"{where}: no JSON ({error})") from None
    if not isinstance(record, dict) or not isinstance(record.get("embedding"), list) or "paper_id" not in record:
        raise SourceError(f'{where}: expected {{"paper_id": …, "embedding": [numbers]}}')
    paper = record["paper_id"]
    # A number has lost the zeros that its id may have begun with: nothing can be found by it for sure.
    if not isinstance(paper, str):
        raise SourceError(f"{where}: the paper_id {paper!r} is no string")
    try:
        with np.errstate(over="ignore"):  # too large for float32 becomes infinite, which is refused below
            vector = np.array(record["embedding"], dtype=np.float32)
    except (TypeError, ValueError):
        vector = np.full(1, np.nan, np.float32)
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise SourceError(f"{where}: the embedding of {paper} is no list of finite numbers")
    return paper, vector
