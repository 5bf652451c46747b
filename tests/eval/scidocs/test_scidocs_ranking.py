"""Ranking by distance against pytrec_eval called as the published code calls it, and against expectations by hand."""

import io
import math

import numpy as np
import pytest

from common.errors import SourceError
from eval.scidocs.embeddings import Embeddings, Question, random_embeddings, rank
from eval.significance import values_interval

pytrec_eval = pytest.importorskip("pytrec_eval")


def questions_of(seed, count=40, relevant=5, others=25):
    generator = np.random.default_rng(seed)
    found = []
    for n in range(count):
        grades = generator.permutation([1] * relevant + [0] * others)
        found.append(Question(f"q{n}", {f"c{n}-{place}": int(grade) for place, grade in enumerate(grades)}))
    return found


def ids_of(questions):
    return [paper for question in questions for paper in (question.query, *question.relevance)]


def without(embeddings, lost):
    return Embeddings({i: row for i, row in embeddings.rows.items() if i not in lost}, embeddings.vectors)


def published(questions, embeddings):
    """MAP and nDCG by the protocol of the SciDocs repository: five decimals, and what is missing left out."""
    lines = []
    for question in questions:
        if question.query in embeddings.rows:
            query = embeddings.vectors[embeddings.rows[question.query]]
            for paper in question.relevance:
                if paper in embeddings.rows:
                    distance = math.dist(query.tolist(), embeddings.vectors[embeddings.rows[paper]].tolist())
                    lines.append(f"{question.query} 0 {paper} 0 {-distance:.5f} run\n")
    gold = "".join(f"{q.query} 0 {paper} {grade}\n" for q in questions for paper, grade in q.relevance.items())
    qrel = pytrec_eval.parse_qrel(io.StringIO(gold))
    found = pytrec_eval.RelevanceEvaluator(qrel, {"map", "ndcg"}).evaluate(pytrec_eval.parse_run(lines))
    return tuple(np.mean([one[name] for one in found.values()]) for name in ("map", "ndcg"))


@pytest.mark.parametrize("missing", ["penalise", "leave-out"])
@pytest.mark.parametrize("seed", range(3))
def test_complete_embeddings_score_as_in_the_published_code(seed, missing):
    questions = questions_of(seed)
    embeddings = random_embeddings(ids_of(questions), seed, dimension=3)
    found = rank(questions, embeddings, missing)
    assert (found.average_precision.mean(), found.ndcg.mean()) == pytest.approx(published(questions, embeddings))
    assert (found.missing_queries, found.missing_candidates) == (0, 0)


@pytest.mark.parametrize("seed", range(3))
def test_incomplete_embeddings_left_out_score_as_in_the_published_code(seed):
    questions = questions_of(seed)
    ids = ids_of(questions)
    lost = set(np.random.default_rng(seed).choice(ids, len(ids) // 4, replace=False))
    embeddings = without(random_embeddings(ids, seed), lost)
    found = rank(questions, embeddings, "leave-out")
    assert (found.average_precision.mean(), found.ndcg.mean()) == pytest.approx(published(questions, embeddings))
    assert found.missing_queries == sum(q.query in lost for q in questions)
    assert found.missing_candidates == sum(len(lost & q.relevance.keys()) for q in questions if q.query not in lost)


@pytest.mark.parametrize("seed", range(20))
def test_a_lost_vector_never_raises_a_penalised_score(seed):
    questions = questions_of(seed, count=5)
    ids = ids_of(questions)
    complete = random_embeddings(ids, seed)
    lost = set(np.random.default_rng(seed).choice(ids, 20, replace=False)) - {questions[0].query}
    before, after = rank(questions, complete), rank(questions, without(complete, lost))
    assert len(after.ndcg) == len(questions)
    assert (after.average_precision <= before.average_precision + 1e-9).all()
    assert (after.ndcg <= before.ndcg + 1e-9).all()
    assert after.ndcg.mean() < before.ndcg.mean()


def test_what_is_lost_counts_by_hand():
    vectors = np.array([[0.0], [1.0], [2.0], [3.0]], np.float32)
    embeddings = Embeddings({"q": 0, "good": 1, "bad": 2, "good2": 3}, vectors)
    question = Question("q", {"good": 1, "bad": 0, "good2": 1})
    assert rank([question], embeddings).average_precision == pytest.approx([(1 + 2 / 3) / 2])
    assert rank([question], without(embeddings, {"bad"})).average_precision == pytest.approx([(1 / 2 + 2 / 3) / 2])
    assert rank([question], without(embeddings, {"bad"}), "leave-out").average_precision == pytest.approx([1.0])
    assert rank([question], without(embeddings, {"good"})).average_precision == pytest.approx([(1 / 2) / 2])
    two = [question, Question("lost", {"good": 1})]
    assert rank(two, embeddings).average_precision[1] == 0
    assert rank(two, embeddings, "leave-out").average_precision == pytest.approx([(1 + 2 / 3) / 2])
    with pytest.raises(SourceError, match="no query has an embedding"):
        rank([two[1]], embeddings)


def test_perfect_vectors_reach_one():
    questions = questions_of(0)
    rows, vectors = {}, []
    for question in questions:
        for paper in (question.query, *question.relevance):
            rows[paper] = len(vectors)
            vectors.append([0.0 if question.relevance.get(paper, 1) else 1.0])
    found = rank(questions, Embeddings(rows, np.array(vectors, np.float32)))
    assert (found.average_precision.min(), found.ndcg.min()) == (1.0, 1.0)


def test_random_vectors_reach_what_chance_expects():
    relevant, total = 5, 30
    # A random order has a relevant paper on place k with 5 / 30, and the others before it with 4 / 29 each.
    precision = sum((1 + (k - 1) * (relevant - 1) / (total - 1)) / k for k in range(1, total + 1)) / total
    ideal = sum(1 / math.log2(k + 1) for k in range(1, relevant + 1))
    ndcg = sum(relevant / total / math.log2(k + 1) for k in range(1, total + 1)) / ideal
    questions = questions_of(1, count=2000)
    found = rank(questions, random_embeddings(ids_of(questions)))
    assert found.average_precision.mean() == pytest.approx(precision, abs=0.01)
    assert found.ndcg.mean() == pytest.approx(ndcg, abs=0.01)
    # The papers' row "Random" has 24.9 to 25.6 and 51.4 to 51.9.
    assert (round(100 * precision, 1), round(100 * ndcg, 1)) == (25.3, 51.8)


def test_the_interval_agrees_with_scipy():
    from scipy.stats import bootstrap

    values = np.random.default_rng(3).beta(2, 1, 150)
    ours = values_interval(values, draws=20_000)
    theirs = bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, rng=1).confidence_interval
    assert ours.value == pytest.approx(values.mean())
    assert (ours.low, ours.high) == pytest.approx((theirs.low, theirs.high), abs=0.003)
