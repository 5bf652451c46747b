"""SPECTER's triplets against sets: which papers may be what, how many of each, and how they are drawn."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from tests.encoders.triplet_corpora import Sets, corpus_of, random_corpus
from training.triplets.sampling import EASY, HARD, Mix, draw
from training.triplets.specter import specter_triplets

SEEDS = range(12)


def by_query(sampled):
    found = defaultdict(list)
    for (query, positive, negative), kind in zip(sampled.rows.tolist(), sampled.kinds.tolist(), strict=True):
        found[query].append((positive, negative, kind))
    return found


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("mix", [Mix(), Mix(0, 5), Mix(5, 0), Mix(1, 1)])
def test_every_triplet_is_one_that_the_sets_allow(seed, mix):
    corpus = random_corpus(seed, years=seed % 3 > 0)
    sets = Sets(corpus)
    sampled, counts = specter_triplets(corpus, mix, seed)
    found = by_query(sampled)
    asked = {query for query in sets.papers if sets.cites[query]}
    assert counts.queries == len(asked)
    assert counts.without_positives == sum(not sets.positives(query) for query in asked)
    with_positives = {query for query in asked if sets.positives(query)}
    short = {query: mix.hard - min(mix.hard, len(sets.hard(query))) for query in with_positives}
    assert counts.replaced == sum(number > 0 for number in short.values())
    assert counts.replacements == sum(short.values())
    expected = 0
    for query in with_positives:
        triplets = found.pop(query, [])
        negatives = [negative for _, negative, _ in triplets]
        assert len(set(negatives)) == len(negatives)
        assert {positive for positive, _, _ in triplets} <= sets.positives(query)
        assert {negative for _, negative, kind in triplets if kind == HARD} <= sets.hard(query)
        assert {negative for _, negative, kind in triplets if kind == EASY} <= sets.possible(query)
        hard = mix.hard - short[query]
        assert sum(kind == HARD for _, _, kind in triplets) == hard
        assert len(triplets) == hard + min(mix.triplets - hard, len(sets.possible(query)) - hard)
        assert len({positive for positive, _, _ in triplets}) == min(len(triplets), len(sets.positives(query)))
        expected += mix.triplets
    assert not found
    assert counts.lacking == expected - len(sampled.rows)


def test_the_same_seed_gives_the_same_triplets_and_another_one_others():
    corpus = random_corpus(3)
    once, again, other = (specter_triplets(corpus, Mix(), seed)[0].rows for seed in (1, 1, 2))
    assert np.array_equal(once, again)
    assert not np.array_equal(once, other)


def test_a_paper_newer_than_the_query_or_citing_it_is_never_a_negative():
    # 0 cites 1, 1 cites 2 and 3; 3 cites 0 as well, and 4 is newer.
    corpus = corpus_of([(0, 1), (1, 2), (1, 3), (3, 0)], [2010, 2009, 2008, 2009, 2015])
    sampled, counts = specter_triplets(corpus, Mix(), queries=np.asarray([0]))
    assert sampled.rows.tolist() == [[0, 1, 2]]
    assert sampled.kinds.tolist() == [HARD]
    assert (counts.replacements, counts.lacking) == (1, 4)


def test_citations_of_many_queries_are_sampled_over_chunks(monkeypatch):
    corpus = random_corpus(5, papers=200, edges=1200)
    monkeypatch.setattr("training.triplets.specter._CHUNK", 16)
    sampled, counts = specter_triplets(corpus, Mix())
    assert set(sampled.rows[:, 0].tolist()) == {q for q in corpus.queries.tolist() if Sets(corpus).positives(q)}
    assert counts.queries == len(corpus.queries)


def test_drawing_is_uniform_and_without_repetition():
    generator = np.random.default_rng(0)
    edges = (np.repeat([0, 1], [6, 3]), np.asarray([10, 11, 12, 12, 13, 14, 20, 21, 22]))
    seen = Counter()
    for _ in range(3000):
        queries, papers = draw(edges, np.asarray([2, 5]), generator)
        assert queries.tolist() == [0, 0, 1, 1, 1]
        assert len(set(papers.tolist())) == 5
        seen.update(papers[:2].tolist())
    # 12 stands there twice, and counts once: each of five papers in two fifths of the draws.
    assert set(seen) == {10, 11, 12, 13, 14}
    assert all(abs(count - 1200) < 120 for count in seen.values())
