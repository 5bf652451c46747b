"""How many of the seeds that could cite a paper do so: votes that do not grow with the age of the paper.

The weight of the seeds that cite a paper is divided by that of all seeds that are newer than it, and of a few more that
do not cite it, which decide where hardly any seed is newer.
"""

import numpy as np
from numpy.typing import NDArray

from indexer.citations import CitationGraph
from retrieval.graph import Seeds, Voters, cited_among, cites_something
from retrieval.hits import Allowed, Docids

RATES = ("cited_rate", "recently_cited_rate")

# The weight of the seeds that are added, which do not cite a paper.
_ADDED: dict[Voters, float] = {"seeds": 0.5, "many": 3.0}
# In so many years the weight of a seed falls to 1 / e, where the recent ones are to count more.
_RECENT = 3.0

Rates = NDArray[np.float32]


def rates_of(
    graph: CitationGraph, years: NDArray[np.int16], seeds: dict[Voters, Seeds], citing: Allowed, docids: Docids
) -> dict[Voters, Rates]:
    """For each of `docids` the values of RATES by the seeds of every kind, shape (len(docids), 2).

    `cited_rate` is the weight of the seeds that cite the paper over the weight of those that could; of seeds of the
    paper's own year one half could. In `recently_cited_rate` seeds weigh less the older they are than the newest. A
    paper of unknown year could be cited by all, and a seed of unknown year counts as the newest.

    Args:
        graph: All citations.
        years: Of all papers, by docid; 0 where unknown.
        seeds: See `retrieval.graph.seeds_of`.
        citing: Whose reference lists count, by docid.
        docids: Of the papers.
    """
    own_years = years[docids].astype(np.int64)
    found: dict[Voters, Rates] = {}
    for voters, one in seeds.items():
        counts = cites_something(graph, one.docids, citing)
        papers, weights = one.docids[counts], one.weights[counts]
        known = years[papers].astype(np.int64)
        newest = known.max(initial=0)
        written = np.where(known > 0, known, newest)
        by_seed, places = cited_among(graph, papers, docids)
        columns = []
        recent = weights * np.exp((written - newest) / _RECENT)
        for weight, added in ((weights, _ADDED[voters]), (recent, _ADDED[voters] / _RECENT)):
            votes = np.bincount(places, weight[by_seed], minlength=len(docids))
            columns.append(votes / (_weight_of_newer(written, weight, own_years) + added))
        found[voters] = np.stack(columns, axis=1).astype(np.float32)
    return found


def _weight_of_newer(
    written: NDArray[np.int64], weights: NDArray[np.float64], years: NDArray[np.int64]
) -> NDArray[np.float64]:
    """The weight of what was written after each of `years`, and half of what was written in it."""
    order = np.argsort(written)
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    before, until = (below[np.searchsorted(written[order], years, side)] for side in ("left", "right"))
    return np.asarray(below[-1] - (before + until) / 2, np.float64)
