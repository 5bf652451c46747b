"""Papers that a text names by the name with which their titles begin."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from indexer.catalog import Catalog
from indexer.catalog_writing import build_catalog
from indexer.paper import Paper
from retrieval.named_titles import named_titles

TITLES = {
    "squad": "SQuAD: 100,000+ questions for machine comprehension",
    "bert": "BERT: pre-training of deep transformers",
    "bert4rec": "BERT4Rec: sequential recommendation",
    "sbert": "Sentence-BERT: sentence embeddings",
    "marco": "MS MARCO: a human generated dataset",
    "vgg": "VGG-16 – very deep networks",
    "c4": "C4",
    "glove": "GloVe — global vectors",
    "attention": "Attention: a review",
    "cities": "CITIES: THEIR PAST AND FUTURE",
    "covid": "COVID-19: what is known",
    **{f"covid{number}": f"On the spread of COVID-19 in region {number}" for number in range(7)},
    **{f"hiv{number}": f"HIV-1: subject {number}" for number in range(4)},
    "long": "GPUs of the newest generation: a survey",
    "inner": "The use of XLNet: a survey",
}


@pytest.fixture(scope="module")
def catalog(tmp_path_factory):
    path = tmp_path_factory.mktemp("catalog") / "catalog.sqlite"
    build_catalog([Paper(id_, title, "") for id_, title in TITLES.items()], path)
    return Catalog(path)


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("We train on SQuAD, MS MARCO and C4.", ["c4", "marco", "squad"]),
        ("BERT-based models, VGG-16’s layers", ["bert", "vgg"]),
        ("BERT4Rec and Sentence-BERT", ["bert4rec", "sbert"]),
        ("Multi-BERT, BERT-Large and GPT-BERT", []),
        (r"\textsc{SQuAD}, (GloVe)", ["glove", "squad"]),
        ("glove, squads and MARCO", []),
        ("squad", ["squad"]),  # alone
        ("MS MARCO", ["marco"]),
        (" sentence-bert ", ["sbert"]),
        ("attention", []),
        ("Attention, Cities and CITIES in ATTENTION", []),
        ("the spread of COVID-19", []),  # what papers are about
        ("HIV-1 is the name of four", []),
        ("GPUs of the newest generation, XLNet", []),
        ("", []),
    ],
)
def test_what_is_named(catalog, text, ids):
    assert _named(text, catalog) == ids


def test_what_is_cited_half_as_often_as_its_name_is_used_is_named_by_it(catalog):
    assert not _named("the spread of COVID-19", catalog, cited={"covid": 3})
    assert _named("the spread of COVID-19", catalog, cited={"covid": 4}) == ["covid"]


def test_only_what_is_allowed(catalog):
    assert not _named("SQuAD", catalog, hidden=["squad"])
    assert _named("HIV-1", catalog, hidden=["hiv0"]) == ["hiv1", "hiv2", "hiv3"]


def test_of_too_many_titles_that_begin_alike_none_is_looked_at(catalog, monkeypatch):
    monkeypatch.setattr("indexer.catalog._MOST_TITLES", 3)  # of "BERT", "BERT4Rec" and no third
    assert _named("BERT", catalog) == ["bert"]
    monkeypatch.setattr("indexer.catalog._MOST_TITLES", 1)
    assert not _named("BERT", catalog)
    assert _named("SQuAD", catalog) == ["squad"]


def _named(text, catalog, cited=None, hidden=()):
    ids = catalog.ids(range(len(TITLES)))
    holding = [set(re.findall(r"\w+", TITLES[id_].lower())) for id_ in ids]

    def held_by(term):
        return sum(term in words for words in holding)

    bm25 = SimpleNamespace(terms=lambda text: re.findall(r"\w+", text.lower()), holding=held_by, documents=len(ids))
    allowed = np.array([id_ not in hidden for id_ in ids])
    counts = np.array([(cited or {}).get(id_, 0) for id_ in ids])
    return catalog.ids(named_titles(text, catalog, bm25, allowed, lambda docids: counts[docids]))
