"""Any Hugging Face classifier as a cross-encoder."""

import numpy as np
import pytest
import torch

from common.errors import CitescoutError
from encoders.text import Text
from rerank.cross_encoder import CrossEncoder
from rerank.pairs import TokenSplit
from tests.rerank.tiny_models import save_tiny_bert, save_tiny_roberta

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
def test_scores_do_not_depend_on_batch_size_or_order(bert, runtime):
    if runtime == "openvino":
        pytest.importorskip("openvino")
    texts = candidates(23)
    reference = CrossEncoder.load(bert, SPLIT, "torch", batch_size=1).score(QUERY, texts)
    for size in (4, 23):
        scorer = CrossEncoder.load(bert, SPLIT, runtime, batch_size=size)
        tolerance = 1e-5 if runtime == "torch" else 5e-3
        np.testing.assert_allclose(scorer.score(QUERY, texts), reference, atol=tolerance)
        np.testing.assert_allclose(scorer.score(QUERY, texts[::-1])[::-1], reference, atol=tolerance)


def test_roberta_like_models_and_single_outputs_work(tmp_path):
    name = save_tiny_roberta(tmp_path)
    scores = CrossEncoder.load(name, SPLIT, "torch").score(QUERY, candidates(5))
    assert scores.shape == (5,)
    assert np.all((scores > 0) & (scores < 1))


def test_progress_counts_every_candidate_and_none_gives_an_empty_array(bert):
    scorer = CrossEncoder.load(bert, SPLIT, "torch")
    counted = []
    scorer.score(QUERY, candidates(11), counted.append)
    assert sum(counted) == 11
    assert scorer.score(QUERY, []).shape == (0,)


def test_a_split_longer_than_the_model_is_refused(bert):
    with pytest.raises(CitescoutError, match="positions"):
        CrossEncoder.load(bert)


def test_a_model_without_a_head_is_refused(tmp_path):
    name = save_tiny_bert(tmp_path, head=False)
    with pytest.raises(CitescoutError, match="no head"):
        CrossEncoder.load(name, SPLIT)


def test_pickled_weights_are_refused(tmp_path):
    name = save_tiny_bert(tmp_path, safe=False)
    with pytest.raises(CitescoutError) as error:
        CrossEncoder.load(name, SPLIT)
    assert "\n" not in str(error.value)


def test_a_missing_folder_is_one_line(tmp_path):
    with pytest.raises(CitescoutError) as error:
        CrossEncoder.load(str(tmp_path / "nowhere"), SPLIT)
    assert "\n" not in str(error.value)
