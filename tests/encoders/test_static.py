"""The encoder without a network: sums of vectors out of a table, near where MiniLM finds texts near."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file
from transformers import AutoTokenizer

from common.errors import ModelError
from encoders.loading import encodes_queries_alike, load_encoder
from encoders.minilm import minilm_place
from encoders.pretrained import find_model, model_folder
from encoders.static import encoder as static
from encoders.static.encoder import MAX_TOKENS, StaticEncoder
from encoders.text import Text
from indexer.generations import open_generation

TEXTS = [
    Text("Citation recommendation", "Which papers to cite, from a draft's title and abstract."),
    Text("", "Bread is baked of flour, water and salt; naïve bakers forget the salt."),
    Text("引文推荐 with graphs", ""),
    Text("Graphs", "a walk of the graph " * 600),
]


def test_a_vector_is_the_sum_of_the_tokens_vectors() -> None:
    tensors = load_file(static.WEIGHTS / "model.safetensors")
    tokenizer = AutoTokenizer.from_pretrained(minilm_place())
    expected = []
    for text in TEXTS:
        joined = f"{text.title}. {text.abstract}" if text.title and text.abstract else text.title or text.abstract
        total = np.zeros(tensors["vectors"].shape[1])
        for token in tokenizer(joined.strip(), add_special_tokens=False, verbose=False)["input_ids"]:
            total += tensors["vectors"][token].astype(float) * tensors["weights"][token]
        expected.append(total / np.linalg.norm(total))
    encoder = load_encoder("static")
    assert encoder.dimension == len(expected[0])
    np.testing.assert_allclose(encoder.encode(TEXTS), expected, atol=1e-5)
    np.testing.assert_allclose(
        StaticEncoder(unit=False).encode(TEXTS[:1])[0], expected[0] * _length(TEXTS[0]), rtol=1e-4
    )


def _length(text: Text) -> float:
    return float(np.linalg.norm(StaticEncoder(unit=False).encode([text])[0]))


def test_company_and_order_change_no_bit() -> None:
    encoder = load_encoder("static")
    together = encoder.encode(TEXTS * 300)
    for place, text in enumerate(TEXTS):
        np.testing.assert_array_equal(encoder.encode_queries([text])[0], together[place + len(TEXTS) * 299])


@pytest.mark.parametrize("blank", [Text("", ""), Text(" \n", "\t")])
def test_a_text_without_words_is_a_vector_of_zeros(blank: Text) -> None:
    assert not load_encoder("static").encode([blank]).any()
    assert load_encoder("static").encode([]).shape == (0, load_encoder("static").dimension)


def test_a_text_is_read_up_to_the_limit() -> None:
    encoder = load_encoder("static")
    head = "graph " * MAX_TOKENS
    np.testing.assert_array_equal(*encoder.encode([Text(head, ""), Text(f"{head} bread", "")]))
    assert (
        np.diff(encoder.encode([Text("graph " * 1000, ""), Text("graph " * 1000 + "bread", "")]), axis=0) != 0
    ).any()


def test_it_finds_near_what_minilm_finds_near(demo_index: Path) -> None:
    with open_generation(demo_index) as generation:
        vectors = load_encoder("static").encode([text for _, text in generation.catalog.all_texts()])
        nearest = [
            np.argsort(-(one @ one.T) + 2 * np.eye(len(one)), axis=1)[:, :10]
            for one in (vectors, generation.vectors().astype(np.float32))
        ]
        shared = np.mean([len(np.intersect1d(*rows)) / 10 for rows in zip(*nearest, strict=True)])
        assert shared > 0.3  # at random 10 / 375


def test_its_queries_are_encoded_like_documents_and_it_is_no_base() -> None:
    assert encodes_queries_alike("static")
    with pytest.raises(ModelError, match="without a network"):
        model_folder(find_model("static"))


@pytest.mark.parametrize("content", [None, b"", b"of another"])
def test_a_missing_or_damaged_table_is_named(
    tmp_path: Path, content: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if content is not None:
        (tmp_path / "model.safetensors").write_bytes(content)
    monkeypatch.setattr(static, "WEIGHTS", tmp_path)
    with pytest.raises(ModelError, match=r"model\.safetensors.*install (citescout|it) again") as caught:
        StaticEncoder()
    assert "\n" not in str(caught.value)
