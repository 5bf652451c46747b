"""The defaults of a row are the settings of the paper that reports it."""

import re
from pathlib import Path

import pytest
from tiny_corpus import fitted, two_fields

from encoders.word_vectors import train_word2vec
from eval.baselines.base import Setup
from eval.baselines.registry import find_baselines

DOCUMENT = (Path(__file__).parents[2] / "docs" / "baselines.md").read_text()

# CTPE (2022), section 4.3: its comparisons' settings, by the names that gensim and scikit-learn give them.
WORD2VEC = {"vector_size": 100, "window": 10, "epochs": 100, "sg": 1}
DOC2VEC = {"vector_size": 100, "window": 10, "epochs": 50, "sg": 0}  # PV-DM; the bag of words would be sg=1
LSA = {"n_components": 100}
LDA = {"n_components": 100, "max_doc_update_iter": 100}


def trained(monkeypatch, name, setup):
    """What the library's models of a row were trained with; two passes are made of a hundred, to save time."""
    import gensim.models

    made = []
    for kind in (gensim.models.Word2Vec, gensim.models.doc2vec.Doc2Vec):

        def training(self, *arguments, kind=kind, train=kind.train, **named):
            if type(self) is kind:
                made.append({one: getattr(self, one) for one in WORD2VEC} | {"epochs": named["epochs"]})
            return train(self, *arguments, **(named | {"epochs": 2}))

        monkeypatch.setattr(kind, "train", training)
    train_word2vec.cache_clear()
    fitted(name, setup, two_fields(12))
    train_word2vec.cache_clear()
    return made


@pytest.mark.parametrize(
    ("name", "settings"), [("word2vec", WORD2VEC), ("sif", WORD2VEC), ("relaxed-wmd", WORD2VEC), ("doc2vec", DOC2VEC)]
)
def test_models_of_words_are_trained_as_in_the_paper(monkeypatch, name, settings):
    pytest.importorskip("gensim")
    assert trained(monkeypatch, name, Setup()) == [settings]


@pytest.mark.parametrize("name", ["word2vec", "doc2vec"])
def test_fewer_passes_can_be_asked_for(monkeypatch, name):
    pytest.importorskip("gensim")
    assert [one["epochs"] for one in trained(monkeypatch, name, Setup(epochs=3))] == [3]


@pytest.mark.parametrize(("name", "settings"), [("lsa", LSA), ("lda", LDA)])
def test_topic_models_have_the_size_of_the_paper(name, settings):
    pytest.importorskip("sklearn")
    model = find_baselines([name])[0].make(Setup()).model(10_000)
    assert {one: model.get_params()[one] for one in settings} == settings


def test_sif_has_the_weight_of_its_paper():
    from eval.baselines.families.word_means import A

    assert A == 1e-3  # Arora et al. 2017


def test_the_document_names_the_settings():
    table = DOCUMENT.partition("## Citeomatic")[0]
    lines = dict(re.findall(r"^\| ([\w, -]+) \| ([^|]+) \|", table, re.MULTILINE))
    assert lines["lsa"] == "100 dimensions of the TF-IDF matrix"
    assert lines["doc2vec"] == "PV-DM, 100 dimensions, windows of 10, 50 passes"
    assert "skip-gram, 100 dimensions, windows of 10, 100 passes" in lines.values()
    assert "not known" not in DOCUMENT
