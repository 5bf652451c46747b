"""Vectors of texts, held against transformers used directly."""

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from encoders.minilm import minilm_folder
from encoders.model import Model
from encoders.pooled import digest_of, load_pooled
from encoders.pretrained import find_model
from encoders.runtimes.base import RuntimeName
from encoders.text import Text
from encoders.tokens import Tokens
from encoders.transformer import TextEncoder

pytestmark = pytest.mark.usefixtures("one_thread")


TEXTS = [
    Text("neural ranking of papers", "a neural network ranks the papers of a search"),
    Text("citation graph", ""),
    Text("", "the citation graph of a paper"),
    Text("a", "b"),
    Text("search " * 30, "network " * 5),
    Text("graph neural network", "the graph, the network, the search. " * 3),
    Text("12 34", "unknown 昨日 words"),
]


def preset(folder: Path, pooling: str = "cls", joint: str = "sep", max_tokens: int = 512) -> Model:
    return Model(str(folder), str(folder), pooling, joint, max_tokens, "of a test")  # type: ignore[arg-type]


def encoder(folder: Path, runtime: RuntimeName = "torch", **options: object) -> TextEncoder:
    return TextEncoder(preset(folder, **options), runtime)  # type: ignore[arg-type]


def direct(folder: Path, strings: list[str], pooling: str, max_tokens: int) -> np.ndarray:
    """One text at a time, so without any padding; straight from transformers."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder).eval()
    rows = []
    for string in strings:
        inputs = tokenizer(string, truncation=True, max_length=max_tokens, return_tensors="pt")
        with torch.no_grad():
            states = model(**inputs).last_hidden_state[0].double().numpy()
        row = states[0] if pooling == "cls" else states.mean(0)
        rows.append(row / np.linalg.norm(row))
    return np.asarray(rows)


def joined(texts: list[Text], separator: str) -> list[str]:
    return [separator.join(part.strip() for part in text if part.strip()) for text in texts]


@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_vectors_are_those_of_transformers(tiny_bert: Path, pooling: str) -> None:
    vectors = encoder(tiny_bert, pooling=pooling).encode(TEXTS)
    expected = direct(tiny_bert, joined(TEXTS, " [SEP] "), pooling, 64)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    # The oracle tells texts apart, so agreement with it says something.
    assert np.min(1 - (expected @ expected.T)[~np.eye(len(TEXTS), dtype=bool)]) > 1e-4


def test_the_two_poolings_differ(tiny_bert: Path) -> None:
    cls, mean = (encoder(tiny_bert, pooling=pooling).encode(TEXTS) for pooling in ("cls", "mean"))
    assert np.abs(cls - mean).max() > 0.01


@pytest.mark.parametrize("pooling", ["cls", "mean"])
@pytest.mark.parametrize("runtime", ["torch", "openvino"])
def test_roberta_positions_do_not_overflow(tiny_roberta: Path, pooling: str, runtime: RuntimeName) -> None:
    subject = encoder(tiny_roberta, runtime, pooling=pooling)
    assert subject.max_tokens == 41  # 42 positions, the first of which is the padding's
    long = [*TEXTS, Text("graph " * 200, "")]
    expected = direct(tiny_roberta, joined(long, " [SEP] "), pooling, 41)
    cosines = (subject.encode(long) * expected).sum(1)
    assert cosines.min() > (0.99999 if runtime == "torch" else 0.995)


def test_title_and_abstract_are_joined_by_the_separator_token(tiny_bert: Path) -> None:
    subject = encoder(tiny_bert)
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    sep, cls = tokenizer.sep_token_id, tokenizer.cls_token_id
    (ids,) = subject.token_ids([Text("graph neural", "search network paper")])
    words = [tokenizer.convert_tokens_to_ids(w) for w in ("graph", "neural", "search", "network", "paper")]
    assert ids == [cls, *words[:2], sep, *words[2:], sep]


def test_title_and_abstract_are_joined_by_a_period(tiny_bert: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    (ids,) = encoder(tiny_bert, joint="period").token_ids([Text("graph", "search")])
    assert tokenizer.convert_ids_to_tokens(ids) == ["[CLS]", "graph", ".", "search", "[SEP]"]


@pytest.mark.parametrize("text", [Text("graph", ""), Text("", "graph"), Text("  graph ", "\n\t")])
@pytest.mark.parametrize("joint", ["sep", "period"])
def test_an_empty_part_leaves_no_separator(tiny_bert: Path, text: Text, joint: str) -> None:
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    (ids,) = encoder(tiny_bert, joint=joint).token_ids([text])
    assert tokenizer.convert_ids_to_tokens(ids) == ["[CLS]", "graph", "[SEP]"]


def test_inputs_are_cut_at_the_end_to_max_tokens(tiny_bert: Path) -> None:
    subject = encoder(tiny_bert, max_tokens=10)
    ids = subject.token_ids([Text("graph " * 40, "search"), Text("graph", "search")])
    assert [len(row) for row in ids] == [10, 5]
    assert ids[0][-1] == ids[1][-1]  # the closing separator stays


def test_max_tokens_never_exceeds_the_models_positions(tiny_bert: Path) -> None:
    subject = encoder(tiny_bert, max_tokens=512)
    assert subject.max_tokens == 64
    assert subject.encode([Text("graph " * 1000, "")]).shape == (1, 32)


@pytest.mark.parametrize("runtime", ["torch", "openvino"])
@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_neither_batch_size_nor_order_changes_a_vector(tiny_bert: Path, runtime: RuntimeName, pooling: str) -> None:
    texts = TEXTS * 2 + [Text(f"paper {i}", "graph " * i) for i in range(12)]
    reference = encoder(tiny_bert, "torch", pooling=pooling).encode(texts, batch_size=1)
    order = random.Random(3).sample(range(len(texts)), len(texts))
    subject = encoder(tiny_bert, runtime, pooling=pooling)
    for batch_size in (1, 3, 8):
        shuffled = np.empty_like(reference)
        shuffled[order] = subject.encode([texts[i] for i in order], batch_size=batch_size)
        for vectors in (subject.encode(texts, batch_size=batch_size), shuffled):
            if runtime == "torch":  # fp32
                np.testing.assert_allclose(vectors, reference, atol=2e-6)
            else:  # bf16 where the processor has it: 8 bits of mantissa
                assert (vectors * reference).sum(1).min() > 0.995


@pytest.mark.parametrize(
    "text",
    [
        Text("\ud800graph\udfff", "sea\udcffrch"),
        Text("gra\0ph", "\0"),
        Text("\x01\x02\x1b[31m", "\u202e\u200b\ufeff"),
        Text("graph " * 170_000, "a" * 1_000_000),
        Text("昨日" * 500, "😀" * 500),
        Text("[SEP] [CLS] [MASK]", "[PAD] [PAD]"),
        Text("", ""),
    ],
    ids=["surrogates", "nul", "controls", "million", "scripts", "specials", "empty"],
)
def test_hostile_texts_get_a_unit_vector(tiny_bert: Path, text: Text) -> None:
    for pooling in ("cls", "mean"):
        vectors = encoder(tiny_bert, pooling=pooling).encode([text, Text("graph", "search")])
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_no_text_gives_no_vector(tiny_bert: Path) -> None:
    assert encoder(tiny_bert).encode([]).shape == (0, 32)


def test_openvino_agrees_with_torch_on_minilm() -> None:
    texts = [
        Text("Dense passage retrieval", "Passages and queries become vectors."),
        Text("BM25 and beyond", ""),
        Text("", "A citation recommender for papers in progress. " * 40),
        Text("图神经网络", "ein kurzer Satz"),
    ]
    reference = TextEncoder.load("minilm", "torch").encode(texts)
    np.testing.assert_allclose(
        reference, direct(minilm_folder(), joined(texts, ". "), "mean", 256), atol=1e-5, err_msg="torch"
    )
    assert (TextEncoder.load("minilm", "openvino").encode(texts) * reference).sum(1).min() > 0.999


def test_a_model_of_ones_own_is_read_like_specter(tiny_bert: Path) -> None:
    found = find_model(str(tiny_bert))
    assert (found.pooling, found.joint) == ("cls", "sep")
    expected = direct(tiny_bert, joined(TEXTS, " [SEP] "), "cls", 64)
    np.testing.assert_allclose(TextEncoder.load(str(tiny_bert), "torch").encode(TEXTS), expected, atol=1e-5)


def test_a_sentence_transformers_folder_is_pooled_as_it_declares(tiny_bert: Path, tmp_path: Path) -> None:
    folder = tmp_path / "own"
    shutil.copytree(tiny_bert, folder)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}', "utf-8")
    expected = direct(folder, joined(TEXTS, ". "), "mean", 64)
    np.testing.assert_allclose(TextEncoder.load(str(folder), "torch").encode(TEXTS), expected, atol=1e-5)


def changed_digest(folder: Path, change: Callable[[torch.nn.Module], object]) -> str:
    """Of the encoder in a folder with other weights."""
    loaded = load_pooled(preset(folder))
    change(loaded.module.model)
    return digest_of(preset(folder), loaded.facts.max_tokens, True, loaded.tokenizer, loaded.module.model)


def test_the_digest_tells_models_and_their_use_apart(tiny_bert: Path, tiny_roberta: Path) -> None:
    used, fresh = encoder(tiny_bert), encoder(tiny_bert)
    used.encode(TEXTS)
    assert used.digest == fresh.digest == changed_digest(tiny_bert, lambda model: None)
    others = [encoder(tiny_roberta), encoder(tiny_bert, pooling="mean"), encoder(tiny_bert, joint="period")]
    others += [encoder(tiny_bert, max_tokens=20)]

    def nudge(model: torch.nn.Module) -> None:
        next(model.parameters()).data[0, 0] += 1e-3

    assert len({changed_digest(tiny_bert, nudge), *(other.digest for other in [*others, fresh])}) == 6


def test_the_digest_of_half_precision_weights(tiny_bert: Path) -> None:
    half = changed_digest(tiny_bert, lambda model: model.to(torch.bfloat16))
    assert half != encoder(tiny_bert).digest


@pytest.mark.parametrize("folder", ["tiny_bert", "tiny_roberta", "minilm"])
def test_ids_are_those_of_transformers(folder: str, request: pytest.FixtureRequest) -> None:
    place = minilm_folder() if folder == "minilm" else request.getfixturevalue(folder)
    texts = [*joined(TEXTS, " [SEP] "), *joined(TEXTS, ". "), "", "[MASK] naïve Ünïcödé 昨日 graph" * 40]
    own = AutoTokenizer.from_pretrained(place)
    subject = Tokens.of(own)
    again = Tokens(subject.core, subject.facts)
    for length in (8, 64, 256):
        expected = own(texts, truncation=True, max_length=length)["input_ids"]
        assert subject(texts, truncation=True, max_length=length)["input_ids"] == expected
        assert again(texts, truncation=True, max_length=length)["input_ids"] == expected
    assert again(texts, add_special_tokens=False)["input_ids"] == own(texts, add_special_tokens=False)["input_ids"]


def test_a_vocabulary_alone_becomes_a_tokenizer(tiny_bert: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(tiny_bert, tmp_path / "old"))
    vocabulary = AutoTokenizer.from_pretrained(tiny_bert).get_vocab()
    for path in folder.glob("*token*"):
        path.unlink()
    (folder / "vocab.txt").write_text("\n".join(sorted(vocabulary, key=vocabulary.__getitem__)) + "\n", "utf-8")
    expected = AutoTokenizer.from_pretrained(folder)(joined(TEXTS, " [SEP] "), truncation=True, max_length=64)
    assert encoder(folder, "openvino").token_ids(TEXTS) == expected["input_ids"]


def test_a_querys_vector_is_the_same_to_the_last_bit_in_any_company(tiny_bert: Path) -> None:
    subject = encoder(tiny_bert, "openvino")
    alone = np.concatenate([subject.encode_queries([text]) for text in TEXTS])
    assert np.array_equal(subject.encode_queries(TEXTS), alone)
    assert np.array_equal(subject.encode_queries(TEXTS[::-1])[::-1], alone)
    np.testing.assert_allclose(alone, direct(tiny_bert, joined(TEXTS, " [SEP] "), "cls", 64), atol=1e-5)


def test_a_model_that_was_trained_again_in_its_folder_is_loaded_again(tiny_bert: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(tiny_bert, tmp_path / "model")
    first = TextEncoder.load(str(folder))
    assert TextEncoder.load(str(folder)) is first
    model = AutoModel.from_pretrained(folder)
    torch.nn.init.normal_(model.embeddings.word_embeddings.weight)
    model.save_pretrained(folder)
    again = TextEncoder.load(str(folder))
    assert again.digest != first.digest
    assert not np.allclose(again.encode(TEXTS), first.encode(TEXTS), atol=1e-3)
