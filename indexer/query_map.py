"""A linear map of query vectors, learnt from who cites whom in the index.

What a corpus cites is not quite what is alike: some topics borrow methods, some cite their classics. The vectors of
the papers stay as the encoder made them; a query q is compared as normalise(q M). M starts at the identity and is
fitted so that a citing paper's q M is nearer to what it cites than to other cited papers: softmax over the cited papers
of a batch, cosines × 20, each less the logarithm of how often its paper is cited, as often cited ones come up more
often in a batch (the logQ correction of Yi et al., RecSys 2019). Of the way from the identity to M, as much is gone as
is best for citing papers that M was not fitted on; where that is nothing, there is no map.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from common.arrays import contained, unit_rows
from common.progress import progress
from indexer.citations import Adjacency, CitationGraph, load_array, there_by
from indexer.layout import LAYOUT

# The fewest citations that were tried, 1,855, still helped queries that the map was not fitted on.
LEAST_CITATIONS = 1_600

_STEPS, _BATCH, _WARM_UP = 600, 512, 50
_RATE = 1e-3
_SEED = 0
_SCALE = 20.0
_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # of the way from the identity; of equally good ones the first
# Citing papers that are held out to choose how far to go, and papers that they are compared with.
_VALIDATING, _VALIDATING_SHARE = 300, 0.1
_COMPARED = 20_000

Vectors = Callable[[NDArray[np.integer]], NDArray[np.float32]]  # docids → (n, dimension)
Ends = NDArray[np.integer]  # (citations,): the paper at one end of each


@dataclass(frozen=True, slots=True)
class QueryMap:
    """Where queries are looked for."""

    matrix: NDArray[np.float32]  # (dimension, dimension), for rows

    def __call__(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """Queries of shape (n, dimension) → the same, of length 1; zeros stay zeros."""
        return unit_rows(vectors @ self.matrix)


def write_query_map(folder: Path, vectors: Vectors) -> None:
    """Learn the map of a generation whose citations and years are written; no file where none helps."""
    graph, years = CitationGraph.load(folder / LAYOUT.graph), load_array(folder / LAYOUT.years)
    if found := learn_query_map(vectors, graph, years):
        np.save(folder / LAYOUT.query_map, found.matrix)


def read_query_map(folder: Path) -> QueryMap | None:
    """The map of a generation, where it has one.

    Raises:
        IndexDirectoryError: the file is damaged.
    """
    path = folder / LAYOUT.query_map
    return QueryMap(np.asarray(load_array(path))) if path.exists() else None


def learn_query_map(
    vectors: Vectors,
    graph: CitationGraph,
    years: NDArray[np.int16],
    left_out: NDArray[np.integer] | None = None,
    before: int | None = None,
) -> QueryMap | None:
    """The map of a corpus; None with too few citations, or where none helps.

    Args:
        vectors: Of papers by docid.
        graph: All citations.
        years: (papers,), 0 where unknown.
        left_out: Papers whose citations it is not learned from.
        before: It is learned only from papers that are known to be older than this year.
    """
    years = there_by(graph, years)
    citing, cited = graph.cites.of_all(np.arange(len(years)))
    usable = years[cited] <= years[citing]
    if left_out is not None:
        usable &= ~np.isin(citing, left_out)
    if before is not None:
        usable &= years[citing] < before
    citing, cited = citing[usable], cited[usable]
    papers = np.unique(citing)
    if len(citing) < LEAST_CITATIONS or len(papers) < 2:  # some are held out
        return None
    rng = np.random.default_rng(_SEED)
    held_out = rng.permutation(papers)[: min(_VALIDATING, max(int(_VALIDATING_SHARE * len(papers)), 1))]
    validating = np.isin(citing, held_out)
    ends = np.concatenate([citing, cited]), np.concatenate([cited, citing])
    linked = Adjacency.from_edges(*ends, len(years))
    with _one_thread():
        matrix = _fitted(vectors, citing[~validating], cited[~validating], linked, rng)
    validation = _Validation(vectors, citing[validating], cited[validating], years, rng)
    identity = np.eye(len(matrix), dtype=np.float32)
    ways = {share: QueryMap(identity + share * (matrix - identity)) for share in _SHARES}
    best = max(ways, key=lambda share: validation.score(ways[share]))
    return ways[best] if best else None


@contextmanager
def _one_thread() -> Iterator[None]:
    """The products are small: two threads of torch are no faster, and on a busy machine wait for each other."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _fitted(
    vectors: Vectors, citing: Ends, cited: Ends, linked: Adjacency, rng: np.random.Generator
) -> NDArray[np.float32]:
    """M after all steps of Adam, its rate rising and falling linearly; `linked` are neighbours in either direction."""
    import torch
    from torch.nn.functional import cross_entropy, normalize

    times = np.bincount(cited)
    dimension = vectors(cited[:1]).shape[1]
    matrix = torch.eye(dimension, requires_grad=True)
    optimiser = torch.optim.Adam([matrix], lr=_RATE)
    itself = np.eye(_BATCH, dtype=bool)
    for step in progress(range(_STEPS), "query map", _STEPS):
        chosen = rng.integers(0, len(citing), _BATCH)
        querying, positives = citing[chosen], cited[chosen]
        queries = normalize(torch.from_numpy(vectors(querying)) @ matrix, dim=1)
        frequency = np.log(times[positives] / len(cited)).astype(np.float32)
        scores = _SCALE * queries @ torch.from_numpy(vectors(positives)).T - torch.from_numpy(frequency)
        # What a query paper is linked with, or is, is no negative for it; nor is its own positive in another row.
        alike = _among(linked, querying, positives)
        alike |= (querying[:, None] == positives) | (positives[:, None] == positives)
        scores = scores.masked_fill(torch.from_numpy(alike & ~itself), -1e4)
        for group in optimiser.param_groups:
            group["lr"] = _RATE * min(1.0, (step + 1) / _WARM_UP) * (1 - step / _STEPS)
        optimiser.zero_grad()
        cross_entropy(scores, torch.arange(_BATCH)).backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return matrix.detach().numpy()


def _among(linked: Adjacency, papers: Ends, others: Ends) -> NDArray[np.bool_]:
    """Which of `others` are neighbours of which of `papers`, shape (papers, others)."""
    distinct, columns = np.unique(others, return_inverse=True)
    rows, neighbours = linked.of_all(papers)
    met = contained(neighbours, distinct)
    found = np.zeros((len(papers), len(distinct)), np.bool_)
    found[rows[met], np.searchsorted(distinct, neighbours[met])] = True
    return found[:, columns]


class _Validation:
    """How well a map ranks what citing papers cite among all that they could cite, or a sample of it."""

    def __init__(
        self, vectors: Vectors, citing: Ends, cited: Ends, years: NDArray[np.int16], rng: np.random.Generator
    ) -> None:
        sources, self._rows = np.unique(citing, return_inverse=True)
        compared = np.sort(rng.permutation(len(years))[:_COMPARED])
        compared = np.union1d(compared, cited)
        self._places = np.searchsorted(compared, cited)
        self._queries, self._papers = vectors(sources), vectors(compared)
        self._excluded = (years[compared][None, :] > years[sources][:, None]) | (compared[None, :] == sources[:, None])

    def score(self, way: QueryMap) -> float:
        """The mean of 1 / log2(1 + rank) over citations, as in nDCG."""
        scores = np.where(self._excluded, -np.inf, way(self._queries) @ self._papers.T)
        order = np.argsort(-scores, axis=1, kind="stable")
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.arange(1, order.shape[1] + 1)[None, :], axis=1)
        return float((1 / np.log2(1 + ranks[self._rows, self._places])).mean())
