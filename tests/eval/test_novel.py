"""F1@20 of what the authors of a query neither wrote nor cited before."""

import logging

import orjson
import pytest
from command_line import run

from citescout.recommender import Recommender
from citescout.settings import Settings
from eval.corpora import find_corpora
from eval.corpora_protocol import by_corpus, known_by_query, novel, score_novel
from eval.metrics import NovelScores
from indexer.builds import build_index

ADA = "Lovelace, Ada"
# id, year, citations, authors
CORPUS = (
    ("base", 1999, (), ("Turing, Alan",)),
    ("far", 2000, (), ("Byron, Anton",)),
    ("mine", 2010, ("base",), (ADA,)),
    ("new", 2020, ("far",), (ADA,)),
    ("draft", 2015, ("base", "mine", "far"), ("Lovelace, A.",)),  # the test paper
    ("other", 2015, ("draft",), ("Hopper, Grace",)),
)


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "corpora"
    folder.mkdir()
    papers = [
        {"id": paper, "title": f"Passage retrieval, {paper}", "year": year, "citations": list(cited)}
        for paper, year, cited, _ in CORPUS
    ]
    (folder / "tiny.jsonl").write_bytes(b"\n".join(map(orjson.dumps, papers)))
    (folder / "tiny.test.ids").write_text("draft\n")
    return folder


def write_meta(folder):
    lines = (orjson.dumps({"id": paper, "authors": names}) for paper, _, _, names in CORPUS)
    (folder / "tiny.meta.jsonl").write_bytes(b"\n".join(lines))


def test_novel_f1_is_that_of_a_computation_by_hand():
    qrels = {"q": frozenset({"a", "b", "c"}), "r": frozenset({"d"}), "s": frozenset({"e"}), "t": frozenset({"f"})}
    # q: a is known; novel are b and c. r: nothing known. s: its only citation is known. t: authors unknown.
    known = {"q": frozenset({"a", *(f"k{i}" for i in range(9))}), "r": frozenset(), "s": frozenset({"e"})}
    unknown = [f"x{i}" for i in range(30)]
    q = ["a", *(f"k{i}" for i in range(9)), "b", *unknown[:9], "c", *unknown[9:]]  # c is the 21st, 11th without known
    run = {"q": q, "r": ["d"], "s": ["e"], "t": ["f"]}
    found = score_novel(qrels, run, known)
    # Default: P = (1/20 + 1/20) / 2, R = (1/2 + 1/1) / 2. Hidden: P = (2/20 + 1/20) / 2, R = (2/2 + 1/1) / 2.
    assert found == NovelScores(
        queries=2,
        known_at_20=pytest.approx(10 / 21),  # of 20 papers of q and 1 of r
        f1_at_20=pytest.approx(2 * 0.05 * 0.75 / 0.8),
        f1_at_20_hidden=pytest.approx(2 * 0.075 * 1 / 1.075),
    )


def test_there_is_none_without_authors_or_novel_citations():
    assert score_novel({"q": frozenset({"a"})}, {"q": ["a"]}, {}) is None
    assert score_novel({"q": frozenset({"a"})}, {"q": ["a"]}, {"q": frozenset({"a"})}) is None


@pytest.fixture
def index(folder, tmp_path):
    write_meta(folder)
    (corpus,) = find_corpora(folder)
    build_index(corpus.papers(), tmp_path / "index", encoder=None)
    return tmp_path / "index"


def test_known_is_what_they_wrote_or_cited_and_never_from_the_future(folder, index):
    (corpus,) = find_corpora(folder)
    tests = corpus.test_set()
    # Ada wrote mine, which cites base; new is newer, so that far, which it cites, is novel; the draft's own are hidden.
    assert known_by_query(index, tests.queries) == {"draft": frozenset({"mine", "base"})}


def test_hiding_in_the_measure_is_hiding_in_the_list(folder, index):
    (corpus,) = find_corpora(folder)
    (query,) = corpus.test_set().queries
    known = known_by_query(index, [query])["draft"]
    with Recommender.open(index) as recommender:
        whole, hidden = (
            [entry.paper.id for entry in recommender.recommend(query, Settings(hide_known=hide))]
            for hide in (False, True)
        )
    assert hidden == [paper for paper in whole if paper not in known] != whole


def test_an_index_without_authors_is_reported(folder, tmp_path, caplog):
    (corpus,) = find_corpora(folder)
    build_index(corpus.papers(), tmp_path / "index", encoder=None)
    write_meta(folder)
    with caplog.at_level(logging.WARNING):
        assert known_by_query(tmp_path / "index", corpus.test_set().queries) == {}
    assert "was built without authors" in caplog.text


def test_the_command_reports_it(folder, tiny_bert, tmp_path):
    write_meta(folder)
    work = tmp_path / "work"
    output = run("eval", "corpora", folder, "--work", work, "--encoder", tiny_bert).out
    assert "| tiny | 1 | BM25 | " in output
    assert "| corpus | queries | system | known of 20 | novel F1@20 | known hidden |" in output
    scores = orjson.loads((work / "scores.json").read_bytes())["tiny"]["BM25"]["novel"]
    assert (scores["queries"], scores["known_at_20"]) == (1, 0.5)  # mine and base, beside far and other


def test_tables_of_corpora_without_authors_are_as_they_were(folder, tiny_bert, tmp_path):
    from eval.corpora_protocol import evaluate

    results = evaluate(folder, tmp_path / "work", encoder=str(tiny_bert))
    assert novel(results) == ""
    assert by_corpus(results).count("tiny") == len(results["tiny"])
