"""Triplets from co-citations instead of citations (SPECTER, section 6, "task-specific fine-tuning", and table 3).

Positives are the papers that are most often cited along with the query, hard negatives those that are cited along with
it least often, but at least once; easy ones are random papers that never are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from common.arrays import contained, ordered
from common.progress import progress
from training.triplets.corpus import TrainingCorpus
from training.triplets.sampling import EasyPool, Mix, Sampled, SamplingCounts, assemble

# Queries at a time: papers that are cited together are many.
_CHUNK = 1024


def co_citation_triplets(corpus: TrainingCorpus, mix: Mix, seed: int = 0) -> tuple[Sampled, SamplingCounts]:
    """Triplets of all papers that are cited along with another one."""
    citations = corpus.citations()
    queries = np.unique(citations[:, 1])
    papers = np.flatnonzero(corpus.candidates)
    citations = citations[np.argsort(citations[:, 1], kind="stable")]
    counts = SamplingCounts()
    parts = []
    for start in progress(range(0, len(queries), _CHUNK), f"co-citations of {corpus.name}"):
        some = queries[start : start + _CHUNK]
        generator = np.random.default_rng([seed, start])
        places, together, often = _cited_together(corpus, citations, some)
        order = np.lexsort((generator.random(len(places)), -often, places))  # ties at random
        places, together = places[order], together[order]
        first = np.searchsorted(places, np.arange(len(some)))
        size = np.bincount(places, minlength=len(some))
        rank = np.arange(len(places)) - first[places]
        near = rank < mix.triplets
        far = ~near & (rank >= (size - mix.hard)[places])
        never = np.unique(ordered(places, together))

        def unrelated(
            at: NDArray[np.int64],
            drawn: NDArray[np.int64],
            some: NDArray[np.int64] = some,
            never: NDArray[np.int64] = never,
        ) -> NDArray[np.bool_]:
            return np.asarray((drawn != some[at]) & ~contained(ordered(at, drawn), never))

        pool = EasyPool(papers, np.full(len(some), len(papers), np.int64), unrelated)
        sampled, counted = assemble(
            some, (places[near], together[near]), (places[far], together[far]), pool, mix, generator
        )
        parts.append(sampled)
        counts.add(counted)
    return Sampled.joined(parts), counts


def _cited_together(
    corpus: TrainingCorpus, citations: NDArray[np.int64], queries: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """(position of the query, paper, papers that cite both), of `citations` sorted by the cited paper."""
    first, last = (np.searchsorted(citations[:, 1], queries, side=side) for side in ("left", "right"))
    sizes = last - first
    position = np.repeat(np.arange(len(queries)), sizes)
    within = np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    edges, cited = corpus.cites.of_all(citations[np.repeat(first, sizes) + within, 0])
    keys, often = np.unique(ordered(position[edges], cited), return_counts=True)
    places, papers = keys >> 32, keys & 0xFFFFFFFF
    keep = papers != queries[places]
    return places[keep], papers[keep], often[keep]
