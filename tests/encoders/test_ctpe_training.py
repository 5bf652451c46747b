"""Training a CTPE network: what it learns, and when it stops."""

from copy import deepcopy
from itertools import pairwise

import numpy as np
import pytest
import torch
from ctpe_tools import TOPICS, random_words, small_network, topical_texts
from interrupted import ending_at

from common.errors import TrainingError
from encoders.ctpe.network import TextCnn, encode_runs
from encoders.ctpe.parts import Parts, parts_of
from training.checkpoints import FILE
from training.ctpe.settings import CtpeSettings
from training.ctpe.trainer import held_out, nearest_by_tf_idf, random_partners, tf_idf_partners, train_network
from training.losses import expected_coupled_margin

TEXTS = topical_texts(240)
WORDS = random_words(TEXTS)
PAIRS = [parts_of(text, WORDS.places, "title") for text in TEXTS]
TRAINING, HELD_OUT = PAIRS[:200], PAIRS[200:]


def parameters(network: TextCnn) -> dict[str, torch.Tensor]:
    return deepcopy(network.state_dict())


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return all(torch.equal(tensor, other[name]) for name, tensor in one.items())


def loss_of(network: TextCnn, pairs: list[Parts]) -> float:
    front, back = (torch.from_numpy(encode_runs(network, [pair[side] for pair in pairs])) for side in (0, 1))
    return expected_coupled_margin(front, back, 0.1)


def topic_precision(network: TextCnn, pairs: list[Parts]) -> float:
    """How often the best of the other documents, by the sum of the two cosines, is of the same topic."""
    front, back = (encode_runs(network, [pair[side] for pair in pairs]) for side in (0, 1))
    similarity = front @ back.T + (front @ back.T).T
    np.fill_diagonal(similarity, -9)
    topics = np.arange(200, 240) % TOPICS
    return float((topics[similarity.argmax(1)] == topics).mean())


@pytest.mark.long
@pytest.mark.parametrize("negatives", ["random", "tfidf"])
def test_training_lowers_the_held_out_loss_and_finds_the_topic(negatives):
    partners = None
    if negatives == "tfidf":
        pytest.importorskip("sklearn")
        partners = tf_idf_partners(nearest_by_tf_idf(TEXTS[:200]))
    network = small_network(WORDS, 24)
    matrix = network.matrix.clone()
    before = topic_precision(network, HELD_OUT)
    settings = CtpeSettings(epochs=60, patience=60, batch_size=50, learning_rate=1e-2)
    course = train_network(network, TRAINING, HELD_OUT, settings, partners)
    assert min(course.held_out_losses) < 0.75 * course.held_out_losses[0]
    assert topic_precision(network, HELD_OUT) > before + 0.2
    assert torch.equal(network.matrix, matrix), "word vectors stay as they are"


def test_the_network_of_the_best_epoch_is_kept_and_training_stops_after_it():
    network = small_network(WORDS, 24)
    settings = CtpeSettings(epochs=200, patience=3, batch_size=50, learning_rate=3e-2)
    course = train_network(network, TRAINING, HELD_OUT, settings)
    losses = course.held_out_losses
    assert course.best_epoch == int(np.argmin(losses))
    assert len(losses) - 1 == course.best_epoch + 3 < 200
    assert loss_of(network, HELD_OUT) == pytest.approx(min(losses), abs=1e-7)


def test_training_that_never_helps_leaves_the_network_as_it_was():
    network = small_network(WORDS, 6)
    before = parameters(network)
    # Held-out pairs of different topics: the better the parts of one topic agree, the larger their loss.
    mismatched = [Parts(one.front, other.back) for one, other in pairwise(HELD_OUT)]
    settings = CtpeSettings(epochs=20, patience=2, batch_size=50, learning_rate=1e-2, seed=3)
    course = train_network(network, TRAINING, mismatched, settings)
    assert (course.best_epoch, len(course.held_out_losses)) == (0, 3)
    assert same(before, parameters(network))


def test_no_epoch_is_the_untrained_network():
    network = small_network(WORDS)
    before = parameters(network)
    course = train_network(network, TRAINING, HELD_OUT, CtpeSettings(epochs=0))
    assert course.held_out_losses == (pytest.approx(loss_of(network, HELD_OUT)),)
    assert same(before, parameters(network))


def test_the_same_seed_trains_the_same_network():
    def trained(seed: int) -> dict[str, torch.Tensor]:
        network = small_network(WORDS)
        train_network(network, TRAINING, HELD_OUT, CtpeSettings(epochs=2, batch_size=50, seed=seed))
        return parameters(network)

    first = trained(0)
    assert same(first, trained(0))
    assert not same(first, trained(1))


@pytest.mark.parametrize("size", [1, 2])
def test_a_document_is_never_alone_in_its_batch(size):
    sizes = []

    def partners(batch, generator):
        sizes.append(len(batch))
        return random_partners(batch, generator)

    train_network(small_network(WORDS), PAIRS[:7], HELD_OUT, CtpeSettings(epochs=1, batch_size=size), partners)
    assert sizes == [3, 2, 2]


def test_one_step_is_the_formula_on_all_four_parts():
    """Both parts of a document and of its partner, each through the network on its own, then Adam."""
    network, twin = small_network(WORDS), small_network(WORDS)
    two = PAIRS[:2]  # each is the other's only possible partner
    train_network(network, two, HELD_OUT, CtpeSettings(epochs=1, batch_size=200, margin=3.0))
    found = []
    for lends_back in [(a, b) for a in (0, 1) for b in (0, 1)]:
        candidate = deepcopy(twin)
        optimizer = torch.optim.Adam(candidate.parameters(), lr=1e-3)
        losses = []
        for own, lends in enumerate(lends_back):
            other = 1 - own
            pair = (two[own].front, two[other].back) if lends else (two[other].front, two[own].back)
            cosines = [
                torch.nn.functional.cosine_similarity(candidate([front]), candidate([back]))
                for front, back in (two[own], pair)
            ]
            losses.append(torch.clamp(3.0 - (cosines[0] - cosines[1]), min=0))
        torch.cat(losses).mean().backward()
        optimizer.step()
        found.append(
            all(
                torch.allclose(a, b, atol=1e-5)
                for a, b in zip(network.parameters(), candidate.parameters(), strict=True)
            )
        )
    assert any(found)


@pytest.mark.parametrize(("pairs", "word"), [(0, "zero"), (1, "1"), (3, "3")])
def test_too_few_pairs_are_reported_before_any_work(pairs, word):
    with pytest.raises(TrainingError, match=f"{word} training pairs"):
        held_out(pairs, 0)


@pytest.mark.parametrize(("pairs", "expected"), [(4, 2), (100, 5), (1000, 50), (100_000, 1000)])
def test_a_share_of_the_pairs_is_held_out(pairs, expected):
    kept, back = held_out(pairs, 3)
    assert len(back) == expected
    assert sorted([*kept.tolist(), *back.tolist()]) == list(range(pairs))
    assert not np.array_equal(back, held_out(pairs, 4)[1])


def test_a_run_that_was_interrupted_ends_with_the_same_bits(tmp_path):
    settings = CtpeSettings(epochs=7, patience=9, batch_size=50, learning_rate=3e-2, checkpoint_every=3)
    whole, parts = small_network(WORDS), small_network(WORDS)
    course = train_network(whole, TRAINING, HELD_OUT, settings)
    with ending_at(17), pytest.raises(KeyboardInterrupt):
        train_network(parts, TRAINING, HELD_OUT, settings, None, tmp_path, "run")
    assert (tmp_path / FILE).exists()
    resumed = small_network(WORDS, seed=5)  # another start: all that counts is in the checkpoint
    assert train_network(resumed, TRAINING, HELD_OUT, settings, None, tmp_path, "run", resume=True) == course
    assert same(parameters(whole), parameters(resumed))
    with pytest.raises(TrainingError, match="other settings"):
        train_network(resumed, TRAINING, HELD_OUT, settings, None, tmp_path, "another", resume=True)
