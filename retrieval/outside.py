"""Works outside an index, ranked for a query by who cites them: its neighbours, and papers that cite these.

A work gets votes from the neighbours that cite it, and from every paper that cites it together with neighbours. Both
are divided by a power of how often the index cites the work: what everybody cites says little about a query.
"""

import numpy as np
from numpy.typing import NDArray

from common.arrays import place_within
from common.order import EXACT, best_first
from indexer.citations import CitationGraph
from indexer.outside import OutsideWorks
from retrieval.graph import Seeds, citation_counts, kept
from retrieval.hits import Allowed, Hits

# Chosen on papers that are older than the test papers; docs/experiments.md has the command.
TOGETHER = 1.0  # weight of a paper that cites neighbours, against that of a neighbour
COMMONNESS = 0.3  # power of the number of citations that divides the votes
_MAX_CITING = 300  # papers that cite a neighbour; more say no more of it
_MOST_VOTERS = 3000  # with all references, those that weigh most: the time of a query does not grow with the index


def ranked_works(
    graph: CitationGraph, outside: OutsideWorks, neighbours: Seeds, citing: Allowed, unwanted: NDArray[np.int64]
) -> Hits:
    """The works with votes, all of them, best first.

    Args:
        graph: Citations within the index.
        outside: Those of works outside.
        neighbours: Papers of the index, the best first, whose reference lists count, and whose company does.
        citing: By docid, which papers' references count at all.
        unwanted: Works that are not to be named, such as what the query cites already.
    """
    voters, weights = _voters(graph, neighbours, citing)
    places, works = outside.graph.cites.of_all(voters)
    numbers, place = np.unique(works, return_inverse=True)
    votes = np.bincount(place, weights[places], minlength=len(numbers))
    wanted = ~np.isin(numbers, unwanted)
    numbers, votes = numbers[wanted], votes[wanted]
    counts = np.maximum(citation_counts(outside.graph, numbers, citing), 1)
    return Hits.best(numbers, votes / counts**COMMONNESS, len(numbers), EXACT)


def _voters(graph: CitationGraph, neighbours: Seeds, citing: Allowed) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """All papers whose references vote, ascending, and with what weight."""
    places, papers = kept(graph.cited_by.of_all(neighbours.docids), citing)
    few = place_within(places) < _MAX_CITING  # a paper that everybody cites would bring them all
    places, papers = places[few], papers[few]
    together = neighbours.weights[places] / np.sqrt(
        np.maximum(np.bincount(places, minlength=len(neighbours.docids)), 1)[places]
        * np.maximum(np.diff(graph.cites.offsets)[papers], 1)
    )
    voters, place = np.unique(np.concatenate([neighbours.docids, papers]), return_inverse=True)
    weights = np.bincount(place, np.concatenate([neighbours.weights, TOGETHER * together]), minlength=len(voters))
    counts = citing[voters]
    voters, weights = voters[counts].astype(np.int64), weights[counts]
    heaviest = np.sort(best_first(weights, voters, EXACT)[:_MOST_VOTERS])
    return voters[heaviest], weights[heaviest]
