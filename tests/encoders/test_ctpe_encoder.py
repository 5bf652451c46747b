"""A CTPE as an encoder: its similarity, its folder, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch
from ctpe_tools import random_words, small_network, topical_texts

from common.errors import ModelError
from encoders.ctpe.encoder import rotated
from encoders.ctpe.files import CONFIG, VOCABULARY, WEIGHTS, load_ctpe, save_ctpe
from encoders.ctpe.parts import SPLITS, Split
from encoders.loading import load_encoder
from encoders.text import Text

TEXTS = topical_texts(30)
WORDS = random_words(TEXTS)


def saved(folder: Path, split: Split = "title", seed: int = 0) -> Path:
    save_ctpe(folder, small_network(WORDS, seed=seed), WORDS, split)
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return saved(tmp_path / "ctpe")


def by_hand(words: list[str], folder: Path) -> np.ndarray:
    """The vector of a run of words, out of the files alone."""
    from safetensors.numpy import load_file

    tensors = load_file(folder / WEIGHTS)
    listed = (folder / VOCABULARY).read_text("utf-8").split()
    run = np.stack([tensors["words"][listed.index(word)] for word in words]).astype(np.float64)
    features = []
    for place, width in enumerate((1, 2, 3, 5)):
        filled = np.concatenate([run, np.zeros((max(0, width - len(run)), run.shape[1]))])
        windows = [filled[start : start + width].T for start in range(len(filled) - width + 1)]
        for weight, bias in zip(tensors[f"weights.{place}"], tensors[f"biases.{place}"], strict=True):
            features.append(max(max(0.0, (weight * window).sum() + bias) for window in windows))
    return np.array(features)


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


@pytest.mark.parametrize("split", SPLITS)
def test_inner_product_of_query_and_document_is_half_the_sum_of_the_two_cosines(tmp_path, split):
    folder = saved(tmp_path / "ctpe", split)
    encoder = load_encoder(str(folder))
    scores = encoder.encode_queries(TEXTS[:4]) @ encoder.encode(TEXTS).T
    for i, query in enumerate(TEXTS[:4]):
        for j, document in enumerate(TEXTS):
            parts = []
            for text in (query, document):
                words = text.joined().split()
                position = len(text.title.split()) if split == "title" else round(len(words) * int(split) / 100)
                parts.append((by_hand(words[:position], folder), by_hand(words[position:], folder)))
            (front_i, back_i), (front_j, back_j) = parts
            assert 2 * scores[i, j] == pytest.approx(cosine(front_i, back_j) + cosine(front_j, back_i), abs=1e-5)


def test_queries_are_documents_with_their_halves_exchanged(folder):
    encoder = load_encoder(str(folder))
    documents = encoder.encode(TEXTS)
    assert documents.shape == (30, encoder.dimension) == (30, 2 * 32)
    np.testing.assert_allclose(np.linalg.norm(documents, axis=1), 1, atol=1e-6)
    queries = encoder.encode_queries(TEXTS)
    np.testing.assert_allclose(queries, encoder.as_queries(documents), atol=1e-6)
    np.testing.assert_allclose(queries[:, :32], documents[:, 32:], atol=1e-6)
    np.testing.assert_allclose(queries[:, 32:], documents[:, :32], atol=1e-6)
    np.testing.assert_array_equal(encoder.encode_queries(TEXTS[:3]), queries[:3])  # alone or in company


@pytest.mark.parametrize("text", [Text("", ""), Text("§ !", "…"), Text("unheard of", "nothing known")])
def test_a_text_of_no_known_word_is_zeros_and_no_nan(folder, text):
    encoder = load_encoder(str(folder))
    vectors = encoder.encode([TEXTS[0], text, TEXTS[1]])
    assert not vectors[1].any()
    assert np.isfinite(vectors).all()
    np.testing.assert_array_equal(vectors[[0, 2]], encoder.encode(TEXTS[:2]))
    assert encoder.encode([]).shape == (0, encoder.dimension)


def test_a_title_alone_is_both_parts(folder):
    encoder = load_encoder(str(folder))
    alone = encoder.encode([Text(TEXTS[0].title, "")])[0]
    np.testing.assert_allclose(alone[:32], alone[32:])
    np.testing.assert_allclose(alone[:32], encoder.encode(TEXTS[:1])[0, :32], atol=1e-6)


def test_a_folder_is_read_as_it_was_written(folder, tmp_path):
    again = load_ctpe(folder)
    assert again.digest == load_ctpe(saved(tmp_path / "twin")).digest
    assert again.name == str(folder)
    network = small_network(WORDS)
    runs = [np.array([WORDS.places[word] for word in text.title.split()]) for text in TEXTS]
    with torch.inference_mode():
        titles = torch.nn.functional.normalize(network(runs)).numpy()
    fronts = again.encode(TEXTS)[:, :32]
    np.testing.assert_allclose(2 * fronts @ fronts.T, titles @ titles.T, atol=1e-5)
    others = (saved(tmp_path / "seed", seed=1), saved(tmp_path / "split", "20"))
    assert len({again.digest, load_ctpe(folder, unit=False).digest, *(load_ctpe(one).digest for one in others)}) == 4


def test_without_unit_the_halves_keep_the_lengths_of_the_network(folder):
    raw = load_encoder(str(folder), unit=False).encode(TEXTS[:1])[0]
    title, abstract = (by_hand(part.split(), folder) for part in TEXTS[0])
    assert raw[:32] @ raw[32:] == pytest.approx(title @ abstract, rel=1e-4)
    assert np.linalg.norm(raw[:32]) == pytest.approx(np.linalg.norm(title), rel=1e-4)


@pytest.mark.parametrize("dimension", [1, 2, 24, 64, 100])
def test_rotation_keeps_inner_products_and_spreads_what_is_concentrated(dimension):
    scipy_linalg = pytest.importorskip("scipy.linalg")
    vectors = np.random.default_rng(dimension).normal(size=(5, dimension)).astype(np.float32)
    turned = rotated(vectors)
    size = turned.shape[1]
    np.testing.assert_allclose(turned @ turned.T, vectors @ vectors.T, atol=1e-4)
    single = rotated(np.eye(dimension, dtype=np.float32))
    np.testing.assert_allclose(np.abs(single), size**-0.5, rtol=1e-5)
    signs = single[:, 0] * size**0.5
    filled = np.pad(vectors * signs, ((0, 0), (0, size - dimension)))
    np.testing.assert_allclose(turned, filled @ scipy_linalg.hadamard(size) / size**0.5, atol=1e-4)


def test_a_folder_holds_no_pickle(folder):
    assert sorted(path.name for path in folder.iterdir()) == [CONFIG, WEIGHTS, VOCABULARY]
    header = (folder / WEIGHTS).read_bytes()
    assert json.loads(header[8 : 8 + int.from_bytes(header[:8], "little")])["words"]["dtype"] == "F32"
    assert json.loads((folder / CONFIG).read_bytes())["model_type"] == "ctpe"
    assert all(not path.read_bytes().startswith((b"\x80", b"PK")) for path in folder.iterdir())


def refusal(folder: Path) -> str:
    with pytest.raises(ModelError) as caught:
        load_encoder(str(folder))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("change", [lambda text: text + "more\n", lambda text: text[: len(text) // 2], lambda _: ""])
def test_another_vocabulary_is_refused(folder, change):
    path = folder / VOCABULARY
    path.write_text(change(path.read_text("utf-8")), "utf-8")
    assert "vocabulary mismatch" in refusal(folder)


def test_a_vocabulary_of_another_length_than_the_matrix_is_refused(folder, tmp_path):
    fewer = random_words(TEXTS[:1])
    save_ctpe(tmp_path / "fewer", small_network(fewer), fewer, "title")
    (folder / WEIGHTS).write_bytes((tmp_path / "fewer" / WEIGHTS).read_bytes())
    assert f"vocabulary mismatch: {folder / VOCABULARY} lists {len(WORDS.places)} words" in refusal(folder)


@pytest.mark.parametrize("name", [VOCABULARY, WEIGHTS])
def test_a_missing_file_is_refused(folder, name):
    (folder / name).unlink()
    assert name in refusal(folder)


@pytest.mark.parametrize("keep", [0, 4, 100, -10])
def test_truncated_weights_of_a_ctpe_are_refused(folder, keep):
    path = folder / WEIGHTS
    path.write_bytes(path.read_bytes()[:keep])
    refusal(folder)


@pytest.mark.parametrize(
    ("field", "value"),
    [("split", "30"), ("widths", []), ("widths", [1, 2, 3, 4]), ("widths", 3), ("channels", 7), ("channels", "x"),
     ("channels", 0), ("format", 2), ("vocabulary", None)],
)  # fmt: skip
def test_a_damaged_configuration_of_a_ctpe_is_refused(folder, field, value):
    config = json.loads((folder / CONFIG).read_bytes())
    (folder / CONFIG).write_text(json.dumps({**config, field: value}), "utf-8")
    refusal(folder)
    del config[field]
    (folder / CONFIG).write_text(json.dumps(config), "utf-8")
    refusal(folder)


def test_weights_that_are_not_finite_are_refused(tmp_path):
    network = small_network(WORDS)
    with torch.no_grad():
        network.biases[0][0] = torch.nan
    save_ctpe(tmp_path / "nan", network, WORDS, "title")
    assert "not finite" in refusal(tmp_path / "nan")


def test_transformers_are_behind_the_same_door(tiny_bert):
    encoder = load_encoder(str(tiny_bert), "torch")
    texts = [Text("graph", "search"), Text("the paper", "")]
    np.testing.assert_array_equal(encoder.encode(texts), encoder.encode_queries(texts))
    vectors = encoder.encode(texts)
    assert encoder.as_queries(vectors) is vectors
    assert encoder.name == str(tiny_bert)
