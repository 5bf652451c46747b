"""How much of an exact search a search of the index keeps, measured with some of its own papers as queries."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from common.arrays import evenly
from common.order import SIGNED, best_first
from indexer.vector_search import VectorSearch
from indexer.vectors import Floats

QUERIES = 500
DEPTHS = (10, 100, 1000)
_BLOCK = 8192  # vectors that are compared with all queries at a time


@dataclass(frozen=True, slots=True)
class Recall:
    """Mean share of the first hits that are as near as the nearest by the vectors; a query itself does not count."""

    at: dict[str, float]  # "10", "100", "1000" → share; depths that the corpus does not have are left out
    queries: int
    papers: int  # that were searched
    of: int  # papers that the index held then, removed ones left out

    def sentence(self) -> str:
        """What it says in words."""
        shares = ", ".join(f"{share:.4f} of the {depth} nearest" for depth, share in self.at.items())
        return f"{shares or 'too few papers to measure'} ({self.queries:,} queries, {self.papers:,} papers)"


def measured(search: VectorSearch, vectors: Floats, papers: NDArray[np.integer], of: int) -> Recall:
    """Recall of `search` among `papers` by their `vectors`, a row for each number; an even choice of them asks.

    A hit counts if its inner product is no less than that of the last of the nearest: of copies any will do.
    """
    own = papers[evenly(len(papers), QUERIES)]
    queries = np.asarray(vectors[own], np.float32)
    depths = [depth for depth in DEPTHS if depth < len(papers)]
    least = _least_scores(queries, own, vectors, papers, depths)
    allowed = np.zeros(search.papers, np.bool_)
    allowed[papers] = True
    kept = np.zeros((len(own), len(depths)))
    for row, (docid, query) in enumerate(zip(own, queries, strict=True)):
        docids, scores = search.nearest(query, DEPTHS[-1] + 1, allowed)
        found = docids[best_first(scores, docids, SIGNED)]
        found = found[found != docid][: DEPTHS[-1]]
        exact = np.asarray(vectors[found], np.float32) @ query
        for column, depth in enumerate(depths):
            kept[row, column] = np.count_nonzero(exact[:depth] >= least[row, column]) / depth
    at = {str(depth): round(float(share), 4) for depth, share in zip(depths, kept.mean(axis=0), strict=True)}
    return Recall(at, len(own), len(papers), of)


def _least_scores(
    queries: NDArray[np.float32],
    own: NDArray[np.integer],
    vectors: Floats,
    papers: NDArray[np.integer],
    depths: list[int],
) -> NDArray[np.float64]:
    """Inner product of each query's last paper within each depth, less what makes no difference; (queries, depths)."""
    best = np.zeros((len(queries), 0), np.float32)
    for start in range(0, len(papers), _BLOCK):
        docids = papers[start : start + _BLOCK]
        scores = queries @ np.asarray(vectors[docids], np.float32).T
        scores[own[:, None] == docids[None, :]] = -np.inf
        best = np.concatenate([best, scores], axis=1)
        if best.shape[1] > DEPTHS[-1]:
            best = np.partition(best, -DEPTHS[-1], axis=1)[:, -DEPTHS[-1] :]
    best.sort(axis=1)
    last = best[:, [-depth for depth in depths]].astype(np.float64)
    return np.asarray(last - SIGNED.relative * np.abs(last) - SIGNED.absolute)
