"""The nearest papers of a vector: by a scan of all codes, or through a search structure where the index has one."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.errors import IndexDirectoryError
from indexer.structures import STRUCTURES
from indexer.vectors import open_index, ranges_of

# With fewer papers to choose from than this share, a scan of these alone is exact and no slower than a walk around
# all the others.
_SCANNED_SHARE = 0.25


class VectorSearch:
    """Codes, and perhaps a structure over them, both memory-mapped; safe to share between threads."""

    def __init__(
        self, codes: Path, structure: Path | None = None, search: str | None = None, mapped: bool = True
    ) -> None:
        """Open the codes, and the file `structure` of the kind `search`; read into memory unless `mapped`.

        Raises:
            IndexDirectoryError: a file is missing or damaged, or the structure is not one of these codes.
        """
        self.codes = open_index(codes, mapped)
        self.papers, self.dimension = int(self.codes.ntotal), int(self.codes.d)
        self.most = self.papers
        self._scaled = _ScaledScan(codes, self.codes) if mapped and ranges_of(self.codes) is not None else None
        self._structure = STRUCTURES[search] if structure and search else None
        if structure and self._structure:
            # What leaves the codes on disk is meant to be in memory itself; mapped, faiss would not miss its end.
            self._index = open_structure(structure, self.codes, mapped and not self._structure.maps_codes)
            self._structure.attach(self._index, self.codes)

    def nearest(
        self, vector: NDArray[np.float32], k: int, allowed: NDArray[np.bool_] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Numbers and inner products of the `k` papers nearest to `vector`, shape (dimension,); only `allowed` ones.

        A structure may miss some, but never returns fewer than there are.
        """
        import faiss

        k, selector, share = min(k, self.papers), None, 1.0
        if allowed is not None and not allowed.all():
            # The selector keeps a pointer into the packed array, which must outlive the search.
            packed = np.packbits(allowed, bitorder="little")
            count = int(np.count_nonzero(allowed))
            k, selector, share = min(k, count), faiss.IDSelectorBitmap(packed), count / self.papers
        if k <= 0:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        if self._structure and share >= _SCANNED_SHARE:
            docids, scores = self._structure.search(self._index, self.codes, vector, k, selector, share)
            if np.count_nonzero(docids >= 0) == k:
                return docids, scores
        parameters = None if selector is None else faiss.SearchParameters(sel=selector)
        all_scores, all_docids = (self._scaled or self.codes).search(vector[None], k, params=parameters)
        found = all_docids[0] >= 0
        return all_docids[0][found], all_scores[0][found]

    def vectors(self, docids: NDArray[np.integer]) -> NDArray[np.float32]:
        """The vectors of given papers, shape (n, dimension)."""
        return np.asarray(self.codes.reconstruct_batch(np.asarray(docids, np.int64)), np.float32)

    def close(self) -> None:
        """Mapped files go with the object."""


class _ScaledScan:
    """A scan of 8-bit codes, each dimension with its own range, at the speed of one range for all.

    With least values l and widths w, a code c stands for l + w (c + ½) / 255. So q · x is that of the codes as they are
    with q scaled by w, and something that is the same for all papers.
    """

    def __init__(self, path: Path, codes: Any) -> None:
        import faiss

        least, width = ranges_of(codes)  # type: ignore[misc]  # only made of such codes
        # Mapped as well, so that it takes no memory of its own.
        self._index = open_index(path)
        self._index.sq.qtype = faiss.ScalarQuantizer.QT_8bit_uniform
        faiss.copy_array_to_vector(np.asarray([-127.5, 255], np.float32), self._index.sq.trained)  # codes less 127
        self._scale = (width / 255).astype(np.float32)
        self._centre = least + width / 2

    def search(
        self, vectors: NDArray[np.float32], k: int, params: Any | None = None
    ) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """As faiss searches the codes."""
        scores, docids = self._index.search(vectors * self._scale, k, params=params)
        # Summed one by one: the threads of a matrix product would wait for each other longer than this takes.
        centres = np.einsum("nd,d->n", vectors, self._centre, dtype=np.float64)
        return scores + centres[:, None].astype(np.float32), docids


def write_structure(index: Any, path: Path) -> None:
    """Write a structure without the codes that it was made of."""
    import faiss

    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        faiss.write_index(index, faiss.PyCallbackIOWriter(file.write), faiss.IO_FLAG_SKIP_STORAGE)


def open_structure(path: Path, codes: Any, mapped: bool) -> Any:
    """The structure at `path`, which must be one of the flat index `codes`.

    Raises:
        IndexDirectoryError: the file is missing or damaged, or of other codes.
    """
    index = open_index(path, mapped)
    if (index.ntotal, index.d) != (codes.ntotal, codes.d):
        raise IndexDirectoryError(
            f"{path} is of {index.ntotal:,} vectors of {index.d} dimensions, "
            f"not of the {codes.ntotal:,} of {codes.d} beside it: build the index again"
        )
    return index
