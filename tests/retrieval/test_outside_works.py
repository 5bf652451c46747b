"""The ranking of works outside an index against the formula, paper by paper."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.citations import CitationGraph
from indexer.links import Links
from indexer.outside import OutsideWorks
from retrieval.graph import Seeds
from retrieval.outside import COMMONNESS, TOGETHER, ranked_works

PAPERS, WORKS = 8, 5


def by_hand(cites, names, weights, citing, unwanted):
    """Votes of neighbours, and of who cites them, over a power of how often a work is cited."""
    voters = {}
    for number, weight in weights.items():
        voters[number] = voters.get(number, 0.0) + weight
        company = [paper for paper in range(PAPERS) if number in cites[paper] and paper in citing]
        for paper in company:
            share = weight / np.sqrt(len(company) * len(cites[paper]))
            voters[paper] = voters.get(paper, 0.0) + TOGETHER * share
    scores = {}
    for paper, vote in voters.items():
        for work in names[paper] if paper in citing else ():
            if work not in unwanted:
                scores[work] = scores.get(work, 0.0) + vote
    for work in scores:
        scores[work] /= sum(work in names[paper] for paper in citing) ** COMMONNESS
    return scores


papers = st.integers(0, PAPERS - 1)
rows = st.lists(st.sets(papers, max_size=4), min_size=PAPERS, max_size=PAPERS)
works = st.lists(st.sets(st.integers(0, WORKS - 1), max_size=3), min_size=PAPERS, max_size=PAPERS)


@settings(max_examples=150)
@given(rows, works, st.lists(papers, unique=True, max_size=4), st.sets(papers), st.sets(st.integers(0, WORKS - 1)))
def test_works_are_ranked_by_the_formula(cites, names, neighbours, citing, unwanted):
    edges = np.asarray(sorted((a, b) for a in range(PAPERS) for b in cites[a]), np.int32).reshape(-1, 2)
    pairs = np.asarray(sorted((a, b) for a in range(PAPERS) for b in names[a]), np.int32).reshape(-1, 2)
    outside = OutsideWorks.of(Links(edges, pairs, np.arange(WORKS, dtype=np.uint64)), PAPERS)
    weights = {number: 1 / (1 + place) for place, number in enumerate(neighbours)}
    found = ranked_works(
        CitationGraph.from_edges(edges, PAPERS),
        outside,
        Seeds(np.asarray(neighbours, np.int32), np.asarray(list(weights.values()))),
        np.isin(np.arange(PAPERS), sorted(citing)),
        np.asarray(sorted(unwanted), np.int64),
    )
    expected = by_hand(cites, names, weights, citing, unwanted)
    assert dict(zip(found.docids.tolist(), found.scores.tolist(), strict=True)) == pytest.approx(expected, rel=1e-5)
    assert all(np.diff(found.scores) <= 0)
