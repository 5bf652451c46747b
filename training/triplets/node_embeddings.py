"""Vectors of papers from the citation graph alone, and how well they predict citations that were kept back.

The vectors are eigenvectors: of S = D^-β (A + I) D^-β, A the citations read in both directions and D the papers'
degrees, the largest eigenvalues and their eigenvectors, each scaled by the root of its eigenvalue. A randomised range
finder with power iterations gets them in seconds (Halko, Martinsson & Tropp, SIAM Review 2011). SciNCL trains its
vectors edge by edge with PyTorch-BigGraph, whose last release is of 2019; docs/encoders.md compares the two.
"""

from __future__ import annotations

from dataclasses import dataclass

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


def node_embeddings(
    edges: NDArray[np.int64], papers: int, dimension: int | None = None, seed: int = 0
) -> Vectors:  # fmt: skip
    """Unit vectors, shape (papers, dimension), from citations, shape (n, 2); zeros for papers without citations."""
    import torch

    dimension = dimension or min(DIMENSION, max(LEAST_DIMENSION, papers // PAPERS_A_DIMENSION))

    both = np.concatenate([edges, edges[:, ::-1]])
    degrees = np.bincount(both[:, 0], minlength=papers)
    places = np.unique(both[:, 0] << 32 | both[:, 1])
    used = np.flatnonzero(degrees)
    rows, columns = np.concatenate([places >> 32, used]), np.concatenate([places & 0xFFFFFFFF, used])
    weights = (degrees + 1.0) ** -DEGREE_EXPONENT
    values = torch.from_numpy((weights[rows] * weights[columns]).astype(np.float32))
    matrix = torch.sparse_coo_tensor(
        torch.from_numpy(np.stack([rows, columns])), values, (papers, papers), check_invariants=True
    ).coalesce()
    size = min(dimension + _OVERSAMPLING, papers)
    basis = torch.randn(papers, size, generator=torch.Generator().manual_seed(seed))
    for _ in range(_ITERATIONS):
        basis = torch.linalg.qr(torch.sparse.mm(matrix, basis)).Q
    small = basis.T @ torch.sparse.mm(matrix, basis)
    eigenvalues, eigenvectors = torch.linalg.eigh((small + small.T) / 2)
    largest = eigenvalues.argsort(descending=True)[:dimension]
    scaled = (basis @ eigenvectors[:, largest]) * eigenvalues[largest].clamp(min=0).sqrt()
    vectors = scaled.numpy().astype(np.float32)
    vectors[degrees == 0] = 0
    return unit_rows(vectors)


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
