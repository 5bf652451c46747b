"""The batches of the recipe `neighbourhood` against sets: who is in them, and what is held against what."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.encoders.triplet_corpora import Sets, corpus_of, random_corpus
from training.encoder.batches import Neighbourhood, NeighbourhoodBatches
from training.encoder.settings import NEIGHBOURHOOD, EncoderSettings


def neighbourhood(seed, papers=300, edges=1500, first=0):
    corpus = random_corpus(seed, papers, edges)
    vectors = np.random.default_rng(seed).standard_normal((papers, 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return Neighbourhood(corpus, corpus.queries, vectors, first)


def reference_loss(sets, vectors, documents, queries, scale=20.0):
    """Mean over the cited papers in the batch of −log softmax against what is not linked with the query."""
    losses = []
    for query in queries:
        scores = {other: scale * float(vectors[query] @ vectors[other]) for other in documents}
        against = [scores[other] for other in documents if other != query and not sets.linked(query, other)]
        for cited in sets.cites[query] & set(documents):
            losses.append(-scores[cited] + math.log(sum(map(math.exp, [*against, scores[cited]]))))
    return np.mean(losses)


@pytest.mark.parametrize("number", range(5))
def test_a_batch_is_what_the_sets_say(number):
    one = neighbourhood(1)
    sets = Sets(one.corpus)
    batches = NeighbourhoodBatches([one], NEIGHBOURHOOD)
    (chunk,) = batches.step(number)
    documents = chunk.documents.tolist()
    assert len(set(documents)) == len(documents)
    assert set(documents) <= sets.candidates
    # Which of the documents are queries is drawn again, as the recipe says it.
    generator = np.random.default_rng([0, number])
    generator.choice(1, p=[1.0])
    queries = batches._queries(one, generator).tolist()
    assert len(queries) <= 24
    assert set(queries) <= set(documents)
    for query in queries:
        assert len(sets.cites[query] & set(documents)) >= min(2, len(sets.cites[query]))
    assert len(documents) <= len(queries) * 4
    vectors = torch.from_numpy(one.vectors[chunk.documents])
    expected = reference_loss(sets, one.vectors, documents, queries)
    assert chunk.loss(vectors).item() == pytest.approx(expected, rel=1e-4)


def test_most_queries_of_a_batch_are_near_its_first_one():
    one = neighbourhood(2, papers=900, edges=4000)
    batches = NeighbourhoodBatches([one], NEIGHBOURHOOD)
    shares = []
    for number in range(20):
        generator = np.random.default_rng([0, number])
        anchor = np.random.default_rng([0, number])
        generator.choice(1, p=[1.0])
        anchor.choice(1, p=[1.0])
        first = anchor.choice(one.queries)
        queries = batches._queries(one, generator)
        near = one.queries[np.argsort(-(one.vectors[one.queries] @ one.vectors[first]))[:121]]
        shares.append(np.isin(queries, near).mean())
    assert np.mean(shares) > 0.65


def test_a_step_is_the_same_whenever_it_is_asked_for_and_corpora_stay_apart():
    corpora = [neighbourhood(3), neighbourhood(4, first=300)]
    once, again = (NeighbourhoodBatches(corpora, NEIGHBOURHOOD) for _ in range(2))
    seen = set()
    for number in (7, 3, *range(20)):
        documents = next(once.step(number)).documents
        assert np.array_equal(documents, next(again.step(number)).documents)
        which = set((documents // 300).tolist())
        assert len(which) == 1
        seen |= which
    assert seen == {0, 1}
    assert once.digest() == again.digest() != NeighbourhoodBatches(corpora[:1], NEIGHBOURHOOD).digest()
    assert once.steps(1) == round(sum(len(one.queries) for one in corpora) / 24)


def test_runs_differ_by_whatever_their_batches_depend_on():
    def batches(edges=((0, 1), (2, 3), (2, 4)), reverse=1, candidates=6):
        corpus = corpus_of(list(edges), [2010] * 6)
        corpus = replace(corpus, candidates=np.arange(6) < candidates)
        return NeighbourhoodBatches(
            [Neighbourhood(corpus, np.asarray([0, 2]), np.eye(6, dtype=np.float32)[::reverse], 0)], NEIGHBOURHOOD
        )

    others = (batches(edges=((0, 1), (0, 3), (2, 4))), batches(reverse=-1), batches(candidates=5))
    assert batches().digest() == batches().digest()
    assert len({one.digest() for one in (batches(), *others)}) == 4


def test_a_corpus_of_three_papers_has_batches_without_negatives():
    corpus = corpus_of([(0, 1), (0, 2), (1, 2)], [2010, 2009, 2008])
    one = Neighbourhood(corpus, corpus.queries, np.eye(3, dtype=np.float32), 0)
    (chunk,) = NeighbourhoodBatches([one], EncoderSettings(loss="in-batch", batch_size=24)).step(0)
    vectors = torch.eye(3)[chunk.documents].requires_grad_()
    loss = chunk.loss(vectors)
    loss.backward()
    assert loss.item() == 0
    assert torch.isfinite(vectors.grad).all()
