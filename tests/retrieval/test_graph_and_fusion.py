"""Votes of the citation graph against loops over all papers, and fusion against its formula."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_votes import oracle

from indexer.citations import CitationGraph
from retrieval.fusion import reciprocal_rank_fusion
from retrieval.graph import Evidence, citation_counts, gather_evidence
from retrieval.hits import Hits


@st.composite
def cases(draw: st.DrawFn):
    papers = draw(st.integers(1, 9))
    number = st.integers(0, papers - 1)
    edges = {edge for edge in draw(st.sets(st.tuples(number, number), max_size=30)) if edge[0] != edge[1]}
    seeds = draw(st.lists(number, max_size=5))
    weights = draw(st.lists(st.floats(0.1, 1), min_size=len(seeds), max_size=len(seeds)))
    evidence = draw(st.lists(st.booleans() | st.just(True), min_size=papers, max_size=papers))
    return papers, edges, seeds, weights, evidence


@settings(max_examples=300)
@given(cases())
def test_votes_are_those_of_brute_force(case) -> None:
    papers, edges, seeds, weights, allowed = case
    mask = np.asarray(allowed)
    expected = oracle(sorted(edges), list(zip(seeds, weights, strict=True)), papers, mask, mask, mask)
    expected[~mask] = 0
    graph = CitationGraph.from_edges(np.asarray(sorted(edges), np.int32).reshape(-1, 2), papers)
    found = gather_evidence(graph, np.asarray(seeds, np.int32), np.asarray(weights), Evidence(mask, mask))
    everyone = np.arange(papers, dtype=np.int32)
    np.testing.assert_allclose(found.of(everyone), expected, rtol=1e-5, atol=1e-7)
    np.testing.assert_allclose(found.of(everyone[::-1]), expected[::-1], rtol=1e-5, atol=1e-7)
    assert found.docids.tolist() == np.flatnonzero(expected.any(1)).tolist()
    times_cited = [sum((a, n) in edges and allowed[a] for a in range(papers)) for n in range(papers)]
    assert citation_counts(graph, everyone, mask).tolist() == times_cited
    totals = expected.sum(1)
    kept = np.arange(papers) % 3 != 0
    hits = found.ranked(4, kept)
    wanted = sorted((-totals[n], n) for n in range(papers) if totals[n] and kept[n])[:4]
    np.testing.assert_allclose(hits.scores, [-total for total, _ in wanted], rtol=1e-5)
    assert all(kept[hits.docids])


@settings(max_examples=100)
@given(cases())
def test_edges_of_papers_that_are_no_evidence_change_nothing(case) -> None:
    papers, edges, seeds, weights, allowed = case
    kept = {(a, b) for a, b in edges if allowed[b] and allowed[a]}
    mask = np.asarray(allowed)
    answers = []
    for links in (edges, kept):
        graph = CitationGraph.from_edges(np.asarray(sorted(links), np.int32).reshape(-1, 2), papers)
        inside = [seed for seed in seeds if allowed[seed]]
        found = gather_evidence(
            graph, np.asarray(inside, np.int32), np.asarray(weights[: len(inside)]), Evidence(mask, mask)
        )
        answers.append(found.of(np.arange(papers, dtype=np.int32)).tolist())
    assert answers[0] == answers[1]


def test_no_seed_gives_no_vote() -> None:
    graph = CitationGraph.from_edges(np.asarray([[0, 1], [2, 1]], np.int32), 3)
    mask = np.ones(3, np.bool_)
    found = gather_evidence(graph, np.zeros(0, np.int32), np.zeros(0), Evidence(mask, mask))
    assert len(found.ranked(10, mask)) == 0
    assert found.of(np.arange(3, dtype=np.int32)).tolist() == [[0, 0, 0]] * 3


def hits_of(docids: list[int]) -> Hits:
    return Hits(np.asarray(docids, np.int32), np.arange(len(docids), 0, -1, dtype=np.float32))


@settings(max_examples=100)
@given(
    st.dictionaries(
        st.sampled_from(["bm25", "dense", "graph"]), st.lists(st.integers(0, 20), unique=True, max_size=15)
    ),
    st.integers(0, 100),
)
def test_fusion_is_the_sum_of_reciprocal_ranks(sources: dict[str, list[int]], k: int) -> None:
    expected: dict[int, float] = {}
    for docids in sources.values():
        for rank, number in enumerate(docids, start=1):
            expected[number] = expected.get(number, 0) + 1 / (k + rank)
    fused = reciprocal_rank_fusion({name: hits_of(docids) for name, docids in sources.items()}, k)
    assert sorted(fused.docids.tolist()) == sorted(expected)
    np.testing.assert_allclose(fused.scores, [expected[number] for number in fused.docids.tolist()], rtol=1e-6)
    assert (np.diff(fused.scores) <= 0).all()


@pytest.mark.parametrize("swap", [False, True])
def test_papers_of_equal_fused_score_come_in_the_order_of_their_numbers(swap: bool) -> None:
    lists = [hits_of([5, 2, 9]), hits_of([2, 5, 1])]
    fused = reciprocal_rank_fusion(dict(zip("ab", lists[::-1] if swap else lists, strict=True)))
    assert fused.docids.tolist() == [2, 5, 1, 9]


def test_best_hits_break_ties_by_number() -> None:
    hits = Hits.best(np.asarray([7, 3, 9, 1]), np.asarray([1.0, 2.0, 1.0, 1.0]), 3)
    assert hits.docids.tolist() == [3, 1, 7]
