"""Rare words of a short question, by their definition, over texts that are counted here."""

from math import log
from pathlib import Path

import numpy as np
import pytest

from encoders.text import Text
from indexer.lucene import labels
from retrieval.bm25 import Bm25
from retrieval.rare_words import shares_of_rare_words
from tests.retrieval.test_bm25 import write

PAPERS, ALL = 4000, np.arange(4000, dtype=np.int32)
HOLDING = {"sumatriptan": 2, "quokka": 30, "yttrium": 31, "common": 4000}  # the first so many papers


@pytest.fixture(scope="module")
def bm25(tmp_path_factory: pytest.TempPathFactory) -> Bm25:
    folder = tmp_path_factory.mktemp("rare") / "bm25"
    write([Text(" ".join(word for word, most in HOLDING.items() if paper < most), "") for paper in ALL], folder)
    return Bm25(folder, labels(folder))


def squared(papers: int) -> float:
    return log(1 + (PAPERS - papers + 0.5) / (papers + 0.5)) ** 2


def shares(bm25: Bm25, *terms: str) -> np.ndarray:
    return shares_of_rare_words({term: bm25.idf(term) for term in terms}, bm25, ALL)


def test_a_paper_counts_by_the_weight_of_the_rare_words_that_it_has(bm25: Bm25) -> None:
    sumatriptan, quokka = bm25.terms("sumatriptan quokka")
    whole = squared(2) + squared(30) + squared(4000)
    found = shares(bm25, sumatriptan, "common", quokka)
    assert found[:2] == pytest.approx((squared(2) + squared(30)) / whole)
    assert found[2:30] == pytest.approx(squared(30) / whole)
    assert not found[30:].any()
    assert shares(bm25, sumatriptan)[:2] == pytest.approx(1)


def test_words_of_many_papers_and_of_none_say_nothing_of_a_paper(bm25: Bm25) -> None:
    assert not shares(bm25, "yttrium", "common").any()
    unknown = shares(bm25, *bm25.terms("sumatriptan"), "unheard")
    assert unknown[0] == pytest.approx(squared(2) / (squared(2) + log(1 + PAPERS) ** 2))


def test_of_a_small_index_fewer_papers_make_a_word_rare(tmp_path: Path) -> None:
    write([Text("quokka" if paper < 2 else "wombat", "") for paper in range(199)], tmp_path / "bm25")
    few = Bm25(tmp_path / "bm25", labels(tmp_path / "bm25"))
    assert few.documents == 199
    assert not shares_of_rare_words({"quokka": few.idf("quokka")}, few, ALL[:199]).any()
