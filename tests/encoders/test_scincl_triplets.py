"""SciNCL's triplets against an exhaustive search, and that no pair is both near and far."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from common.errors import TrainingError
from tests.encoders.triplet_corpora import Sets, random_corpus
from training.triplets.node_embeddings import node_embeddings
from training.triplets.sampling import EASY, HARD, Mix, joined
from training.triplets.scincl import PAPER_CORPUS, Bands, Drawing, scincl_triplets

BANDS = Bands(positives=5, positive=8, negative=40)


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def embedded_corpus(seed, papers=120, edges=400):
    corpus = random_corpus(seed, papers, edges)
    vectors = unit(np.random.default_rng(seed).standard_normal((papers, 6)))
    isolated = ~np.isin(np.arange(papers), corpus.citations())
    vectors[isolated] = 0
    return corpus, vectors, isolated


def neighbours(vectors, isolated, query):
    cosines = vectors.astype(np.float64) @ vectors[query].astype(np.float64)
    cosines[isolated], cosines[query] = -9, -9
    order = np.argsort(-cosines, kind="stable")
    return order[: len(order) - int(isolated.sum()) - 1].tolist()


@pytest.mark.parametrize("seed", range(6))
def test_bands_are_those_of_an_exhaustive_search(seed):
    corpus, vectors, isolated = embedded_corpus(seed)
    sets = Sets(corpus)
    sampled, counts = scincl_triplets(corpus, vectors, BANDS, Mix(), seed)
    rows, kinds = sampled.rows, sampled.kinds
    positive = {tuple(sorted(pair)) for pair in rows[:, :2].tolist()}
    assert counts.queries == len(corpus.queries) == len(set(rows[:, 0].tolist()))
    for query in corpus.queries.tolist():
        near = neighbours(vectors, isolated, query)
        own = rows[:, 0] == query
        assert sorted(set(rows[own, 1].tolist())) == sorted(near[3:8])
        allowed = [p for p in near[8:40] if tuple(sorted((query, p))) not in positive and not sets.linked(query, p)]
        assert sorted(rows[own & (kinds == HARD), 2].tolist()) == sorted(allowed[-2:])
        easy = rows[own & (kinds == EASY), 2].tolist()
        assert len(set(easy)) == len(easy) == 3
        assert set(easy) <= set(near[40:])


@given(st.integers(0, 10_000), st.integers(5, 12), st.integers(13, 45), st.integers(0, 3), st.integers(0, 4))
@settings(max_examples=40)
def test_no_pair_is_ever_both_positive_and_negative(seed, positive, negative, hard, easy):
    mix = Mix(hard, easy)
    corpus = random_corpus(seed, 100, 350)
    vectors = node_embeddings(corpus.citations(), 100, dimension=8)
    bands = Bands(max(mix.triplets, 1) if mix.triplets <= positive else positive, positive, negative + 3)
    sampled, _ = scincl_triplets(corpus, vectors, bands, mix, seed)
    pairs = [{tuple(sorted(pair)) for pair in sampled.rows[:, [0, end]].tolist()} for end in (1, 2)]
    assert pairs[0].isdisjoint(pairs[1])
    sets = Sets(corpus)
    assert not any(sets.linked(*pair) for pair in pairs[1])
    assert set(sampled.rows.reshape(-1).tolist()) <= sets.candidates
    assert all(len(set(row)) == 3 for row in sampled.rows.tolist())


def test_papers_with_equal_vectors_are_no_neighbours_of_themselves():
    corpus, vectors, _ = embedded_corpus(1)
    vectors[vectors.any(axis=1)] = unit(np.ones((1, 6)))
    sampled, counts = scincl_triplets(corpus, vectors, BANDS, Mix())
    assert (sampled.rows[:, 0] != sampled.rows[:, 1]).all()
    assert (sampled.rows[:, 0] != sampled.rows[:, 2]).all()
    # Every paper ties with rank k⁻, so none is outside the neighbours.
    assert (sampled.kinds == HARD).all()
    assert counts.lacking >= 3 * counts.queries


def test_ranks_scale_with_the_corpus_and_are_the_papers_in_its_size():
    assert Bands.scaled(PAPER_CORPUS, Mix()) == Bands(5, 25, 4000)
    assert Bands.scaled(680_967, Mix()) == Bands(5, 25, 4000)
    half = Bands.scaled(PAPER_CORPUS // 2, Mix())
    assert (half.positive, half.negative) == (12, 2000)
    small = Bands.scaled(4000, Mix())
    assert (small.positive, small.negative) == (10, 80)
    assert str(small) == "positives at ranks 6 to 10, hard negatives up to rank 80"


@pytest.mark.parametrize("papers", [0, 1, 10, 24])
def test_a_corpus_that_is_too_small_for_the_bands_is_an_error(papers):
    with pytest.raises(TrainingError, match=f"{papers} papers with citations are too few"):
        Bands.scaled(papers, Mix())


def test_a_rank_before_which_the_positives_have_no_room_is_named():
    with pytest.raises(TrainingError, match="5 positives cannot all be at ranks up to 3"):
        Bands(positives=5, positive=3, negative=40).checked(1000, Mix(2, 3))


@pytest.mark.parametrize("seed", range(3))
def test_drawn_as_in_the_paper_the_hard_band_is_taken_as_it_is(seed):
    corpus, vectors, isolated = embedded_corpus(seed)
    sampled, _ = scincl_triplets(corpus, vectors, BANDS, Mix(), seed, Drawing(collisions=True))
    rows, kinds = sampled.rows, sampled.kinds
    for query in corpus.queries.tolist():
        near = neighbours(vectors, isolated, query)
        own = rows[:, 0] == query
        assert sorted(rows[own & (kinds == HARD), 2].tolist()) == sorted(near[38:40])
        assert set(rows[own & (kinds == EASY), 2].tolist()) <= set(near[40:])


def test_collisions_are_pairs_that_are_positive_here_and_negative_there():
    corpus, vectors, _ = embedded_corpus(2)
    bands = Bands(5, 8, 14)  # so close that they meet
    counted = {}
    for collisions in (False, True):
        sampled, _ = scincl_triplets(corpus, vectors, bands, Mix(), 2, Drawing(collisions=collisions))
        positive, negative = ({frozenset(row) for row in sampled.rows[:, [0, end]].tolist()} for end in (1, 2))
        counted[collisions] = joined([(corpus.texts, sampled, corpus.linked())]).collisions
        assert counted[collisions] == len(positive & negative)
    assert counted[False] == 0 < counted[True]


def test_unfiltered_easy_negatives_may_be_neighbours():
    corpus, vectors, isolated = embedded_corpus(4)
    near = {query: set(neighbours(vectors, isolated, query)[:40]) for query in corpus.queries.tolist()}
    within = {}
    for easy in ("filtered", "random"):
        sampled, _ = scincl_triplets(corpus, vectors, BANDS, Mix(), 4, Drawing(easy))
        drawn = sampled.rows[sampled.kinds == EASY]
        within[easy] = sum(paper in near[query] for query, _, paper in drawn.tolist())
    assert within["filtered"] == 0 < within["random"]


def test_other_ranks_of_the_paper_scale_with_its_best_ones():
    mix = Mix()
    assert Bands.scaled(PAPER_CORPUS, mix, 100, 2000) == Bands(5, 100, 2000)
    assert Bands.scaled(3666, mix) == Bands(5, 10, 80)
    assert Bands.scaled(3666, mix, 50, 2000) == Bands(5, 20, 40)
    assert Bands.scaled(3666, mix, 5) == Bands(5, 5, 80)  # no fewer than are drawn
    with pytest.raises(TrainingError, match="too few"):
        Bands.scaled(3666, mix, 250)
    with pytest.raises(TrainingError, match="or the bands overlap: positives up to rank 100, 2 hard negatives up to "):
        Bands(5, 100, 50).checked(PAPER_CORPUS, mix)
