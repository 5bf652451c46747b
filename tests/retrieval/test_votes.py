"""Which seeds vote and with what weight, against loops over every paper: the definitions of `retrieval.graph`."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
import pytest

from indexer.citations import CitationGraph
from retrieval.context import OWN_CITERS, ContextSearch
from retrieval.graph import (
    KINDS,
    Evidence,
    GraphEvidence,
    citing_of,
    gather_evidence,
    seeds_of,
    votes_of,
)
from retrieval.hits import Hits

PAPERS = 320
MOST_CITING = 300  # citing papers of a seed that count co-citations

Edges = Sequence[tuple[int, int]]
Mask = Sequence[bool]


def oracle(
    edges: Edges, seeds: Sequence[tuple[int, float]], papers: int, candidates: Mask, citing: Mask, topic: Mask
) -> np.ndarray:
    """Votes for every paper, shape (papers, 3), one column of KINDS each.

    Args:
        edges: (citing, cited).
        seeds: (paper, weight); a paper that stands here twice votes twice.
        papers: How many there are.
        candidates: Which papers can get a vote.
        citing: Whose references count.
        topic: By whom citations are counted.
    """
    cites: dict[int, list[int]] = {paper: [] for paper in range(papers)}
    cited_by: dict[int, list[int]] = {paper: [] for paper in range(papers)}
    for one, other in sorted(edges):
        if citing[one]:
            cites[one].append(other)
            cited_by[other].append(one)
    degree = [max(sum(topic[one] for one in cited_by[paper]), 1) for paper in range(papers)]
    votes = np.zeros((papers, len(KINDS)))
    for seed, weight in seeds:
        for paper in cites[seed]:
            votes[paper, 0] += weight * candidates[paper]
        for paper in cited_by[seed]:
            votes[paper, 1] += weight / sqrt(len(cited_by[seed]))
        first = sorted(cited_by[seed], key=lambda one: (not topic[one], one))[:MOST_CITING]
        for one in first:
            for paper in cites[one]:
                if candidates[paper] and paper != seed:
                    votes[paper, 2] += weight / sqrt(degree[seed] * degree[paper])
    return votes


def topic_by_loops(edges: Edges, best: Sequence[int], seeds: Sequence[int], papers: int, citing: Mask) -> list[bool]:
    """The best by text, and what cites two of the seeds."""
    times = [len({cited for one, cited in edges if one == paper and cited in seeds}) for paper in range(papers)]
    return [bool(citing[paper]) and (paper in best or times[paper] >= 2) for paper in range(papers)]


def share(hits: Hits, paper: int) -> float:
    """What a source says of a seed: 1 of its best, 0 of the one at a quarter of its long list and of all below."""
    found = dict(zip(hits.docids.tolist(), hits.scores.tolist(), strict=True))
    if paper not in found:
        return 0.0
    least = float(hits.scores[len(hits) // 4])
    return min(max((found[paper] - least) / (float(hits.scores[0]) - least), 0.0), 1.0)


def graph_of(edges: Edges, papers: int = PAPERS) -> CitationGraph:
    return CitationGraph.from_edges(np.asarray(sorted(edges), np.int32).reshape(-1, 2), papers)


def random_edges(generator: np.random.Generator) -> list[tuple[int, int]]:
    ends = generator.integers(0, PAPERS, (2000, 2))
    return sorted({(int(citing), int(cited)) for citing, cited in ends if citing != cited})


def random_hits(generator: np.random.Generator, within: np.ndarray, count: int) -> Hits:
    docids = generator.permutation(np.flatnonzero(within))[:count]
    return Hits(docids.astype(np.int32), np.sort(generator.uniform(0.2, 1, len(docids)))[::-1].astype(np.float32))


def votes(
    edges: Edges, by_text: Hits, sources: Sequence[Hits], own: np.ndarray, evidence: Evidence, papers: int = PAPERS
) -> GraphEvidence:
    seeds = seeds_of(by_text, sources, own)["seeds"]
    return votes_of(graph_of(edges, papers), by_text, seeds, evidence, citing_of(evidence, own))


@pytest.mark.parametrize("seed", range(3))
def test_seeds_vote_with_their_own_weights(seed: int) -> None:
    generator = np.random.default_rng(seed)
    edges, allowed = random_edges(generator), generator.random(PAPERS) < 0.9
    evidence = Evidence(allowed, allowed & (generator.random(PAPERS) < 0.8))
    by_text = random_hits(generator, allowed, 260)
    sources = [random_hits(generator, allowed, 150), random_hits(generator, allowed, 200), Hits.none()]
    own = generator.permutation(np.flatnonzero(allowed))[:3].astype(np.int32)
    found = votes(edges, by_text, sources, own, evidence)
    best, already = by_text.docids.tolist(), [(paper, 1.0) for paper in own.tolist()]
    seeds = [(paper, (sum(share(one, paper) for one in sources[:2]) / 2) ** 3) for paper in best[:100]] + already
    many = seeds_of(by_text, sources, own)["many"]
    weighted = zip(many.docids.tolist(), many.weights.tolist(), strict=True)
    assert list(weighted) == [(paper, 1.0) for paper in best[:200]] + already
    topic = topic_by_loops(edges, best[:500], [*best[:100], *own.tolist()], PAPERS, evidence.citing)
    citing = evidence.citing.copy()
    citing[own] = True
    everyone = np.arange(PAPERS, dtype=np.int32)
    expected = oracle(edges, seeds, PAPERS, allowed, citing, topic)
    np.testing.assert_allclose(found.of(everyone), expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ([2.5], [1]),
        ([2, 1], [1, 1 / 8]),
        ([4, 3, 2], [1, 27 / 64, 1 / 8]),
        ([2.5, 2.5, 2.5], [1, 1, 1]),
        ([4, 4, 4, 4, 4, 2, 2, 1], [1, 1, 1, 1, 1, 1 / 8, 1 / 8, 1 / 64]),
        ([5, 4, 3, 3, 1, 1, 0.5], [1, 27 / 64, 1 / 8, 1 / 8, 0, 0, 0]),
        ([-0.5, -0.5], [0, 0]),
    ],
)
def test_papers_of_a_short_list_and_equal_ones_vote(scores: list[float], expected: list[float]) -> None:
    docids = np.arange(len(scores), dtype=np.int32)
    hits = Hits(docids, np.asarray(scores, np.float32))
    assert seeds_of(hits, [hits], np.zeros(0, np.int32))["seeds"].weights.tolist() == expected


def test_the_neighbours_of_papers_whose_votes_weigh_nothing_are_no_candidates() -> None:
    everyone = np.ones(5, np.bool_)
    seeds, weights = np.asarray([0, 1], np.int32), np.asarray([0.5, 0])
    found = gather_evidence(graph_of([(0, 2), (1, 3), (4, 1)], 5), seeds, weights, Evidence(everyone, everyone))
    assert found.ranked(10, everyone).docids.tolist() == [2]


def test_what_is_cited_already_votes_where_nothing_is_found_by_text() -> None:
    edges, everyone = random_edges(np.random.default_rng(7)), np.ones(PAPERS, np.bool_)
    own = np.asarray([5, 9], np.int32)
    found = votes(edges, Hits.none(), [Hits.none()], own, Evidence(everyone, everyone))
    topic = topic_by_loops(edges, [], own.tolist(), PAPERS, everyone)
    expected = oracle(edges, [(5, 1.0), (9, 1.0)], PAPERS, everyone, everyone, topic)
    np.testing.assert_allclose(found.of(np.arange(PAPERS, dtype=np.int32)), expected, rtol=1e-5)


def test_of_a_seed_that_is_cited_too_often_the_citing_papers_of_the_topic_count_first() -> None:
    often = 340
    papers = often + 3  # the seed 0, papers 1 and 2 that are cited beside it, and those that cite
    edges = [(paper, cited) for paper in range(3, papers) for cited in (0, 1)]
    edges += [(3, 2), (papers - 1, 2)]  # the first and the last of all
    everyone = np.ones(papers, np.bool_)
    for last_is_of_topic in (False, True):
        topic = np.zeros(papers, np.bool_)
        topic[papers - 1] = last_is_of_topic
        found = gather_evidence(
            graph_of(edges, papers), np.zeros(1, np.int32), np.ones(1), Evidence(everyone, everyone), topic
        )
        votes = found.of(np.arange(papers, dtype=np.int32))
        np.testing.assert_allclose(votes, oracle(edges, [(0, 1.0)], papers, everyone, everyone, topic), rtol=1e-5)
        assert votes[1, 2] == MOST_CITING
        assert votes[2, 2] == 1 + last_is_of_topic
        assert votes[3, 1] == pytest.approx(1 / sqrt(often)), "all that cite a seed get its vote, however many they are"


def test_citations_from_outside_the_topic_change_no_vote() -> None:
    """A paper that thousands of papers on other things cite keeps the votes that its own topic gives it."""
    generator = np.random.default_rng(3)
    edges = random_edges(generator)
    fillers = range(PAPERS, PAPERS + 900)
    everyone = np.ones(PAPERS + 900, np.bool_)
    by_text = random_hits(generator, np.ones(PAPERS, np.bool_), 260)
    known = int(by_text.docids[2])  # a seed, which makes it hardest
    before, after = (
        votes(links, by_text, [by_text], np.zeros(0, np.int32), Evidence(everyone, everyone), PAPERS + 900)
        for links in (edges, [*edges, *((filler, known) for filler in fillers)])
    )
    old, new = (one.of(np.arange(PAPERS, dtype=np.int32)) for one in (before, after))
    np.testing.assert_array_equal(old[:, [0, 2]], new[:, [0, 2]])
    # What cites it is told from more others that do.
    assert (new[:, 1] <= old[:, 1]).all()


def test_a_paper_of_the_year_of_the_query_is_a_candidate_and_does_not_vote() -> None:
    """0 is a seed; 1 is of the query's year and cites both; 2 is older and cites both; 3 is cited by both."""
    edges = [(1, 0), (1, 3), (2, 0), (2, 3)]
    everyone = np.ones(4, np.bool_)
    older = np.asarray([True, False, True, True])
    found = gather_evidence(graph_of(edges, 4), np.asarray([0, 1], np.int32), np.ones(2), Evidence(everyone, older))
    cited, cites, cocited = found.of(np.arange(4, dtype=np.int32)).T
    assert cited.tolist() == [0, 0, 0, 0]  # what the seed 1 cites is not known to have been there
    assert cites.tolist() == [0, 0, 1, 0]
    assert cocited[3] == 1  # by 2 alone


def test_papers_that_are_no_evidence_crowd_out_no_coupled_one():
    newer, older = range(3, 3 + 2 * OWN_CITERS), 3 + 2 * OWN_CITERS
    edges = np.asarray([(paper, 0) for paper in newer] + [(older, 0), (older, 1)], np.int32)
    known = np.ones(older + 1, np.bool_)
    known[list(newer)] = False
    search = ContextSearch(CitationGraph.from_edges(edges, older + 1), None, Evidence(known, known), known)
    found = search.candidates({}, {}, np.zeros(1, np.int32), follows_citations=True, depth=10)
    assert dict(zip(found.docids.tolist(), found.columns["own_coupling"].tolist(), strict=True))[1] > 0
