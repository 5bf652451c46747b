"""The dense part of a generation: codes, the search structure over them, and how much of an exact search they keep."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common.arrays import evenly
from indexer.layout import LAYOUT
from indexer.manifest import Manifest
from indexer.recall import Recall, measured
from indexer.structures import FLAT, STRUCTURES
from indexer.vector_choice import VectorChoice, VectorOptions, finer
from indexer.vector_search import VectorSearch, open_structure, write_structure
from indexer.vectors import (
    DEFAULT_KIND,
    Coding,
    Floats,
    blocks_of,
    empty_index,
    fitted,
    quantise,
    read_codes,
    write_codes,
)

# 8 bits that keep less of the ten nearest papers give way to 16.
LEAST_RECALL = 0.99
# Times as many papers as when it was measured, above which an addition measures again.
GROWTH = 1.1
# Papers that are searched to measure a scan, so that it takes seconds for any number.
_SEARCHED = 100_000


@dataclass(frozen=True, slots=True)
class Dense:
    """What was written."""

    choice: VectorChoice
    recall: Recall | None  # of the search; None for a scan of the vectors themselves, which is exact
    eight_bits: Recall | None  # what 8 bits keep, where 16 were taken for it

    def described(self, manifest: Manifest) -> Manifest:
        """The manifest that says so."""
        kind, search = self.choice.kind, self.choice.search
        return replace(manifest, vectors=kind, search=search, recall=self.recall, eight_bits=self.eight_bits)


def write_dense(folder: Path, vectors: Floats, choice: VectorChoice, options: VectorOptions | None = None) -> Dense:
    """Write vectors, shape (papers, dimension) of the type that `choice` keeps, and a structure; measure the search.

    8 bits become 16 where `options` let them and they keep too little.
    """
    papers = np.arange(len(vectors))
    written, coding = _write_best(folder, vectors, choice, options or VectorOptions(), papers)
    if choice.search == FLAT:
        return written
    codes = read_codes(folder / LAYOUT.vectors)
    write_structure(STRUCTURES[choice.search].build(codes, coding), folder / LAYOUT.structure)
    return replace(written, recall=_recall_of_structure(folder, vectors, choice, papers))


def append_dense(
    base: Path, folder: Path, vectors: Floats, first: int, before: Manifest, live: NDArray[np.integer]
) -> Dense:
    """Write vectors by docid, of which the generation in `base` has those below `first`; extend its structure.

    Ranges are those of the papers `live`, docids in the order of their ids, as after a compaction. What 8 bits and the
    structure keep is measured again where it may have become less by growth.
    """
    last = before.eight_bits or before.recall
    grown = last is not None and len(live) > GROWTH * last.of
    written = Dense(before.choice, before.recall, before.eight_bits)
    if grown:
        start = replace(before.choice, kind=DEFAULT_KIND) if before.eight_bits else before.choice
        written, coding = _write_best(folder, vectors, start, before.asked, live)
    else:
        coding = _write_codes(folder, vectors, before.vectors, live)
    if before.search == FLAT:
        return written
    codes = read_codes(folder / LAYOUT.vectors)
    storage = empty_index(coding)
    storage.add_sa_codes(np.ascontiguousarray(codes[:first]))
    index = open_structure(base / LAYOUT.structure, storage, mapped=False)
    STRUCTURES[before.search].append(index, storage, codes[first:], coding)
    write_structure(index, folder / LAYOUT.structure)
    recall = _recall_of_structure(folder, vectors, written.choice, live) if grown else before.recall
    return replace(written, recall=recall)


def _write_best(
    folder: Path, vectors: Floats, choice: VectorChoice, options: VectorOptions, live: NDArray[np.integer]
) -> tuple[Dense, Coding]:
    """The codes of the choice, or of 16 bits in place of 8; with the recall of a scan."""
    coding = _write_codes(folder, vectors, choice.kind, live)
    if choice.kind != DEFAULT_KIND:
        return Dense(choice, None, None), coding
    searched = live[evenly(len(live), _SEARCHED)]
    recall = measured(VectorSearch(folder / LAYOUT.vectors), vectors, searched, len(live))
    other = finer(options, choice, len(vectors), vectors.shape[1])
    if other is None or recall.at.get("10", 1.0) >= LEAST_RECALL:
        return Dense(choice, recall, None), coding
    (folder / LAYOUT.originals).unlink()
    return Dense(other, None, recall), _write_codes(folder, vectors, other.kind, live)


def _write_codes(folder: Path, vectors: Floats, kind: str, live: NDArray[np.integer]) -> Coding:
    """Codes whose ranges are those of live papers; and the vectors, where the codes are not the vectors."""
    coding = fitted(kind, vectors, live)
    write_codes((quantise(block, coding) for block in blocks_of(vectors)), folder / LAYOUT.vectors, coding)
    if kind == DEFAULT_KIND:
        np.save(folder / LAYOUT.originals, vectors)  # in the folder of the codes
    return coding


def _recall_of_structure(folder: Path, vectors: Floats, choice: VectorChoice, live: NDArray[np.integer]) -> Recall:
    search = VectorSearch(folder / LAYOUT.vectors, folder / LAYOUT.structure, choice.search)
    return measured(search, vectors, live, len(live))
