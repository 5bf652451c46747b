"""Vectors of papers from the citation graph alone, and how well they predict citations that were kept back.

The vectors are eigenvectors: of S = D^-β (A + I) D^-β, A the citations read in both directions and D the papers'
degrees, the largest eigenvalues and their eigenvectors, each scaled by the root of its eigenvalue. A randomised range
finder with power iterations gets them in seconds (Halko, Martinsson & Tropp, SIAM Review 2011). SciNCL trains its
vectors edge by edge with PyTorch-BigGraph, whose last release is of 2019; docs/encoders.md compares the two.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from common.arrays import contained, unit_rows, unordered

Vectors = NDArray[np.float32]

# With more eigenvectors than an eighth of the papers, chance links weigh as much as subjects.
DIMENSION, PAPERS_A_DIMENSION, LEAST_DIMENSION = 128, 8, 8
# The usual 1/2 spends eigenvectors on small components of the graph, 1/4 on much cited papers; see docs/encoders.md.
DEGREE_EXPONENT = 0.4
_OVERSAMPLING = 32
_ITERATIONS = 6
# How many rows and columns of the basis are worked on at a time: nothing else of its size is held beside it.
_ROWS, _COLUMNS = 65_536, 32
# Columns are dependent whose products differ from zero by less than single precision resolves (its square).
_DEPENDENT = 1e-12
_CANDIDATES = 1000
_MOST_KEPT_BACK = 2000


@dataclass(frozen=True, slots=True)
class LinkPrediction:
    """Citations kept back, each ranked by cosine among random papers that are not linked with the citing one."""

    edges: int  # kept back
    auc: float  # share of random papers that are farther than the cited one
    mrr: float  # mean reciprocal rank
    hits_at_10: float

    def __str__(self) -> str:
        return (
            f"link prediction on {self.edges:,} citations kept back, among {_CANDIDATES:,} random papers each: "
            f"AUC {self.auc:.3f}, MRR {self.mrr:.3f}, hits@10 {self.hits_at_10:.3f}"
        )


def node_embeddings(edges: NDArray[np.int64], papers: int, dimension: int | None = None, seed: int = 0) -> Vectors:
    """Unit vectors, shape (papers, dimension), from citations, shape (n, 2); zeros for papers without citations."""
    dimension = dimension or min(DIMENSION, max(LEAST_DIMENSION, papers // PAPERS_A_DIMENSION))
    matrix, degrees = _normalised(edges, papers)
    size = min(dimension + _OVERSAMPLING, papers)
    basis = np.random.default_rng(seed).standard_normal((papers, size), np.float32)
    for _ in range(_ITERATIONS):
        for columns in _parts(size, _COLUMNS):
            basis[:, columns] = matrix @ basis[:, columns]
        # Once more, because what single precision leaves of the first time is in the way of the eigenvalues.
        _orthonormalise(basis)
        _orthonormalise(basis)
    small = np.concatenate([basis.T @ (matrix @ basis[:, columns]) for columns in _parts(size, _COLUMNS)], axis=1)
    eigenvalues, eigenvectors = np.linalg.eigh((small + small.T) / 2)
    largest = eigenvalues.argsort()[::-1][:dimension]
    scaled = eigenvectors[:, largest] * np.sqrt(eigenvalues[largest].clip(min=0))
    vectors = np.empty((papers, len(largest)), np.float32)
    for rows in _parts(papers, _ROWS):
        vectors[rows] = unit_rows(basis[rows] @ scaled)
    vectors[degrees == 0] = 0
    return vectors


def _normalised(edges: NDArray[np.int64], papers: int) -> tuple[Any, NDArray[np.int64]]:
    """D^-β (A + I) D^-β as compressed sparse rows, empty for papers without citations, and the degrees."""
    from scipy.sparse import csr_array

    degrees = np.bincount(edges[:, 0], minlength=papers) + np.bincount(edges[:, 1], minlength=papers)
    used = np.flatnonzero(degrees)
    both = np.concatenate([edges[:, 0] << 32 | edges[:, 1], edges[:, 1] << 32 | edges[:, 0]])
    # A citation of a paper by itself adds to the diagonal, as the identity does.
    places, values = np.unique(np.concatenate([np.unique(both), used << 32 | used]), return_counts=True)
    rows, columns = places >> 32, places & 0xFFFFFFFF
    weights = (degrees + 1.0) ** -DEGREE_EXPONENT
    values = (values * weights[rows] * weights[columns]).astype(np.float32)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=papers))])
    return csr_array((values, columns, starts), shape=(papers, papers)), degrees


def _orthonormalise(basis: Vectors) -> None:
    """Make the columns orthonormal in place, by the eigenvectors of their products; dependent ones become zero."""
    products = np.zeros((basis.shape[1], basis.shape[1]))
    for rows in _parts(len(basis), _ROWS):
        part = basis[rows].astype(np.float64)
        products += part.T @ part
    eigenvalues, eigenvectors = np.linalg.eigh(products)
    kept = eigenvalues > eigenvalues[-1] * _DEPENDENT
    scales = np.where(kept, eigenvalues, np.inf) ** -0.5
    transform = (eigenvectors * scales).astype(np.float32)
    for rows in _parts(len(basis), _ROWS):
        basis[rows] = basis[rows] @ transform


def _parts(length: int, size: int) -> list[slice]:
    return [slice(start, min(start + size, length)) for start in range(0, length, size)]


def link_prediction(edges: NDArray[np.int64], papers: int, share: float = 0.05, seed: int = 0) -> LinkPrediction:
    """Embed the graph without `share` of its citations, at most 2,000, and look for them."""
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(edges))
    kept_back = order[: max(1, min(_MOST_KEPT_BACK, int(len(edges) * share)))]
    train = np.delete(edges, kept_back, axis=0)
    vectors = node_embeddings(train, papers, seed=seed)
    linked = np.unique(unordered(edges[:, 0], edges[:, 1]))
    return rank_links(vectors, edges[kept_back], np.unique(edges), linked, generator)


def rank_links(
    vectors: Vectors, wanted: NDArray[np.int64], papers: NDArray[np.int64], linked: NDArray[np.int64],
    generator: np.random.Generator,
) -> LinkPrediction:  # fmt: skip
    """Rank the cited paper of each `wanted` citation among random `papers`; equal cosines count half."""
    ahead, among = np.zeros(len(wanted)), np.zeros(len(wanted))
    for place, (citing, cited) in enumerate(wanted):
        others = papers[generator.integers(0, len(papers), _CANDIDATES)]
        others = others[(others != citing) & ~contained(unordered(np.full(len(others), citing), others), linked)]
        cosines, wanted_cosine = vectors[others] @ vectors[citing], vectors[cited] @ vectors[citing]
        ahead[place] = (cosines > wanted_cosine).sum() + (cosines == wanted_cosine).sum() / 2
        among[place] = len(others)
    ranks = 1 + ahead
    return LinkPrediction(
        edges=len(wanted),
        auc=float(1 - (ahead / np.maximum(among, 1)).mean()),
        mrr=float((1 / ranks).mean()),
        hits_at_10=float((ranks <= 10).mean()),
    )
