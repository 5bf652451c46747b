"""Triplets as SciNCL draws them (Ostendorff et al. 2022, section 3): neighbours in the space of the citation graph.

Neighbours of the query at ranks just up to k⁺ are positives, those just up to k⁻ are hard negatives, and random papers
that are no neighbours up to k⁻ are easy ones ("filtered random"). The ranks between the two bands are left out: they
are the margin that the sampling induces.

k⁺ = 25 and k⁻ = 4000 were found with 248,007 papers in the search index (appendix A.4, table 4; the 52.5 million nodes
are those of the graph from which the vectors were learned). Both ranks shrink in proportion to the papers, down to a
floor; in larger corpora they stay, as in the paper's second data set of 680,967.

A pair of papers is never positive in one triplet and negative in another, whichever of them is the query, and papers
that are linked are never negatives of each other. The paper only makes such collisions rare, by the margin, and counts
them (appendix A.8): `Drawing` gives its way.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from common.arrays import contained, unordered
from common.errors import TrainingError
from common.progress import progress
from training.triplets.node_embeddings import Vectors
from training.triplets.sampling import EasyPool, Mix, Sampled, SamplingCounts, TrainingCorpus, assemble, joined_chunks

PAPER_CORPUS, PAPER_POSITIVE, PAPER_NEGATIVE = 248_007, 25, 4000

_CHUNK = 1024
# Ranks before the hard band that may step in for linked papers within it.
_SPARE = 32
# Cosines of faiss and of numpy differ in the last digits.
_ROUNDING = 1e-5


@dataclass(frozen=True, slots=True)
class Drawing:
    """What may be drawn beside the bands (section 3.4)."""

    easy: Literal["filtered", "random"] = "filtered"  # random: neighbours up to k⁻, too (table 2)
    collisions: bool = False  # whether linked papers, and pairs that are positive elsewhere, may be negatives


@dataclass(frozen=True, slots=True)
class Bands:
    """Ranks among the neighbours of a query, from 1."""

    positives: int  # papers in the band of positives
    positive: int  # k⁺, its last rank
    negative: int  # k⁻, the last rank of the band of hard negatives

    @classmethod
    def scaled(cls, papers: int, mix: Mix, positive: int = PAPER_POSITIVE, negative: int = PAPER_NEGATIVE) -> Bands:
        """The bands up to these ranks of the paper's, for a corpus of so many papers with citations.

        The paper's best k⁺ becomes at least twice the width of its band, because the very nearest papers teach little,
        and its best k⁻ at least 8 k⁺, but never beyond the middle of the corpus; other ranks in proportion.

        Raises:
            TrainingError: the corpus is too small for both.
        """
        share = min(papers / PAPER_CORPUS, 1.0)
        best = max(2 * mix.triplets, round(PAPER_POSITIVE * share))
        farthest = min(max(8 * best, round(PAPER_NEGATIVE * share)), (papers - 1) // 2)
        bands = cls(
            mix.triplets,
            max(mix.triplets, round(best * positive / PAPER_POSITIVE)),
            round(farthest * negative / PAPER_NEGATIVE),
        )
        return bands.checked(papers, mix)

    def checked(self, papers: int, mix: Mix) -> Bands:
        """These bands, if they fit.

        Raises:
            TrainingError: a band is beyond the corpus or its first rank, or they overlap.
        """
        if self.positive < self.positives:
            raise TrainingError(
                f"{self.positives} positives cannot all be at ranks up to {self.positive}: a larger k⁺ is needed, or "
                "fewer negatives"
            )
        if not self.positive < self.negative - mix.hard < papers - mix.hard:
            raise TrainingError(
                f"{papers:,} papers with citations are too few for SciNCL's bands, or the bands overlap: positives up "
                f"to rank {self.positive}, {mix.hard} hard negatives up to rank {self.negative}"
            )
        return self

    def __str__(self) -> str:
        return (
            f"positives at ranks {self.positive - self.positives + 1} to {self.positive}, "
            f"hard negatives up to rank {self.negative}"
        )


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """What is kept of the neighbours of one chunk of queries."""

    positives: NDArray[np.int64]  # (queries, positives)
    band: NDArray[np.int64]  # (queries, hard + spare) ranks up to k⁻, the last first
    farthest: NDArray[np.float32]  # (queries,) cosine at rank k⁻, above which no paper is an easy negative


def scincl_triplets(
    corpus: TrainingCorpus, vectors: Vectors, bands: Bands, mix: Mix, seed: int = 0, drawing: Drawing | None = None
) -> tuple[Sampled, SamplingCounts]:
    """Triplets of all papers that cite; `vectors` are unit, zeros where a paper has no citations.

    Raises:
        TrainingError: `bands` do not fit the corpus.
    """
    import faiss

    embedded = np.flatnonzero(vectors.any(axis=1) & corpus.candidates)
    bands.checked(len(embedded), mix)
    drawing = drawing or Drawing()
    queries = np.intersect1d(corpus.queries, embedded)
    index = faiss.IndexFlatIP(vectors.shape[1])
    index.add(np.ascontiguousarray(vectors[embedded]))
    chunks = [queries[start : start + _CHUNK] for start in range(0, len(queries), _CHUNK)]
    found = [
        _neighbours(index, vectors[some], some, embedded, bands, mix)
        for some in progress(chunks, "citation neighbours")
    ]
    pairs = [unordered(some[:, None], near.positives).reshape(-1) for some, near in zip(chunks, found, strict=True)]
    forbidden = np.unique(np.concatenate([corpus.linked(), *pairs]))
    if drawing.collisions:
        forbidden = forbidden[:0]

    def of_chunk(number: int) -> tuple[Sampled, SamplingCounts]:
        some, near = chunks[number], found[number]
        farthest = near.farthest if drawing.easy == "filtered" else np.full(len(some), np.inf, np.float32)

        def far(at: NDArray[np.int64], papers: NDArray[np.int64]) -> NDArray[np.bool_]:
            # Whatever is as near as rank k⁻ is a neighbour up to it, or ties with one.
            cosines = np.einsum("ij,ij->i", vectors[some[at]], vectors[papers])
            keep = (papers != some[at]) & (cosines < farthest[at] - _ROUNDING)
            keep[keep] &= ~contained(unordered(some[at[keep]], papers[keep]), forbidden)
            return np.asarray(keep)

        positives = np.repeat(np.arange(len(some)), bands.positives), near.positives.reshape(-1)
        allowed = ~contained(unordered(some[:, None], near.band), forbidden)
        allowed &= np.cumsum(allowed, axis=1) <= mix.hard  # the last ones
        hard = np.nonzero(allowed)[0], near.band[allowed]
        pool = EasyPool.of_all(embedded, len(some), far)
        return assemble(some, positives, hard, pool, mix, np.random.default_rng([seed, number]))

    sampled, counts = joined_chunks(map(of_chunk, range(len(chunks))))
    return sampled, replace(counts, notes=[f"{corpus.name}: {bands}"])


def _neighbours(
    index: Any, vectors: Vectors, queries: NDArray[np.int64], embedded: NDArray[np.int64], bands: Bands, mix: Mix
) -> _Neighbours:
    cosines, places = index.search(vectors, bands.negative + 1)
    docids = embedded[places]
    others = docids != queries[:, None]
    others[others.all(axis=1), -1] = False  # papers cited by the same ones have equal vectors, and may come before
    docids = docids[others].reshape(len(queries), -1)
    cosines = cosines[others].reshape(len(queries), -1)
    spare = max(bands.positive, bands.negative - mix.hard - _SPARE)
    return _Neighbours(
        positives=docids[:, bands.positive - bands.positives : bands.positive],
        band=docids[:, spare : bands.negative][:, ::-1],
        farthest=cosines[:, -1],
    )
