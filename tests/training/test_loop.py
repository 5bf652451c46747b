"""The loop that every training goes through: its rates, when it ends, what it keeps, and its checkpoints."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from interrupted import ending_at
from safetensors.torch import save_file

from common.errors import TrainingError
from training.checkpoints import FILE, Position, remove_checkpoint
from training.encoder.settings import NEIGHBOURHOOD, SPECTER
from training.loop import Learner, ShuffledGroups, run
from training.settings import TrainingSettings, rate, slanted_triangular

KEPT = TrainingSettings(checkpoint_every=2)


class Scripted(Learner):
    """A learner whose validation goes as written."""

    device = torch.device("cpu")

    def __init__(self, qualities=None):
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.groups = [{"params": [self.weight]}]
        self.qualities, self.kept, self.learned = qualities, [], []

    def learn(self, step):
        self.learned.append(step)
        self.weight.grad = torch.full((1,), (step + 1) / 100)
        return 1.0

    def quality(self):
        return self.qualities and self.qualities[self._step]

    def tensors(self):
        return {"weight": self.weight}

    def keep(self):
        self.kept.append(self._step)

    @property
    def _step(self):
        return self.learned[-1] + 1 if self.learned else 0


def test_the_schedule_is_that_of_howard_and_ruder():
    steps, cut_share, ratio = 200, 0.1, 32
    cut = math.floor(steps * cut_share)
    for step in range(steps):
        p = step / cut if step < cut else 1 - (step - cut) / (cut * (1 / cut_share - 1))
        assert slanted_triangular(step, steps, cut_share) == pytest.approx((1 + p * (ratio - 1)) / ratio)
    assert rate(cut, steps, SPECTER) == 1
    assert [rate(step, 2000, NEIGHBOURHOOD) for step in (0, 1000)] == pytest.approx([1 / 60, 0.5])
    assert all(0 < slanted_triangular(step, 3, 0.1) <= 1 for step in range(3))


def test_training_stops_when_it_gets_no_better_and_keeps_the_best():
    learner = Scripted({2: 0.3, 4: 0.9, 6: 0.5, 8: 0.9, 10: 0.2, 12: 3.0})
    settings = TrainingSettings(evaluate_every=2, patience=3, warm_up=0)
    end = run(learner, settings, 100)
    assert learner.kept == [2, 4]
    assert (end.step, end.best) == (10, (4, 0.9))


def test_no_training_ends_while_its_rate_still_rises():
    learner = Scripted({2: 0.9, 4: 0.1, 6: 0.1, 8: 0.1, 10: 0.2, 12: 0.3, 14: 0.3, 16: 1.0})
    end = run(learner, TrainingSettings(evaluate_every=2, patience=3, warm_up=10), 16)
    assert (end.step, learner.kept) == (16, [2, 16])
    learner = Scripted({2: 0.9, 4: 0.1, 6: 0.1, 8: 0.1, 10: 0.2, 12: 0.3, 14: 0.3})
    end = run(learner, TrainingSettings(evaluate_every=2, patience=2, warm_up=10), 100)
    assert (end.step, learner.kept) == (14, [2])


def test_the_network_as_it_starts_may_be_the_best():
    learner = Scripted({0: 0.8, 3: 0.7, 6: 0.1})
    settings = TrainingSettings(evaluate_every=3, evaluate_start=True, patience=2, warm_up=0)
    end = run(learner, settings, 100)
    assert (learner.kept, end.step, end.best) == ([0], 6, (0, 0.8))


def test_the_last_network_is_kept_where_the_best_is_not_asked_for():
    learner = Scripted({0: 0.8, 4: 0.1})
    end = run(learner, TrainingSettings(evaluate_start=True, keep_best=False), 4)
    assert (learner.kept, end.evaluations) == ([4], ((0, 0.8), (4, 0.1)))


def test_weight_decay_is_for_matrices_alone():
    """As in BERT's own code: a norm that is pulled to 0 says nothing any more."""
    learner = Scripted()
    layer, norm = torch.nn.Linear(2, 2), torch.nn.LayerNorm(2)
    learner.groups = [{"params": [*layer.parameters(), *norm.parameters()], "lr": 0.1}]
    learner.learn = lambda step: 1.0
    for parameter in (*layer.parameters(), *norm.parameters()):
        parameter.grad = torch.zeros_like(parameter)
    before = [one.detach().clone() for one in (layer.weight, layer.bias, norm.weight)]
    settings = TrainingSettings(weight_decay=0.5, warm_up=0, schedule="constant")
    run(learner, settings, 1)
    assert torch.allclose(layer.weight, before[0] * (1 - 0.1 * 0.5))
    assert torch.equal(layer.bias, before[1]) and torch.equal(norm.weight, before[2])


@pytest.fixture
def killed(tmp_path):
    """The folder of a run that ended in its sixth step, one after its last checkpoint."""
    with ending_at(5), pytest.raises(KeyboardInterrupt):
        run(Scripted(), KEPT, 7, tmp_path, "mine")
    return tmp_path


@pytest.mark.parametrize(("value", "precision"), [(math.nan, "fp32"), (math.inf, "bf16")])
def test_a_loss_that_is_no_number_ends_the_run_and_leaves_the_checkpoint(tmp_path, value, precision):
    learner = Scripted()
    learner.learn = lambda step: value if step == 3 else 1.0
    with pytest.raises(TrainingError) as error:
        run(learner, replace(KEPT, precision=precision), 7, tmp_path, "mine")
    advice = "lower the learning rate" + (", or train in fp32" if precision == "bf16" else "")
    assert str(error.value) == f"the loss is not a number at step 4 of 7: {advice}"
    assert [file.name for file in tmp_path.iterdir()] == [FILE]
    assert not learner.kept


def test_a_run_that_was_killed_learns_what_it_had_not(killed):
    learner, whole = Scripted(), Scripted()
    assert run(learner, KEPT, 7, killed, "mine", resume=True) == run(whole, KEPT, 7)
    assert (learner.learned, whole.learned) == ([4, 5, 6], list(range(7)))
    assert learner.weight.item() == whole.weight.item() != 0


def test_a_checkpoint_is_neither_written_over_unasked_nor_that_of_another_run(killed):
    with pytest.raises(TrainingError, match="unfinished run: --resume it"):
        run(Scripted(), KEPT, 7, killed, "mine")
    with pytest.raises(TrainingError, match="belongs to a run with other settings, another base or other papers"):
        run(Scripted(), KEPT, 7, killed, "another", resume=True)


@pytest.mark.parametrize("content", [b"", b"\x80\x04pickle", None])
def test_a_damaged_checkpoint_is_one_clear_error(killed, content):
    path = killed / FILE
    path.write_bytes(path.read_bytes()[:-1] if content is None else content)
    with pytest.raises(TrainingError, match="damaged") as error:
        run(Scripted(), KEPT, 7, killed, "mine", resume=True)
    assert "\n" not in str(error.value)


def test_a_checkpoint_of_another_version_is_one_clear_error(tmp_path):
    save_file({"weight": torch.zeros(1)}, tmp_path / FILE, {"position": '{"step": 2}', "run": "0"})
    with pytest.raises(TrainingError, match="another version of citescout: remove it") as error:
        run(Scripted(), KEPT, 7, tmp_path, "mine", resume=True)
    assert "\n" not in str(error.value)


def test_resuming_where_nothing_was_begun_begins(tmp_path, caplog):
    learner = Scripted()
    assert run(learner, KEPT, 7, tmp_path, "mine", resume=True).step == len(learner.learned) == 7
    begins = f"{tmp_path} has no checkpoint to go on from: training begins with its first step"
    assert caplog.messages.count(begins) == 1


def test_a_finished_run_leaves_nothing_of_a_checkpoint_that_was_being_written_when_it_was_killed(killed, monkeypatch):
    def killed_before(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr("training.checkpoints.sync", killed_before)
        run(Scripted(), KEPT, 7, killed, "mine", resume=True)
    assert len(list(killed.iterdir())) == 2
    run(Scripted(), replace(KEPT, checkpoint_every=0), 7, killed, "mine", resume=True)
    remove_checkpoint(killed)
    assert list(killed.iterdir()) == []


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
