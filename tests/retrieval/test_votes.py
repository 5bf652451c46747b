"""Which seeds vote and with what weight, against loops over every paper: the definitions of `retrieval.graph`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import sqrt

import numpy as np
import pytest

from indexer.citations import CitationGraph
from retrieval.graph import VOTERS, gather_evidence, votes_of
from retrieval.hits import Hits

PAPERS = 320
MOST_CITING = 300  # citing papers of a seed that count co-citations
KINDS = ("cited_by_seeds", "cites_seeds", "cocited")

Edges = Sequence[tuple[int, int]]
Mask = Sequence[bool]


def oracle(edges: Edges, seeds: Sequence[tuple[int, float]], papers: int, candidates: Mask, voters: Mask) -> np.ndarray:
    """Votes for every paper, shape (papers, 3), one column of KINDS each.

    Args:
        edges: (citing, cited).
        seeds: (paper, weight); a paper that stands here twice votes twice.
        papers: How many there are.
        candidates: Which papers can get a vote.
        voters: Which papers count as citing others.
    """
    cites: dict[int, list[int]] = {paper: [] for paper in range(papers)}
    cited_by: dict[int, list[int]] = {paper: [] for paper in range(papers)}
    for citing, cited in sorted(edges):
        cites[citing].append(cited)
        if voters[citing]:
            cited_by[cited].append(citing)
    votes = np.zeros((papers, len(KINDS)))
    for seed, weight in seeds:
        for paper in cites[seed]:
            votes[paper, 0] += weight * candidates[paper]
        for paper in cited_by[seed]:
            votes[paper, 1] += weight * candidates[paper]
        for citing in cited_by[seed][:MOST_CITING]:
            for paper in cites[citing]:
                if candidates[paper]:
                    votes[paper, 2] += weight / sqrt(len(cited_by[seed]) * len(cited_by[paper]))
    return votes


def weighted(by_text: Hits, near: Hits, own: Sequence[int]) -> Mapping[str, list[tuple[int, float]]]:
    """The seeds of every kind and their weights; what the query cites already weighs as the best seed."""
    already = [(paper, 1.0) for paper in own]
    best = list(zip(by_text.numbers.tolist(), by_text.scores.tolist(), strict=True))
    nearest = [(paper, max(cosine, 0.0)) for paper, cosine in zip(near.numbers.tolist(), near.scores, strict=True)]
    return {
        "seeds": [(paper, (score / best[0][1]) ** 3) for paper, score in best[:100]] + already,
        "few": [(paper, 1.0) for paper, _ in best[:10]] + already,
        "many": [(paper, 1.0) for paper, _ in best[:200]] + already,
        "near": [(paper, (cosine / nearest[0][1]) ** 8) for paper, cosine in nearest[:100]] + already,
    }


def graph_of(edges: Edges, papers: int = PAPERS) -> CitationGraph:
    return CitationGraph.from_edges(np.asarray(sorted(edges), np.int32).reshape(-1, 2), papers)


def random_edges(chance: np.random.Generator) -> list[tuple[int, int]]:
    ends = chance.integers(0, PAPERS, (2000, 2))
    return sorted({(int(citing), int(cited)) for citing, cited in ends if citing != cited})


def random_hits(chance: np.random.Generator, within: np.ndarray, count: int, low: float) -> Hits:
    numbers = chance.permutation(np.flatnonzero(within))[:count]
    return Hits(numbers.astype(np.int32), np.sort(chance.uniform(low, 1, len(numbers)))[::-1].astype(np.float32))


@pytest.mark.parametrize("lowest_cosine", [-0.9, 0.5])  # some of the nearest point away from the query, or none does
@pytest.mark.parametrize("seed", range(2))
def test_every_kind_of_seed_votes_with_its_own_weights(seed: int, lowest_cosine: float) -> None:
    chance = np.random.default_rng(seed)
    edges, evidence = random_edges(chance), chance.random(PAPERS) < 0.9
    by_text = random_hits(chance, evidence, 260, 0.2)
    near = random_hits(chance, evidence, 150, lowest_cosine)
    own = chance.permutation(np.flatnonzero(evidence))[:3].astype(np.int32)
    found = votes_of(graph_of(edges), by_text, near, own, evidence)
    assert set(found) == set(VOTERS)
    everyone = np.arange(PAPERS, dtype=np.int32)
    for voters, seeds in weighted(by_text, near, own.tolist()).items():
        expected = oracle(edges, seeds, PAPERS, evidence, evidence)
        np.testing.assert_allclose(found[voters].of(everyone), expected, rtol=1e-4, atol=1e-6, err_msg=voters)


def test_what_is_cited_already_votes_where_nothing_is_found_by_text() -> None:
    chance = np.random.default_rng(7)
    edges, everyone = random_edges(chance), np.ones(PAPERS, np.bool_)
    found = votes_of(graph_of(edges), Hits.none(), Hits.none(), np.asarray([5, 9], np.int32), everyone)
    expected = oracle(edges, [(5, 1.0), (9, 1.0)], PAPERS, everyone, everyone)
    for voters in VOTERS:
        np.testing.assert_allclose(found[voters].of(np.arange(PAPERS, dtype=np.int32)), expected, rtol=1e-5)


def test_a_seed_that_is_cited_too_often_counts_only_its_first_citing_papers_as_co_citations() -> None:
    often = 340
    papers = often + 3  # the seed 0, papers 1 and 2 that are cited beside it, and those that cite
    citing = range(3, papers)
    # Paper 2 is cited beside the seed by the first of all, and by the first that no longer counts.
    edges = [(paper, 0) for paper in citing] + [(paper, 1) for paper in citing]
    edges += [(3, 2), (3 + MOST_CITING, 2)]
    everyone = np.ones(papers, np.bool_)
    found = gather_evidence(graph_of(edges, papers), np.zeros(1, np.int32), np.ones(1), everyone)
    cocited = found.of(np.asarray([1, 2], np.int32))[:, 2]
    np.testing.assert_allclose(cocited, [MOST_CITING / often, 1 / sqrt(often * 2)], rtol=1e-5)
    expected = oracle(edges, [(0, 1.0)], papers, everyone, everyone)
    np.testing.assert_allclose(found.of(np.arange(papers, dtype=np.int32)), expected, rtol=1e-5)
    assert found.of(np.asarray([3], np.int32))[0, 1] == 1, "all that cite a seed get its vote, however many they are"
