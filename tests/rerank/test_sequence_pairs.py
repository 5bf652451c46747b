"""Any Hugging Face classifier as a cross-encoder."""

import json
import os
import tempfile
from pathlib import Path

import numpy as np
import pytest
import torch

from common.errors import CitescoutError
from encoders.text import Text
from rerank.cross_encoder import CrossEncoder
from rerank.token_split import TokenSplit
from tests.rerank.tiny_models import bert_tokenizer, save_tiny_bert, save_tiny_roberta

SPLIT = TokenSplit(24, 24)
QUERY = Text("w1 w2 w3", "w4 w5")


def candidates(count, seed=0):
    generator = np.random.default_rng(seed)
    draw = lambda most: " ".join(f"w{number}" for number in generator.integers(0, 60, generator.integers(1, most)))  # noqa: E731
    return [Text(draw(8), draw(30)) for _ in range(count)]


@pytest.fixture(scope="module")
def bert(tmp_path_factory):
    torch.manual_seed(0)
    return save_tiny_bert(tmp_path_factory.mktemp("bert"))


def test_score_is_the_softmax_of_the_model_itself(bert):
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    scores = CrossEncoder.load(bert, SPLIT, "torch").score(QUERY, [Text("w7", "w8 w9")])
    model = AutoModelForSequenceClassification.from_pretrained(bert).eval()
    inputs = AutoTokenizer.from_pretrained(bert)("w1 w2 w3. w4 w5", "w7. w8 w9", return_tensors="pt")
    with torch.no_grad():
        expected = torch.softmax(model(**inputs).logits, 1)[0, 1].item()
    assert scores.dtype == np.float32
    assert scores[0] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("runtime", ["torch", "openvino"])
def test_scores_do_not_depend_on_batch_size_or_order(bert, runtime, monkeypatch):
    if runtime == "openvino":
        pytest.importorskip("openvino")
    texts = candidates(23)
    monkeypatch.setattr("rerank.cross_encoder.batch_size_for", lambda count: 1)
    reference = CrossEncoder.load(bert, SPLIT, "torch").score(QUERY, texts)
    scorer = CrossEncoder.load(bert, SPLIT, runtime)
    for size in (4, 23):
        monkeypatch.setattr("rerank.cross_encoder.batch_size_for", lambda count, size=size: size)
        tolerance = 1e-5 if runtime == "torch" else 5e-3
        np.testing.assert_allclose(scorer.score(QUERY, texts), reference, atol=tolerance)
        np.testing.assert_allclose(scorer.score(QUERY, texts[::-1])[::-1], reference, atol=tolerance)


def test_roberta_like_models_and_single_outputs_work(tmp_path):
    name = save_tiny_roberta(tmp_path)
    scores = CrossEncoder.load(name, SPLIT, "torch").score(QUERY, candidates(5))
    assert scores.shape == (5,)
    assert np.all((scores > 0) & (scores < 1))


def test_no_candidate_gives_an_empty_array(bert):
    assert CrossEncoder.load(bert, SPLIT, "torch").score(QUERY, []).shape == (0,)


def test_a_split_longer_than_the_model_is_refused(bert):
    with pytest.raises(CitescoutError, match="positions"):
        CrossEncoder.load(bert)


def test_a_model_without_a_head_is_refused(tmp_path):
    name = save_tiny_bert(tmp_path, head=False)
    with pytest.raises(CitescoutError, match="no head"):
        CrossEncoder.load(name, SPLIT)


def damage_cut_short(folder):
    (folder / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:5000])


def damage_empty(folder):
    (folder / "model.safetensors").write_bytes(b"")


def damage_pickle_under_the_name_of_safetensors(folder):
    torch.save({"a": Bomb()}, folder / "model.safetensors")


def damage_only_a_pickle(folder):
    torch.save({"a": Bomb()}, folder / "pytorch_model.bin")
    (folder / "model.safetensors").unlink()


def damage_weights_of_another_architecture(folder):
    save_tiny_roberta(folder / "other")
    (folder / "other" / "model.safetensors").replace(folder / "model.safetensors")


def damage_config_of_another_architecture(folder):
    save_tiny_roberta(folder / "other")
    (folder / "other" / "config.json").replace(folder / "config.json")


def damage_config_of_a_deeper_network(folder):
    change_config(folder, num_hidden_layers=3)


def damage_config_of_a_wider_network(folder):
    change_config(folder, hidden_size=64)


def damage_config_without_a_type(folder):
    change_config(folder, model_type="nothing-known")


def damage_tokenizer_of_a_bigger_vocabulary(folder):
    tokenizer = bert_tokenizer()
    tokenizer.add_tokens([f"more{number}" for number in range(50)])
    tokenizer.save_pretrained(folder)


def damage_values_that_are_no_numbers(folder):
    from safetensors.torch import load, save

    tensors = load((folder / "model.safetensors").read_bytes())
    tensors["classifier.bias"][0] = float("nan")
    (folder / "model.safetensors").write_bytes(save(tensors, {"format": "pt"}))


def change_config(folder, **values):
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


class Bomb:
    """Tells the test if anything unpickles it."""

    def __reduce__(self):
        return Path.touch, (Path(tempfile.gettempdir()) / f"unpickled-{os.getpid()}",)


@pytest.mark.parametrize(
    "damage", [function for name, function in list(globals().items()) if name.startswith("damage_")],
    ids=lambda damage: damage.__name__,
)  # fmt: skip
def test_damaged_or_foreign_weights_are_one_clear_error(tmp_path, damage):
    name = save_tiny_bert(tmp_path)
    damage(tmp_path)
    with pytest.raises(CitescoutError) as error:
        CrossEncoder.load(name, SPLIT, "torch").score(QUERY, candidates(2))
    assert "\n" not in str(error.value)
    assert str(tmp_path) in str(error.value)
    assert not (Path(tempfile.gettempdir()) / f"unpickled-{os.getpid()}").exists()


def test_an_undamaged_copy_is_loaded(tmp_path):
    assert CrossEncoder.load(save_tiny_bert(tmp_path), SPLIT, "torch").score(QUERY, candidates(2)).shape == (2,)


def test_a_missing_folder_is_one_line(tmp_path):
    with pytest.raises(CitescoutError) as error:
        CrossEncoder.load(str(tmp_path / "nowhere"), SPLIT)
    assert "\n" not in str(error.value)
