"""How the static encoder's table is made: whitened vectors, fitted to MiniLM's neighbours, kept in 8 bits."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load
from sklearn.decomposition import PCA

from training import static_table
from training.static_table import fitted, packed, read, whitened


def test_whitened_vectors_are_the_principal_components() -> None:
    rng = np.random.default_rng(0)
    vectors = (rng.normal(size=(500, 12)) @ rng.normal(size=(12, 12)) + 3).astype(np.float32)
    found, expected = whitened(vectors, 5), PCA(5, whiten=True).fit_transform(vectors)
    np.testing.assert_allclose(np.abs(found), np.abs(expected) / np.sqrt(5 * 499 / 500), rtol=2e-2, atol=1e-3)


def nearest(vectors: np.ndarray) -> np.ndarray:
    unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return np.argsort(2 * np.eye(len(unit)) - unit @ unit.T, axis=1)[:, :10]


def shared(one: np.ndarray, other: np.ndarray) -> float:
    return float(np.mean([len(np.intersect1d(*rows)) / 10 for rows in zip(one, other, strict=True)]))


@pytest.mark.long
def test_a_fitted_table_finds_more_of_minilms_neighbours(demo_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary = len(static_table._vocabulary())
    start = np.random.default_rng(0).normal(size=(vocabulary, 384)).astype(np.float32)
    monkeypatch.setattr(static_table, "token_vectors", lambda: start)
    corpus = read(demo_index)
    minilm = nearest(corpus.minilm)
    before, after = (shared(nearest(corpus.tokens @ fitted([corpus], steps)), minilm) for steps in (0, 40))
    assert after > before + 0.1


def test_eight_bits_keep_each_token_as_exactly_as_its_largest_coordinate_allows() -> None:
    vocabulary = len(static_table._vocabulary())
    scales = np.geomspace(1e-6, 1e3, vocabulary)[:, None]
    vectors = (np.random.default_rng(1).normal(size=(vocabulary, 8)) * scales).astype(np.float32)
    tensors = load(packed(vectors.copy()))
    kept = tensors["vectors"] * tensors["weights"][:, None].astype(float)
    special = [static_table._vocabulary()[token] for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]
    assert not kept[special].any()
    other = np.setdiff1d(np.arange(vocabulary), special)
    largest = np.abs(vectors[other]).max(axis=1, keepdims=True)
    assert (np.abs(kept[other] - vectors[other]) <= largest / 127 * 0.51).all()
