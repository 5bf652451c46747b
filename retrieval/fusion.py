"""One order out of several: reciprocal rank fusion (Cormack, Clarke, Büttcher, SIGIR 2009)."""

from collections.abc import Mapping

import numpy as np

from common.order import EXACT
from retrieval.hits import Hits

# The constant of the paper: how slowly a rank loses its worth.
RRF_K = 60


def reciprocal_rank_fusion(sources: Mapping[str, Hits], k: int = RRF_K) -> Hits:
    """All papers of all sources, scored by the sum over sources of 1 / (k + rank), ranks from 1."""
    docids = [hits.docids for hits in sources.values()]
    if not docids:
        return Hits.none()
    shares = [1.0 / (k + 1 + np.arange(len(hits))) for hits in sources.values()]
    papers, positions = np.unique(np.concatenate(docids), return_inverse=True)
    scores = np.asarray(np.bincount(positions, np.concatenate(shares), minlength=len(papers)), np.float64)
    return Hits.best(papers, scores, len(papers), EXACT)
