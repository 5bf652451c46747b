"""`citescout train reranker` on the demo corpus."""

import errno
from contextlib import contextmanager
from functools import partial

import orjson
import pytest
from command_line import Ended, refused, run
from interrupted import ending_at, interrupt

from citescout import Query, Recommender, Settings
from cli.train_reranker import _fit
from common.errors import TrainingError
from indexer.builds import build_index
from indexer.paper import Paper
from rerank import load_reranker
from rerank.reranking import Reranking
from rerank.token_split import TokenSplit
from training.checkpoints import FILE, alone_in
from training.reranker.reranking import Figures

pytestmark = pytest.mark.usefixtures("one_thread")

TINY = ("--tokens", "32+32", "--batch-size", "8", "--steps", "4", "--queries", "12", "--evaluate-every", "2")


def train(*arguments: object) -> Ended:
    return run("train", "reranker", *arguments)


@contextmanager
def ending_at_the_fit():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("training.reranker.reranking.fit_reranking", interrupt)
        yield


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        ("--validation-share", 0.3),
        ("--candidates", "pool", "--loss", "softmax", "--depth", 30, "--validation-share", 0),
        ("--candidates", "pool", "--loss", "distillation", "--learning-rate", 1e-3, "--precision", "fp32"),
    ],
)
def test_what_is_trained_can_rerank(demo_index, tiny_bert, tmp_path, options):
    answer = train("--index", demo_index, "--base", tiny_bert, "--out", tmp_path, *TINY, *options)
    assert answer.code == 0, answer.err
    assert "positives" in answer.err
    assert "4 steps" in answer.err
    assert not (tmp_path / FILE).exists()
    assert all(file.stat().st_mode & 0o044 for file in tmp_path.iterdir())  # others may use it, a server for one
    with Recommender.open(demo_index, str(tmp_path), TokenSplit(32, 32)) as recommender:
        found = recommender.rank(Query("Dense retrieval"), Settings(depth=5))
        assert found.complete and len(found.reranked) == 5


@pytest.mark.long
def test_a_run_that_is_stopped_while_its_weight_is_fitted_goes_on_and_what_is_finished_stays(
    demo_index, tiny_bert, tmp_path, caplog
):
    options = ("--index", demo_index, "--base", tiny_bert, "--out", tmp_path, *TINY, "--checkpoint-every", 3,
               "--validation-share", 0.3)  # fmt: skip
    with ending_at_the_fit():
        assert train(*options).code == 130
    assert (tmp_path / FILE).exists()
    with caplog.at_level("INFO"):
        assert train(*options, "--resume").code == 0
    assert "going on after step 3" in caplog.text
    record = orjson.loads((tmp_path / "training.json").read_bytes())
    assert record["options"]["base"] == tiny_bert.name
    assert (record["options"]["seed"], record["settings"]["steps"]) == (0, 4)
    assert "positives" in record["data"][0] and record["result"].startswith("4 steps")
    weights = (tmp_path / "model.safetensors").read_bytes()
    for again in ((), ("--resume",)):
        said = refused("train", "reranker", *options, "--learning-rate", 1e-3, *again)
        assert "holds a model already" in said
    assert (tmp_path / "model.safetensors").read_bytes() == weights


@pytest.mark.parametrize(("every", "ending"), [(0, ending_at_the_fit), (500, partial(ending_at, 2))])
@pytest.mark.long
def test_a_model_that_is_kept_before_the_first_checkpoint_is_unfinished_and_gone_on_with(
    demo_index, tiny_bert, tmp_path, every, ending
):
    options = ("--index", demo_index, "--base", tiny_bert, *TINY, "--checkpoint-every", every,
               "--validation-share", 0.3, "--out")  # fmt: skip
    assert train(*options, tmp_path / "whole").code == 0
    killed = tmp_path / "killed"
    with ending():
        assert train(*options, killed).code == 130
    assert (killed / "model.safetensors").exists()
    asked = ("recommend", "-", "--index", demo_index, "--reranker", killed)
    assert "has not ended: give its command again with --resume" in refused(*asked, stdin="Dense retrieval")
    assert train(*options, killed, "--resume").code == 0
    for file in ("model.safetensors", "reranking.json"):
        assert (killed / file).read_bytes() == (tmp_path / "whole" / file).read_bytes()
    assert run(*asked, stdin="Dense retrieval").code == 0


def test_of_a_model_that_betters_no_list_it_is_said_that_it_counts_nothing(tmp_path, monkeypatch, capsys):
    fitted = Reranking(0.0, 10, None, 3, 0.25, 0.5), Figures(0.25, 0.5)
    monkeypatch.setattr("training.reranker.reranking.fit_reranking", lambda *_: fitted)
    _fit(tmp_path, [], None)
    said = capsys.readouterr().err
    assert said.startswith(
        "It counts nothing beside the learned order, because no weight of it made these lists better"
    )
    assert said.endswith("F1@20 0.2500, MRR 0.5000 on 3 validation queries; without it F1@20 0.2500, MRR 0.5000\n")
    assert Reranking.of(tmp_path) == fitted[0]


@pytest.mark.long
def test_the_late_join_takes_the_same_options(demo_index, tmp_path):
    answer = train("--index", demo_index, "--out", tmp_path, *TINY, "--validation-share", 0.3, "--loss",
                   "cross-entropy", "--candidates", "bm25")  # fmt: skip
    assert answer.code == 0, answer.err
    assert load_reranker(str(tmp_path)).split == TokenSplit(32, 32)


def test_the_blend_cannot_teach_lists_that_it_has_not_seen(demo_index, tiny_bert, tmp_path):
    options = ("--index", demo_index, "--base", tiny_bert, "--out", tmp_path, *TINY, "--loss", "distillation")
    assert "--candidates pool" in refused("train", "reranker", *options)


def test_a_run_that_is_refused_leaves_nothing(demo_index, tiny_bert, tmp_path):
    build_index([Paper("a", "Neural ranking"), Paper("b", "Citation graphs")], tmp_path / "ix", None)
    out = tmp_path / "models" / "out"
    options = ("--base", tiny_bert, "--out", out, *TINY)
    assert "no training queries" in refused("train", "reranker", "--index", tmp_path / "ix", *options)
    teacher = ("--loss", "distillation", "--teacher", tmp_path / "no-model")
    assert "no-model" in refused("train", "reranker", "--index", demo_index, *options, *teacher)
    assert not out.parent.exists()
    out.mkdir(parents=True)
    assert "no training queries" in refused("train", "reranker", "--index", tmp_path / "ix", *options)
    assert list(out.iterdir()) == []  # which somebody else has made


def test_a_query_cites_something_among_the_candidates_that_validate(demo_index, tiny_bert, tmp_path, monkeypatch):
    seen = []

    def trained(*given):
        seen.extend(given[-1])
        raise TrainingError("seen")

    monkeypatch.setattr("training.reranker.lists.DEPTH", 3)
    monkeypatch.setattr("training.reranker.trainer.train_reranker", trained)
    options = ("--index", demo_index, "--base", tiny_bert, "--out", tmp_path, "--candidates", "pool", "--queries", 30)
    assert train(*options, "--tokens", "32+32", "--validation-share", 0.5).err.endswith("Error: seen\n")
    assert len(seen) > 5
    assert all(len(one.labels) == 3 and any(one.labels) for one in seen)


@pytest.mark.parametrize("base", ["no/such-encoder-anywhere", "scibert"])
def test_a_base_that_cannot_be_had_is_one_line(demo_index, tmp_path, base, monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    assert base in refused("train", "reranker", "--index", demo_index, "--base", base, "--out", tmp_path, *TINY)


def test_a_dry_run_counts_what_would_be_learned_from_and_writes_nothing(demo_index, tmp_path):
    out = tmp_path / "out"
    answer = train("--index", demo_index, "--base", "minilm", "--out", out, "--queries", 12, "--dry-run")
    assert answer.code == 0, answer.err
    queries, positives, negatives = (int(part.split()[0]) for part in answer.out.splitlines()[0].split(", "))
    assert queries == 12
    assert positives + negatives == 12 * 10  # BM25's top 10
    assert 0 < positives < negatives
    assert not out.exists()


def test_a_rate_that_bursts_the_weights_is_reported_and_leaves_no_model(demo_index, tiny_bert, tmp_path):
    out = tmp_path / "out"
    answer = train("--index", demo_index, "--base", tiny_bert, "--out", out, *TINY, "--learning-rate", 1e20,
                   "--precision", "fp32", "--validation-share", 0)  # fmt: skip
    assert answer.code == 1
    assert "lower the learning rate" in answer.err.splitlines()[-1]
    assert not (out / "model.safetensors").exists()


def test_a_file_system_without_locks_may_be_trained_into(monkeypatch, caplog, tmp_path):
    def flock(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr("fcntl.flock", flock)
    with alone_in(tmp_path / "out"):
        assert list((tmp_path / "out").iterdir()) == []
    assert caplog.messages == [
        f"{tmp_path / 'out'} cannot be locked: nothing keeps another process from training into it"
    ]


@pytest.mark.parametrize(
    "command",
    ["reranker", "encoder --recipe specter", "encoder --recipe ctpe"],
    ids=lambda command: command.split()[-1],
)
def test_two_processes_do_not_train_into_one_folder(demo_index, tmp_path, command):
    given = ("train", *command.split(), "--index", demo_index, "--resume", "--out", tmp_path / "out")
    with alone_in(tmp_path / "out"):
        assert "another process is training into" in refused(*given)
    assert not (tmp_path / "out").exists()
