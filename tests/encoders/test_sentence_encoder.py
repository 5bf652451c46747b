"""The encoder of sentences that cite: what it reads, for which indexes it is, and that it learns from sentences."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from common.errors import ModelError, TrainingError
from demo import CORPUS
from encoders.loading import load_encoder
from encoders.low_rank import merge_low_rank
from encoders.pooled import load_pooled
from encoders.sentences import encoder as sentences
from encoders.sentences.encoder import sentence_encoder, sentence_model
from encoders.text import Text
from indexer.builds import build_index
from indexer.generations import open_generation
from indexer.readers import read_papers
from rerank.cross_encoder import CrossEncoder
from rerank.reranking import Reranking
from rerank.shipped import DEFAULT
from training.contexts import sentence_reranker
from training.contexts.sentence_encoder import SETTINGS, train
from training.contexts.sentences import CitingSentences, part_of

SENTENCE = Text("Word vectors are trained as in .", "A study of analogies")


def test_it_is_another_network_than_that_of_papers_and_as_merged_by_torch() -> None:
    import torch

    ours = sentence_encoder("minilm")
    assert ours is not None
    found = ours.encode_queries([SENTENCE])[0]
    usual = load_encoder("minilm").encode_queries([SENTENCE])[0]
    assert np.linalg.norm(found) == pytest.approx(1, abs=1e-5)
    assert float(found @ usual) < 0.98
    loaded = load_pooled(sentence_model())
    inputs = loaded.tokenizer(["Word vectors are trained as in . [SEP] A study of analogies"])
    with torch.no_grad():
        expected = loaded.module.eval()(
            torch.tensor(inputs["input_ids"]), torch.ones(1, len(inputs["input_ids"][0]), dtype=torch.long)
        )
    np.testing.assert_allclose(found, expected[0].numpy(), atol=1e-4)


def test_only_indexes_of_minilm_have_one() -> None:
    assert sentence_encoder("static") is None
    assert sentence_encoder("allenai/specter") is None


def test_damaged_weights_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    damaged = tmp_path / "model.safetensors"
    damaged.write_bytes(sentences.WEIGHTS.read_bytes()[:-1] + b"?")
    monkeypatch.setattr(sentences, "WEIGHTS", damaged)
    with pytest.raises(ModelError, match="missing or damaged: install citescout again"):
        sentence_encoder.__wrapped__("minilm")


@pytest.fixture(scope="module")
def contexts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sentences for training, with names for papers that the papers' own texts do not have."""
    papers = {paper.id: paper for paper in read_papers([str(CORPUS)])}
    names = {"devlin2019bert": "zorp", "robertson1994some": "quux"}
    citing = [one for one in papers if part_of(one) == "train" and one not in names][:40]
    lines = [
        {"id": f"{one}#{name}", "citing": one, "text": f"Here we use {name} [CITATION] again.", "cited": [cited]}
        for one in citing
        for cited, name in names.items()
        if (papers[one].year or 0) >= 2019
    ]
    path = tmp_path_factory.mktemp("contexts") / "sentences.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def known(contexts: Path) -> CitingSentences:
    return CitingSentences(CORPUS, contexts)


@pytest.mark.long
def test_it_learns_what_words_mean_that_no_paper_has(known: CitingSentences, demo_index: Path) -> None:
    added = train(known, demo_index, replace(SETTINGS, steps=25, batch_size=8, learning_rate=2e-3, warm_up=2))
    loaded = load_pooled(sentence_model(addition=None))
    merge_low_rank(loaded.module.model, added)
    with open_generation(demo_index) as generation:
        papers = generation.catalog.docids(["devlin2019bert", "robertson1994some"])
        vectors = generation.vectors()[list(papers.values())].astype(np.float32)

    def told_apart(name: str) -> float:
        """By how much a sentence with the name is nearer to BERT than to BM25's paper."""
        import torch

        inputs = loaded.tokenizer([f"Here we use {name} again."])["input_ids"]
        with torch.no_grad():
            vector = loaded.module.eval()(torch.tensor(inputs), torch.ones(1, len(inputs[0]), dtype=torch.long))[0]
        return float((vectors[0] - vectors[1]) @ vector.numpy())

    assert told_apart("zorp") > told_apart("quux") + 0.1


@pytest.mark.long
def test_the_reranker_learns_what_words_mean_that_no_paper_has(
    contexts: Path, demo_index: Path, tmp_path: Path
) -> None:
    few = replace(sentence_reranker.SETTINGS, steps=8, batch_size=32, depth=64, learning_rate=5e-4)
    sentence_reranker.train(CORPUS, contexts, demo_index, tmp_path / "model", settings=few)
    titles = [Text("BERT: Pre-training of deep bidirectional transformers", ""), Text("Some simple approximations", "")]

    def told_apart(model: Path, name: str) -> float:
        """By how much the first title is likelier for a sentence with the name, in log-odds."""
        chances = CrossEncoder.load(str(model)).score(Text(f"Here we use {name} [CITATION] again.", ""), titles)
        odds = np.log(chances / (1 - chances))
        return float(odds[0] - odds[1])

    model = tmp_path / "model"
    assert told_apart(model, "zorp") - told_apart(model, "quux") > 0.5
    assert abs(told_apart(DEFAULT, "zorp") - told_apart(DEFAULT, "quux")) < 0.5
    assert Reranking.of(model).depth == sentence_reranker.READ


def test_an_index_of_other_vectors_teaches_nothing(known: CitingSentences, tmp_path: Path) -> None:
    build_index(read_papers([str(CORPUS)]), tmp_path / "index", None)
    with pytest.raises(TrainingError, match="are not MiniLM's: index the corpus with --encoder minilm"):
        train(known, tmp_path / "index")
