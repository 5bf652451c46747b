"""Triplets as SPECTER draws them (Cohan et al., ACL 2020, sections 2.2 and 4).

The positive is a paper that the query cites. Two of a query's five negatives are hard, cited by a paper that the query
cites but not by the query; three are random. Beyond the paper: no negative is linked with the query in either
direction, or is newer than it. A newer paper is uncited for its date, and a model that sees only older positives among
negatives of all years learns dates instead of subjects.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from common.arrays import contained, ordered, unordered
from common.progress import progress
from training.triplets.corpus import Edges, TrainingCorpus
from training.triplets.sampling import EasyPool, Mix, Sampled, SamplingCounts, assemble

# Queries at a time: citations of citations are many.
_CHUNK = 1024


def specter_triplets(
    corpus: TrainingCorpus, mix: Mix, seed: int = 0, queries: NDArray[np.int64] | None = None
) -> tuple[Sampled, SamplingCounts]:
    """Triplets of `queries`, all papers that cite unless given."""
    queries = corpus.queries if queries is None else queries
    linked = corpus.linked()
    by_year = np.flatnonzero(corpus.candidates)
    by_year = by_year[np.argsort(corpus.years[by_year], kind="stable")]
    counts = SamplingCounts()
    chunks = []
    for start in progress(range(0, len(queries), _CHUNK), f"triplets of {corpus.name}"):
        some = queries[start : start + _CHUNK]
        generator = np.random.default_rng([seed, start])
        pool = _pool(corpus, some, by_year, linked)
        cited, hard = _cited(corpus, some), _citations_of_citations(corpus, some, linked)
        sampled, counted = assemble(some, cited, hard, pool, mix, generator)
        chunks.append(sampled)
        counts.add(counted)
    return Sampled.joined(chunks), counts


def _cited(corpus: TrainingCorpus, queries: NDArray[np.int64]) -> Edges:
    positions, cited = corpus.cites.of_all(queries)
    keep = _not_newer(corpus, queries[positions], cited)
    return positions[keep], cited[keep]


def _citations_of_citations(corpus: TrainingCorpus, queries: NDArray[np.int64], linked: NDArray[np.int64]) -> Edges:
    positions, cited = corpus.cites.of_all(queries)
    edges, second = corpus.cites.of_all(cited)
    keys = np.unique(ordered(positions[edges], second))
    places, papers = keys >> 32, keys & 0xFFFFFFFF
    keep = _possible_negative(corpus, queries[places], papers, linked)
    return places[keep], papers[keep]


def _pool(
    corpus: TrainingCorpus, queries: NDArray[np.int64], by_year: NDArray[np.int64], linked: NDArray[np.int64]
) -> EasyPool:
    years = corpus.years[queries]
    older = np.searchsorted(corpus.years[by_year], years, side="right")
    reach = np.where(years > 0, older, len(by_year)).astype(np.int64)
    return EasyPool(by_year, reach, lambda at, papers: _possible_negative(corpus, queries[at], papers, linked))


def _possible_negative(
    corpus: TrainingCorpus, queries: NDArray[np.int64], papers: NDArray[np.int64], linked: NDArray[np.int64]
) -> NDArray[np.bool_]:
    keep = (papers != queries) & _not_newer(corpus, queries, papers)
    keep[keep] &= ~contained(unordered(queries[keep], papers[keep]), linked)
    return np.asarray(keep)


def _not_newer(
    corpus: TrainingCorpus, queries: NDArray[np.int64], papers: NDArray[np.integer]
) -> NDArray[np.bool_]:  # fmt: skip
    return np.asarray((corpus.years[queries] == 0) | (corpus.years[papers] <= corpus.years[queries]))
