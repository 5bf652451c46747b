"""The network and the negatives of CTPE against independent computations."""

import numpy as np
import pytest
import torch
from ctpe_tools import random_words, small_network, topical_texts

from encoders.ctpe.network import encode_runs, max_pooled_convolution
from encoders.ctpe.parts import MAX_WORDS, completed, parts_of
from encoders.text import Text
from encoders.words import content_words
from training.ctpe.trainer import nearest_by_tf_idf, random_partners, tf_idf_partners

PLACES = {word: row for row, word in enumerate(["graph", "ranks", "papers", "by", "walks", "citations", "of", "the"])}


def rows(text: str) -> list[int]:
    return [PLACES[word] for word in text.split()]


@pytest.mark.parametrize(
    ("split", "front", "back"),
    [
        ("title", "graph walks", "the graph ranks papers by citations of papers"),
        ("20", "graph walks", "the graph ranks papers by citations of papers"),
        ("40", "graph walks the graph", "ranks papers by citations of papers"),
        ("60", "graph walks the graph ranks papers", "by citations of papers"),
        ("80", "graph walks the graph ranks papers by citations", "of papers"),
    ],
)
def test_a_text_is_parted_by_field_or_by_a_share_of_its_known_words(split, front, back):
    text = Text("Graph unheard walks", "The graph ranks papers; by citations, of papers!")
    parts = parts_of(text, PLACES, split)
    assert (parts.front.tolist(), parts.back.tolist()) == (rows(front), rows(back))


def test_parts_have_two_hundred_words_at_most_and_an_empty_one_is_stood_in_for():
    long = parts_of(Text("graph " * 500, "walks"), PLACES, "title")
    assert (len(long.front), len(long.back)) == (MAX_WORDS, 1) == (200, 1)
    for text in (Text("graph walks", "unheard"), Text("", "graph walks")):
        assert [part.tolist() for part in completed(parts_of(text, PLACES, "title"))] == [rows("graph walks")] * 2
    assert all(len(part) == 0 for part in completed(parts_of(Text("unheard", ""), PLACES, "title")))


@pytest.mark.parametrize("width", [1, 2, 3, 5])
def test_pooled_convolution_and_its_gradient_are_those_of_torch_text_by_text(width):
    rng = torch.Generator().manual_seed(width)
    words, channels, dimension = 30, 5, 7
    matrix = torch.cat([torch.randn(words, dimension, generator=rng), torch.zeros(1, dimension)]).double()
    lengths = torch.tensor([9, 1, 4, 2, 12, 5, 3, 3, 6, 7, 8, 1])
    texts = [torch.randint(0, words, (int(length),), generator=rng) for length in lengths]
    padded = torch.nn.utils.rnn.pad_sequence(texts, batch_first=True, padding_value=words)
    weight = torch.randn(channels, dimension, width, generator=rng, dtype=torch.double, requires_grad=True)
    bias = torch.randn(channels, generator=rng, dtype=torch.double, requires_grad=True)
    pooled = max_pooled_convolution(padded, lengths, matrix, weight, bias)
    along = torch.randn(pooled.shape, generator=rng, dtype=torch.double)
    ours = torch.autograd.grad(pooled, (weight, bias), along)
    expected = torch.stack(
        [
            torch.nn.functional.conv1d(
                torch.nn.functional.pad(matrix[text].T, (0, max(0, width - len(text))))[None], weight, bias
            ).amax(2)[0]
            for text in texts
        ]
    )
    torch.testing.assert_close(pooled, expected)
    for mine, theirs in zip(ours, torch.autograd.grad(expected, (weight, bias), along), strict=True):
        torch.testing.assert_close(mine, theirs)


def test_a_vector_does_not_depend_on_what_is_encoded_with_it():
    texts = topical_texts(40)
    words = random_words(texts)
    network = small_network(words)
    runs = [part for text in texts for part in parts_of(text, words.places, "title")]
    runs[3] = runs[3][:0]
    together = encode_runs(network, runs)
    alone = np.concatenate([encode_runs(network, [run]) for run in runs])
    np.testing.assert_allclose(together, alone, atol=1e-6)
    lengths = np.linalg.norm(together, axis=1)
    assert lengths[3] == 0
    np.testing.assert_allclose(np.delete(lengths, 3), 1, atol=1e-6)


def test_random_partners_are_all_the_others_of_the_batch_alike():
    rng = np.random.default_rng(0)
    batch = np.array([7, 1, 30, 4])
    drawn = np.stack([random_partners(batch, rng) for _ in range(3000)])
    for column, own in zip(drawn.T, batch, strict=True):
        values, counts = np.unique(column, return_counts=True)
        assert values.tolist() == sorted(set(batch.tolist()) - {own})
        assert counts.min() > 850


def test_nearest_by_tf_idf_are_those_of_scikit_learn():
    sklearn = pytest.importorskip("sklearn.feature_extraction.text")
    texts = topical_texts(60)
    rows_ = sklearn.TfidfVectorizer(
        tokenizer=content_words, lowercase=False, preprocessor=lambda t: t, token_pattern=None
    )
    cosines = (lambda m: (m @ m.T).toarray())(rows_.fit_transform(texts))
    np.fill_diagonal(cosines, -1)
    for count in (7, 100):
        nearest = nearest_by_tf_idf(texts, count)
        assert nearest.shape == (60, min(count, 59))
        for row, numbers in enumerate(nearest):
            assert row not in numbers
            assert len(set(numbers.tolist())) == len(numbers)
            expected = np.sort(cosines[row])[::-1][: len(numbers)]
            np.testing.assert_allclose(cosines[row][numbers], expected, atol=1e-6)


def test_half_of_the_tf_idf_partners_are_near_ones():
    nearest = np.stack([np.arange(100, 105) + 10 * row for row in range(20)])
    batch = np.arange(20)
    rng = np.random.default_rng(1)
    drawn = np.stack([tf_idf_partners(nearest)(batch, rng) for _ in range(500)])
    near = (drawn[:, :, None] == nearest[None]).any(2)
    assert near.mean() == pytest.approx(0.5, abs=0.02)
    others = np.where(near, -1, drawn)
    assert others.max() < 20
    assert not (others == batch).any()
    assert set(drawn[:, 3][near[:, 3]].tolist()) == set(nearest[3].tolist())
