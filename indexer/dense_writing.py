"""The dense part of a generation: codes, the search structure over them, and how much of an exact search it keeps."""

from __future__ import annotations

from pathlib import Path

from indexer.layout import LAYOUT
from indexer.recall import ExactNeighbours, Recall, recall_of_structure, recall_of_vectors
from indexer.structures import FLAT, STRUCTURES
from indexer.vector_choice import VectorChoice
from indexer.vector_search import VectorSearch, open_structure, write_structure
from indexer.vectors import Codes, open_index, write_codes


def write_dense(folder: Path, codes: Codes, choice: VectorChoice) -> None:
    """Write the codes, and the structure of the choice over them."""
    write_codes([codes], folder / LAYOUT.vectors.path, choice.kind)
    if choice.search != FLAT:
        write_structure(STRUCTURES[choice.search].build(codes, choice.kind), folder / LAYOUT.structure.path)


def append_dense(base: Path, folder: Path, served: Codes, codes: Codes, choice: VectorChoice) -> None:
    """Write the codes that the generation in `base` has served and behind them `codes`; extend its structure."""
    write_codes([served, codes], folder / LAYOUT.vectors.path, choice.kind)
    if choice.search != FLAT:
        storage = open_index(base / LAYOUT.vectors.path, mapped=False)
        index = open_structure(base / LAYOUT.structure.path, storage, mapped=False)
        STRUCTURES[choice.search].append(index, storage, codes, choice.kind)
        write_structure(index, folder / LAYOUT.structure.path)


def measured_recall(folder: Path, choice: VectorChoice, exact: ExactNeighbours | None = None) -> Recall | None:
    """Recall of a search of what was written: against the vectors where `exact` saw all of them.

    Otherwise that of the structure against its codes, which for a scan says nothing: None.
    """
    structure = folder / LAYOUT.structure.path if choice.search != FLAT else None
    search = VectorSearch(folder / LAYOUT.vectors.path, structure, choice.search)
    recall = recall_of_vectors(search, exact) if exact else None
    if recall is None and structure:
        recall = recall_of_structure(search)
    return recall
