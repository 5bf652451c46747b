"""Filling a collection: batches by docid, which a second attempt completes, and what must follow before it serves.

A batch is there when the engine counts as many rows of its docids as it has papers. An ingest that is killed is taken
up at the first batch that is not; since the name of a collection follows from all that goes into it, what is there
is what would be written again.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.errors import EngineError
from common.progress import counter
from common.sequences import batches, batches_within
from encoders.base import Encoder
from encoders.text import Text
from indexer.engines.english import stored_text
from indexer.engines.milvus_collection import BM25, FLOATS, NUMBER, TEXT, VECTOR, YEAR, Collection, create
from indexer.engines.milvus_connection import Milvus, Row

BATCH = 2048  # papers that are encoded, counted and completed together
_REQUEST_BYTES = 8 << 20  # of texts and vectors; servers take 64 MB
_LOOK_EVERY, _STANDSTILL = 1.0, 600.0  # seconds; an index that does not grow for so long will not any more
_WRITING = 600.0  # seconds for one request: a busy server makes writers wait

Batch = list[tuple[int, Text]]


@dataclass(frozen=True, slots=True)
class Contents:
    """What a collection is to hold."""

    papers: int
    texts: Callable[[], Iterable[tuple[int, Text]]]  # (docid, text) of every paper, docids from 0, ascending
    years: NDArray[np.int16]  # by docid
    encoder: Encoder | None
    kind: str  # of `FLOATS`


def fill(milvus: Milvus, name: str, contents: Contents) -> Collection:
    """The collection with all of its rows, indexed and in memory; one that is there is completed.

    Raises:
        EngineError: the engine fails or loses rows. What was written stays for the next attempt.
    """
    collection = Collection(milvus, name)
    fresh = create(milvus, name, contents.encoder.dimension if contents.encoder else None, contents.kind)
    collection.load()  # rows are counted in memory
    _write(collection, contents, fresh)
    if collection.count() != contents.papers:  # a request that was repeated may have been done twice
        _write(collection, contents, fresh=False)
    _serve(collection, contents)
    if (count := collection.count()) != contents.papers:
        raise EngineError(
            f"{name} in {milvus.address.place} holds {count:,} of {contents.papers:,} papers after the ingest: "
            "run the same command again, it completes what is there"
        )
    return collection


def _write(collection: Collection, contents: Contents, fresh: bool) -> None:
    with counter(collection.milvus.address.place, contents.papers) as bar:
        for batch in batches(contents.texts(), BATCH):
            count = 0 if fresh else collection.count(batch[0][0], batch[-1][0] + 1)
            if count != len(batch):
                # A row that is inserted twice counts twice; replacing costs more, so only where there may be some.
                for rows in batches_within(_rows(collection, batch, contents), _size, _REQUEST_BYTES):
                    collection.milvus.call("upsert" if count else "insert", collection.name, rows, timeout=_WRITING)
            bar.update(len(batch))


def _rows(collection: Collection, batch: Batch, contents: Contents) -> list[Row]:
    rows: list[Row] = [{NUMBER: docid, YEAR: int(contents.years[docid])} for docid, _ in batch]
    if collection.milvus.address.holds_texts:
        for row, (_, text) in zip(rows, batch, strict=True):
            row[TEXT] = stored_text(text)[0]
    if contents.encoder:
        vectors = contents.encoder.encode([text for _, text in batch]).astype(FLOATS[contents.kind])
        for row, vector in zip(rows, vectors, strict=True):
            row[VECTOR] = vector
    return rows


def _size(row: Row) -> int:
    """Bytes of text and vector."""
    return len(row.get(TEXT, "").encode()) + (row[VECTOR].nbytes if VECTOR in row else 0)


def _serve(collection: Collection, contents: Contents) -> None:
    """Wait for the indexes, then load everything again: before that, a search misses most of what it should find."""
    milvus, name = collection.milvus, collection.name
    milvus.call("flush", name, timeout=_WRITING)
    if not milvus.address.embedded:  # which scans, and says 0 of 0 rows
        indexes = [BM25] * milvus.address.holds_texts + [VECTOR] * bool(contents.encoder)
        _wait_until_indexed(collection, indexes, contents.papers)
    milvus.call("release_collection", name, timeout=_WRITING)
    milvus.call("load_collection", name, timeout=_WRITING)


def _wait_until_indexed(collection: Collection, indexes: Sequence[str], papers: int) -> None:
    with counter("indexes of Milvus", papers * len(indexes)) as bar:
        moved, before = time.monotonic(), -1
        while True:
            states: list[dict[str, Any]] = [
                collection.milvus.call("describe_index", collection.name, index) or {} for index in indexes
            ]
            done = [int(state.get("indexed_rows", 0)) for state in states]
            wanted = [max(papers, int(state.get("total_rows", 0))) for state in states]
            if all(one >= most for one, most in zip(done, wanted, strict=True)):
                return
            if sum(done) != before:
                bar.update(sum(done) - max(before, 0))
                moved, before = time.monotonic(), sum(done)
            elif time.monotonic() - moved > _STANDSTILL:
                raise EngineError(
                    f"{collection.milvus.address.place} has indexed {min(done):,} of {max(wanted):,} rows of "
                    f"{collection.name} and goes no further: look at its log, then run the same command again"
                )
            time.sleep(_LOOK_EVERY)
