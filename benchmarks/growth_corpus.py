"""Indexes of any size for `growth.py`: made-up papers around the real ones, with vectors that fit them.

Nothing is encoded: a million texts would take hours, and size, memory and speed of vectors do not depend on what they
mean. Real papers keep the codes of their index; a made-up one gets those of the paper that it was made of with noise
that leaves a cosine of .8. They go through the index's own writer, into the next generation of the index.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from made_up_papers import recombined, write
from measuring import noise, units
from numpy.typing import NDArray

from encoders.loading import load_encoder
from indexer.assembly import finish, link
from indexer.catalog import Catalog
from indexer.dense_writing import write_dense
from indexer.directory import next_generation, writing
from indexer.generations import open_generation
from indexer.layout import LAYOUT
from indexer.vector_choice import VectorOptions, choose
from indexer.vectors import KINDS

ENCODER = "minilm"
_BLOCK = 1 << 16


def write_papers(path: Path, count: int, real: Path) -> None:
    """`count` papers as JSON lines."""
    with open_generation(real) as generation:
        write(recombined(list(generation.catalog.all_papers()), count), path)


def add_vectors(directory: Path, real: Path, options: VectorOptions) -> None:
    """Serve a generation that has vectors as well, as if its texts had been encoded."""
    encoder = load_encoder(ENCODER)
    with writing(directory), next_generation(directory) as following:
        base = open_generation(directory)
        choice = choose(options, base.manifest.docid_count, encoder.dimension)
        for part in (getattr(LAYOUT, name) for name in LAYOUT.__dataclass_fields__):
            if part != LAYOUT.manifest:
                link(part, base.folder, following.folder)
        vectors = np.empty((base.catalog.size, encoder.dimension), KINDS[choice.kind].kept)
        filled = 0
        for block in real_like(base.catalog, real):
            vectors[filled : filled + len(block)] = block
            filled += len(block)
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
    rng = np.random.default_rng(5)
    with open_generation(real) as generation:
        known = generation.vectors()
        of_id = {id_: docid for docid, id_ in enumerate(generation.catalog.ids(range(len(known))))}
        for ids in _blocks(catalog):
            rows = np.asarray([of_id[id_] if id_ in of_id else int(id_.rpartition("-")[2]) for id_ in ids])
            made = np.asarray([id_ not in of_id for id_ in ids])
            yield units(known[rows].astype(np.float32) + noise(rng, len(ids), known.shape[1]) * made[:, None])


def _blocks(catalog: Catalog) -> Iterator[list[str]]:
    for start in range(0, catalog.size, _BLOCK):
        yield catalog.ids(range(start, min(start + _BLOCK, catalog.size)))
