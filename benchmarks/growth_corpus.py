"""Indexes of any size for `growth.py`: made-up papers around the real ones, with vectors that fit them.

Nothing is encoded: a million texts would take hours, and size, memory and speed of vectors do not depend on what they
mean. Real papers keep the codes of their index; a made-up one gets those of the paper that it was made of with noise
that leaves a cosine of .8. Without real papers, vectors are directions of topics with as much noise. They go
through the index's own writer, into the next generation of the index.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray
from recombined_papers import recombined
from synthetic_papers import TOPICS, papers

from encoders.loading import load_encoder
from indexer.assembly import finish, link
from indexer.catalog import Catalog
from indexer.dense_writing import write_dense
from indexer.directory import next_generation, writing
from indexer.generations import OpenGeneration, open_generation
from indexer.layout import LAYOUT
from indexer.vector_choice import VectorOptions, choose
from indexer.vectors import KINDS

ENCODER = "minilm"
_NOISE = 0.75  # standard deviations of a unit vector's coordinate
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Built:
    """What one build took."""

    seconds: float  # papers, BM25 and graph
    peak_bytes: int  # resident, Java included
    vector_seconds: float  # codes and structure, without encoding


def write_papers(path: Path, count: int, real: Path | None) -> None:
    """`count` papers as JSON lines."""
    records: Iterator[dict[str, object]] = papers(count)
    if real:
        generation = open_generation(real)
        known = list(generation.catalog.all_papers())
        generation.close()
        records = (record for _, record in recombined(known, count))
    with path.open("wb") as file:
        for record in records:
            file.write(orjson.dumps(record) + b"\n")


def build(source: Path, directory: Path, real: Path | None, vectors: VectorOptions) -> Built:
    """`citescout index` without an encoder in a process of its own, then the vectors."""
    command = [sys.executable, "-m", "citescout", "-q", "index", str(source), "--index", str(directory)]
    start = time.perf_counter()
    process = subprocess.Popen([*command, "--encoder", "none"], stdout=subprocess.DEVNULL)  # noqa: S603
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    seconds = time.perf_counter() - start
    load_encoder(ENCODER)  # once a process
    start = time.perf_counter()
    add_vectors(directory, real, vectors)
    return Built(seconds, usage.ru_maxrss * 1024, time.perf_counter() - start)


def add_vectors(directory: Path, real: Path | None, options: VectorOptions) -> None:
    """Serve a generation that has vectors as well, as if its texts had been encoded."""
    encoder = load_encoder(ENCODER)
    with writing(directory), next_generation(directory) as following:
        base = open_generation(directory)
        choice = choose(options, base.manifest.docid_count, encoder.dimension)
        for part in (getattr(LAYOUT, name) for name in LAYOUT.__dataclass_fields__):
            if part != LAYOUT.manifest:
                link(part, base.folder, following.folder)
        blocks = real_like(base.catalog, real) if real else topic_like(base.catalog, encoder.dimension)
        vectors = np.concatenate([block.astype(KINDS[choice.kind].kept) for block in blocks])
        dense = write_dense(following.folder, vectors, choice, options)
        manifest = replace(
            dense.described(base.manifest),
            encoder=encoder.name,
            encoder_digest=encoder.digest,
            dimension=encoder.dimension,
            asked=options,
        )
        finish(following, manifest, base.folder)
        base.close()


def real_like(catalog: Catalog, real: Path) -> Iterator[NDArray[np.float32]]:
    """Vectors of all papers in the order of their docids, some at a time: those of real papers, and near them."""
    generation = open_generation(real)
    known = generation.vectors()
    of_id = dict(zip(_ids(generation), range(len(known)), strict=True))
    rng = np.random.default_rng(5)
    for ids in _blocks(catalog):
        rows = np.asarray([of_id[id_] if id_ in of_id else int(id_.rpartition("-")[2]) for id_ in ids])
        made = np.asarray([id_ not in of_id for id_ in ids])
        vectors = known[rows].astype(np.float32)
        noise = rng.normal(size=vectors.shape).astype(np.float32) * (_NOISE / vectors.shape[1] ** 0.5)
        yield _units(vectors + noise * made[:, None])
    generation.close()


def topic_like(catalog: Catalog, dimension: int) -> Iterator[NDArray[np.float32]]:
    """The same for synthetic papers: near the direction of their topic."""
    rng = np.random.default_rng(5)
    topics = _units(rng.normal(size=(TOPICS, dimension)))
    for ids in _blocks(catalog):
        rows = np.asarray([int(id_[1:]) % TOPICS for id_ in ids])
        yield _units(topics[rows] + rng.normal(size=(len(ids), dimension)) * (_NOISE / dimension**0.5))


def _ids(generation: OpenGeneration) -> list[str]:
    return generation.catalog.ids(range(generation.manifest.docid_count))


def _blocks(catalog: Catalog) -> Iterator[list[str]]:
    for start in range(0, catalog.size, _BLOCK):
        yield catalog.ids(range(start, min(start + _BLOCK, catalog.size)))


def _units(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)
