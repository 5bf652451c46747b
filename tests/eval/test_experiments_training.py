"""Experiments that train: what the lists hold, and what the models answer when they are asked directly."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from experiment_tools import QUERIES, ROOT, SEED, assert_same, directly, inputs_of
from safetensors.numpy import load_file

from citescout.recommender import Recommender
from citescout.settings import Settings
from common.errors import ModelError, SourceError
from eval.experiments import base_models, imbalance, token_split
from eval.experiments.fine_tuning import DEPTH, Example, examples_of
from indexer.bm25_parameters import PYSERINI
from indexer.generations import open_generation
from rerank.cross_encoder import CrossEncoder
from rerank.token_split import TokenSplit
from training.queries import training_queries
from training.reranker.settings import SequencePairSettings

pytestmark = pytest.mark.long

BM25 = {"sources": ("bm25",), "bm25": PYSERINI, "blend": False, "depth": 0}


@pytest.fixture(scope="module")
def examples(demo_index: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Example]:
    inputs = inputs_of(tmp_path_factory.mktemp("out"), demo_index, training_queries=20)
    with Recommender.opened(demo_index, None, vectors=False) as recommender:
        found = list(examples_of(recommender, inputs))
    assert len(found) > 5
    return found


def test_training_queries_are_not_those_that_are_asked(demo_index: Path, examples: list[Example]) -> None:
    with open_generation(demo_index) as generation:
        asked = {one.query.id for one in training_queries(generation, QUERIES, SEED)}
    assert asked.isdisjoint(one.query.id for one in examples)


def test_samplings_differ_as_they_say(demo_index: Path, examples: list[Example]) -> None:
    with open_generation(demo_index) as generation:
        balanced = 0
        for one in examples:
            own = generation.catalog.docids([one.query.id])[one.query.id]
            lists = {name: imbalance.sample(name, one, np.random.default_rng(0)) for name in imbalance.SAMPLINGS}
            gold = {name: np.isin(docids, one.gold) for name, docids in lists.items()}
            for docids in lists.values():
                assert docids[:10].tolist() == one.retrieved.tolist()
                assert len(set(docids.tolist())) == len(docids)
                assert own not in docids
                assert (generation.years[docids] <= one.query.year).all()
            assert len(lists[imbalance.AS_RETRIEVED]) == 10
            assert gold[imbalance.BALANCED][10:].all()
            cited, uncited = gold[imbalance.BALANCED].sum(), (~gold[imbalance.BALANCED]).sum()
            assert (
                cited == uncited
                or set(one.gold) <= set(lists[imbalance.BALANCED])
                or cited > uncited == 10 - gold[imbalance.AS_RETRIEVED].sum()
            )
            balanced += cited == uncited
            assert len(lists[imbalance.RANDOM]) == 20
            assert not gold[imbalance.RANDOM][10:].any()
        assert balanced


def test_imbalance_trains_three_models_that_are_asked(tmp_path: Path, demo_index: Path, tiny_bert: Path) -> None:
    inputs = inputs_of(
        tmp_path, demo_index, base=str(tiny_bert), steps=2, tokens=64, training_queries=8, learning_rate=1e-3
    )
    findings = imbalance.run(inputs)
    assert [row.name for row in findings.rows] == [imbalance.BM25, *imbalance.SAMPLINGS]
    settings = Settings(k=1000, **BM25 | {"depth": DEPTH})
    assert_same(findings.rows[0], demo_index.name, directly(demo_index, Settings(k=1000, **BM25)))
    reranker = CrossEncoder.load(str(tmp_path / "imbalance" / "2"), TokenSplit(32, 32))
    assert_same(findings.rows[2], demo_index.name, directly(demo_index, settings, reranker))
    # What `train reranker` trains with, too.
    trained = json.loads((tmp_path / "imbalance" / "2" / "config.json").read_text(encoding="utf-8"))
    assert trained["attention_probs_dropout_prob"] == SequencePairSettings().attention_dropout == 0.1
    assert len({row.figures["MRR"].value for row in findings.rows}) == 4


# --- token split


def test_a_model_of_its_own_is_trained_for_every_split(
    tmp_path: Path, demo_index: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(token_split, "_EIGHTHS", (2, 4))
    inputs = inputs_of(
        tmp_path, demo_index, base=str(tiny_bert), trained=True, steps=2, tokens=64, training_queries=8,
        learning_rate=1e-3,
    )  # fmt: skip
    findings = token_split.run(inputs)
    assert [row.name for row in findings.rows] == ["16 + 48", "32 + 32"]
    reranker = CrossEncoder.load(str(tmp_path / "token-split" / "16+48"), TokenSplit(16, 48))
    settings = Settings(k=1000, **BM25 | {"depth": DEPTH})
    assert_same(findings.rows[0], demo_index.name, directly(demo_index, settings, reranker))
    one, other = (
        load_file(tmp_path / "token-split" / name / "model.safetensors") for name in ("16+48", "32+32")
    )  # fmt: skip
    assert any((one[name] != other[name]).any() for name in one)
    assert any("A model of its own for each split, 2 steps" in note for note in findings.notes)


# --- base models


@pytest.fixture(scope="module")
def bases(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Relatives of the tiny model, as the script makes them."""
    folder = tmp_path_factory.mktemp("bases")
    script = [sys.executable, "benchmarks/base_models.py", "--model", str(tiny_bert), "--layers", "1"]
    subprocess.run([*script, "--out", str(folder)], check=True, cwd=ROOT, env={"PYTHONPATH": "."})  # noqa: S603
    return folder


def test_relatives_have_fewer_layers_or_other_weights(tiny_bert: Path, bases: Path) -> None:
    import torch
    from transformers import AutoModel

    whole, cut, fresh = (
        AutoModel.from_pretrained(folder).eval()
        for folder in (tiny_bert, bases / "first-1-layers", bases / "fresh-weights")
    )
    assert whole.config.num_hidden_layers > cut.config.num_hidden_layers == 1
    tokens = torch.arange(5, 15)[None]
    below = whole(tokens, output_hidden_states=True).hidden_states[1]
    torch.testing.assert_close(cut(tokens).last_hidden_state, below)
    own, others = whole.state_dict(), fresh.state_dict()
    assert {name: value.shape for name, value in own.items()} == {name: value.shape for name, value in others.items()}
    assert not torch.allclose(own["embeddings.word_embeddings.weight"], others["embeddings.word_embeddings.weight"])


def test_every_base_is_trained_and_asked_with_every_seed(
    tmp_path: Path, demo_index: Path, tiny_bert: Path, bases: Path
) -> None:
    named = (str(tiny_bert), str(bases / "first-1-layers"))
    inputs = inputs_of(
        tmp_path, demo_index, bases=named, trainings=2, steps=2, tokens=64, training_queries=8, learning_rate=1e-3
    )
    findings = base_models.run(inputs)
    assert [row.name for row in findings.rows] == ["BM25", tiny_bert.name, "first-1-layers"]
    assert findings.rows[0].against is None
    assert_same(findings.rows[0], demo_index.name, directly(demo_index, Settings(k=1000, **BM25)))
    settings = Settings(k=1000, **BM25 | {"depth": DEPTH})
    by_seed = []
    for seed in (SEED, SEED + 1):
        folder = tmp_path / "base-models" / f"2-seed-{seed}"
        by_seed.append(directly(demo_index, settings, CrossEncoder.load(str(folder), TokenSplit(32, 32))))
    assert by_seed[0].mrr != by_seed[1].mrr
    found = findings.rows[2].by_corpus[demo_index.name]
    assert found["MRR"] == pytest.approx((by_seed[0].mrr + by_seed[1].mrr) / 2)
    note = f"first-1-layers: F1@20 by seed {by_seed[0].f1_at_20:.3f}, {by_seed[1].f1_at_20:.3f}."
    assert note in findings.notes
    assert findings.published == {}


def test_a_base_that_cannot_be_trained_stops_everything_at_once(
    tmp_path: Path, demo_index: Path, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(base_models, "fine_tuned", lambda *_: pytest.fail("trained"))
    for bases, error, message in (
        ((str(tiny_bert), str(tmp_path / "nowhere")), ModelError, "no model folder"),
        ((str(tiny_bert), f"{tiny_bert}/../{tiny_bert.name}"), SourceError, "two rows"),
    ):
        with pytest.raises(error, match=message):
            base_models.run(inputs_of(tmp_path, demo_index, bases=bases, tokens=64))
    with pytest.raises(ModelError, match="has 64"):
        base_models.run(inputs_of(tmp_path, demo_index, bases=(str(tiny_bert),), tokens=128))


def test_figures_of_the_paper_stand_beside_its_own_models() -> None:
    names = ("allenai/scibert_scivocab_uncased", "bert-base-uncased", "minilm", "FacebookAI/roberta-large")
    found = base_models.published_of({name: name for name in names})
    assert found == {
        "Open Research": {
            names[0]: {"F1@20": 0.131, "MRR": 0.423},
            names[1]: {"F1@20": 0.113, "MRR": 0.374},
            names[3]: {"F1@20": 0.125, "MRR": 0.409},
        }
    }
