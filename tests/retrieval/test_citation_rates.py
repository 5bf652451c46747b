"""Rates of citation against loops over seeds and papers, and what must not move them."""

from math import exp

import numpy as np
import pytest

from indexer.citations import CitationGraph
from retrieval.citation_rates import rates_of
from retrieval.graph import Seeds

PAPERS = 120


def a_graph(rng: np.random.Generator) -> list[tuple[int, int]]:
    ends = rng.integers(0, PAPERS, (700, 2))
    return sorted({(int(citing), int(cited)) for citing, cited in ends if citing != cited})


def graph_of(edges: list[tuple[int, int]]) -> CitationGraph:
    return CitationGraph.from_edges(np.asarray(edges, np.int32), PAPERS)


def some_years(rng: np.random.Generator) -> np.ndarray:
    years = rng.integers(1995, 2020, PAPERS)
    years[rng.random(PAPERS) < 0.2] = 0
    return years.astype(np.int16)


def by_loops(
    edges: list[tuple[int, int]], years: np.ndarray, seeds: list[tuple[int, float]], citing: np.ndarray, added: float
) -> list[tuple[float, float]]:
    """Both rates of every paper, by their definition."""
    links = set(edges)
    voters = [(seed, weight) for seed, weight in seeds if citing[seed] and any(a == seed for a, _ in links)]
    newest = max(int(years[seed]) for seed, _ in voters)
    rates = []
    for paper in range(PAPERS):
        votes = could = late_votes = late_could = 0.0
        for seed, weight in voters:
            year = int(years[seed]) or newest
            late = weight * exp(-(newest - year) / 3)
            able = 1.0 if year > years[paper] else 0.5 if year == years[paper] else 0.0
            cites = (seed, paper) in links
            votes, late_votes = votes + cites * weight, late_votes + cites * late
            could, late_could = could + able * weight, late_could + able * late
        rates.append((votes / (could + added), late_votes / (late_could + added / 3)))
    return rates


@pytest.mark.parametrize("seed", range(3))
def test_rates_are_what_their_definition_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    edges, years, citing = a_graph(rng), some_years(rng), rng.random(PAPERS) < 0.8
    best, weights = rng.permutation(PAPERS)[:30].astype(np.int32), rng.random(30)
    many = rng.permutation(PAPERS)[:60].astype(np.int32)
    docids = rng.permutation(PAPERS).astype(np.int32)
    seeds = {"seeds": Seeds(best, weights), "many": Seeds(many, np.ones(60))}
    found = rates_of(graph_of(edges), years, seeds, citing, docids)
    for voters, added in (("seeds", 0.5), ("many", 3.0)):
        weighted = list(zip(seeds[voters].docids.tolist(), seeds[voters].weights.tolist(), strict=True))
        expected = np.asarray(by_loops(edges, years, weighted, citing, added))[docids]
        np.testing.assert_allclose(found[voters], expected, rtol=1e-5, atol=1e-7)


def test_of_two_papers_that_as_many_seeds_cite_the_newer_one_has_the_higher_rate() -> None:
    years = np.asarray([2001, 2015, *range(2000, 2020)], np.int16)
    edges = [(21, 0), (20, 0), (21, 1), (20, 1), *((paper, 2) for paper in range(3, 20))]
    graph = CitationGraph.from_edges(np.asarray(edges, np.int32), len(years))
    seeds = {"many": Seeds(np.arange(2, 22, dtype=np.int32), np.ones(20))}
    found = rates_of(graph, years, seeds, np.ones(len(years), np.bool_), np.asarray([0, 1], np.int32))["many"]
    assert (found[1] > found[0]).all()


def test_one_more_citation_by_a_seed_never_lowers_a_paper_and_moves_no_other_one() -> None:
    rng = np.random.default_rng(5)
    edges, years, everyone = a_graph(rng), some_years(rng), np.ones(PAPERS, np.bool_)
    docids = np.arange(PAPERS, dtype=np.int32)
    seeds = {"seeds": Seeds(rng.permutation(PAPERS)[:30].astype(np.int32), rng.random(30))}
    before = rates_of(graph_of(edges), years, seeds, everyone, docids)["seeds"]
    seed = next(int(one) for one in seeds["seeds"].docids if any(citing == one for citing, _ in edges))
    paper = next(one for one in range(PAPERS) if (seed, one) not in edges and one != seed)
    after = rates_of(graph_of(sorted([*edges, (seed, paper)])), years, seeds, everyone, docids)["seeds"]
    assert (after[paper] > before[paper]).all()
    np.testing.assert_array_equal(np.delete(after, paper, 0), np.delete(before, paper, 0))


def test_nothing_to_rate_and_nobody_who_could_cite() -> None:
    graph, years = graph_of([(0, 1)]), np.zeros(PAPERS, np.int16)
    seeds = {"seeds": Seeds(np.zeros(0, np.int32), np.zeros(0))}
    everyone = np.ones(PAPERS, np.bool_)
    assert rates_of(graph, years, seeds, everyone, np.zeros(0, np.int32))["seeds"].shape == (0, 2)
    assert not rates_of(graph, years, seeds, everyone, np.arange(3, dtype=np.int32))["seeds"].any()
