"""What networks are trained by, against formulas and other implementations."""

import math

import numpy as np
import pytest
import torch

from training.losses import (
    coupled_margin,
    cross_entropy,
    distillation,
    expected_coupled_margin,
    list_loss,
    list_softmax,
    triplet_margin,
)


def test_the_margin_loss_is_torchs_and_that_of_sentence_transformers():
    generator = torch.Generator().manual_seed(0)
    query, positive, negative = torch.randn(3, 50, 8, generator=generator)
    ours = triplet_margin(query, positive, negative, 1.0) / 50
    assert ours.item() == pytest.approx(torch.nn.TripletMarginLoss(margin=1.0)(query, positive, negative).item(), 1e-5)
    st = pytest.importorskip("sentence_transformers.losses")
    embed = lambda features: {"sentence_embedding": features["x"]}  # noqa: E731
    features = [{"x": one} for one in (query, positive, negative)]
    assert ours.item() == pytest.approx(st.TripletLoss(embed, triplet_margin=1).forward(features, None).item(), 1e-5)


def test_equal_vectors_have_a_finite_gradient():
    query = torch.ones(1, 4, requires_grad=True)
    triplet_margin(query, query.detach().clone(), torch.zeros(1, 4), 10.0).backward()
    assert torch.isfinite(query.grad).all()


def test_the_softmax_loss_holds_every_positive_against_the_negatives_only():
    scores = torch.tensor([[1.0, 2.0, 0.5, -1.0], [0.3, 0.2, 0.1, 0.0], [1.0, 1.0, 1.0, 1.0]], requires_grad=True)
    positive = torch.tensor([[True, False, True, False], [False] * 4, [True, True, False, False]])
    ignored = torch.tensor([[False, False, False, True], [False] * 4, [False, False, True, True]])
    loss = list_softmax(scores, positive, ignored)
    # The third query has no negative, the second no positive.
    expected = sum(-math.log(math.exp(own) / (math.exp(own) + math.exp(2.0))) for own in (1.0, 0.5))
    assert loss.item() == pytest.approx(expected, 1e-6)
    loss.backward()
    assert torch.isfinite(scores.grad).all()
    assert not scores.grad[1:].any()


def test_list_loss_is_the_mean_negative_log_softmax_of_each_cited_one():
    scores, cited = torch.tensor([1.0, 2.0, 0.5, -1.0]), torch.tensor([True, False, True, False])
    expected = np.mean([-math.log(math.exp(s) / (math.exp(s) + math.exp(2.0) + math.exp(-1.0))) for s in (1.0, 0.5)])
    assert list_loss("softmax", scores, cited, None).item() == pytest.approx(expected, abs=1e-6)
    for nothing in (torch.zeros(4, dtype=torch.bool), torch.ones(4, dtype=torch.bool)):
        assert list_loss("softmax", scores, nothing, None).item() == 0


def test_cross_entropy_and_distillation_are_their_formulas():
    scores, cited, teacher = torch.tensor([1.0, -0.5, 2.0]), torch.tensor([True, False, False]), [0.5, 0.1, -2.0]
    expected = -sum(math.log(1 / (1 + math.exp(-s if c else s))) for s, c in zip(scores.tolist(), cited, strict=True))
    assert cross_entropy(scores, cited).item() == pytest.approx(expected, abs=1e-5)

    def softmax(values):
        return np.exp(values) / np.exp(values).sum()

    p, q = softmax(np.array(teacher)), softmax(scores.numpy().astype(float))
    expected = (p * np.log(p / q)).sum()
    assert distillation(scores, torch.tensor(teacher)).item() == pytest.approx(expected, abs=1e-5)
    assert distillation(scores + 7, torch.tensor(teacher) - 3).item() == pytest.approx(expected, abs=1e-5)


def test_the_margin_of_coupled_parts_by_hand():
    coupled, uncoupled = torch.tensor([0.9, 0.5, 0.5, 0.2]), torch.tensor([0.2, 0.45, 0.5, 0.6])
    # 0.7 and more than 0.1 apart; 0.05 of 0.1; not apart at all; the wrong way by 0.4
    assert coupled_margin(coupled, uncoupled, 0.1).tolist() == pytest.approx([0, 0.05, 0.1, 0.5])
    assert coupled_margin(coupled, uncoupled, 0.3).tolist() == pytest.approx([0, 0.25, 0.3, 0.7])


def test_the_expected_margin_is_the_mean_over_both_kinds_of_uncoupled_pairs_of_all_documents():
    rng = np.random.default_rng(4)
    front, back = (part / np.linalg.norm(part, axis=1, keepdims=True) for part in rng.normal(size=(2, 9, 3)))
    losses = []
    for i in range(9):
        for j in set(range(9)) - {i}:
            own = front[i] @ back[i]
            losses += [max(0, 0.1 - (own - front[i] @ back[j])), max(0, 0.1 - (own - front[j] @ back[i]))]
    assert expected_coupled_margin(torch.tensor(front), torch.tensor(back), 0.1) == pytest.approx(np.mean(losses))
