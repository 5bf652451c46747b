"""Other records of a query's paper: no candidates, no evidence, no gold."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citescout import Recommender
from citescout.systems import find_system
from eval.baselines.base import Citations
from eval.baselines.families.random_order import RandomOrder
from eval.baselines_protocol import evaluate_baselines, read_collection
from eval.corpora import Corpus
from eval.protocols import PROTOCOLS
from eval.split import write_split
from eval.systems import Asked, run_split, run_systems
from eval.trec import read_qrels, read_run
from indexer.builds import build_index
from indexer.generations import open_generation
from indexer.identity.title_overlap import copies_by_title, is_copy
from indexer.paper import Paper
from retrieval.copies import with_copies
from retrieval.query import Query
from training.queries import training_queries

TITLE = "Random walks on the citation graphs of large collections"
NEARLY = "Random walks on the citation graphs of large collections (extended abstract)"
CITED = ("a", "b", "c", "d", "e")


def corpus() -> list[Paper]:
    """A paper that is asked, its preprint under another id and nearly the same title, and what both cite."""
    return [
        Paper("asked", TITLE, "", 2015, citations=(*CITED, "preprint")),
        Paper("preprint", NEARLY, "", 2014, citations=CITED),
        Paper("survey", "A survey of recommendation", "", 2013, citations=("a",)),
        *(Paper(id_, f"Basket weaving with {word}", "", 2000) for id_, word in zip(
            CITED, ("reed", "straw", "willow", "bamboo", "paper"), strict=True)),
    ]  # fmt: skip


def written(folder: Path, papers: list[Paper], asked: str) -> tuple[Path, Path]:
    """The files of a corpus: its papers, and the ids of those that are asked."""
    path, ids = folder / "c.jsonl", folder / "c.test.ids"
    path.write_text("".join(json.dumps({
        "id": one.id, "title": one.title, "year": one.year, "citations": one.citations}) + "\n" for one in papers)
    )  # fmt: skip
    ids.write_text(asked)
    return path, ids


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("copies") / "index"
    hidden = [replace(paper, citations=()) if paper.id == "asked" else paper for paper in corpus()]
    build_index(hidden, directory, None)
    return directory


WORDS = ("walk", "graph", "paper", "random", "large", "model", "rank", "news")
words = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)


@settings(max_examples=200)
@given(st.lists(words | st.just("Editorial"), max_size=6), st.lists(words | st.just("editorial"), max_size=6))
def test_copies_are_those_of_every_pair(titles: list[str], others: list[str]) -> None:
    expected = [[number for number, other in enumerate(others) if is_copy(title, other)] for title in titles]
    assert copies_by_title(titles, enumerate(others)) == expected


def test_what_is_a_copy() -> None:
    assert is_copy(TITLE, NEARLY)
    assert is_copy(TITLE, TITLE.upper())
    assert not is_copy(TITLE, "Random walks")
    assert not is_copy("Editorial", "Editorial")
    assert not is_copy("", "")


def test_a_copy_is_no_candidate_and_no_evidence(index: Path) -> None:
    query = Query(TITLE, "", "asked", 2015)
    with open_generation(index) as generation:
        (own,) = with_copies([query], generation.catalog)
    assert own == replace(query, copies=("preprint",))
    with Recommender.open(index) as recommender:
        before, after = recommender.pool(query), recommender.pool(own)
        ids = recommender.generation.catalog.ids
        assert {"preprint", *CITED} <= set(ids(before.docids))
        assert "preprint" not in ids(after.docids)
        # Nothing but the preprint led to what the paper cites.
        assert not set(CITED) & set(ids(after.hits["graph"].docids))


def test_evaluation_asks_without_copies(index: Path) -> None:
    row = find_system("+ graph")
    run = run_systems(index, Asked([Query(TITLE, "", "asked", 2015)], [row]))[row.name].run
    assert not {"preprint", *CITED} & set(run["asked"])


def test_baselines_may_not_give_copies(index: Path) -> None:
    papers = read_collection(index)
    allowed = papers.allowed([Query(TITLE, "", "asked", 2015, copies=("preprint",))])[0]
    assert {papers.ids[number] for number in np.flatnonzero(~allowed)} == {"asked", "preprint"}


def test_baselines_do_not_learn_from_what_copies_cite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written(tmp_path, corpus(), "asked\n")
    seen: list[Citations] = []
    monkeypatch.setattr(RandomOrder, "see", lambda _, citations: seen.append(citations))
    evaluate_baselines(tmp_path, tmp_path / "work", systems=["random"])
    papers = read_collection(tmp_path / "work" / "indexes" / "c")
    known = {id_: {papers.ids[n] for n in cited} for id_, cited in zip(papers.ids, seen[0], strict=True) if len(cited)}
    assert known == {"survey": {"a"}}


def test_training_queries_know_their_copies_and_do_not_count_them_as_cited(tmp_path: Path) -> None:
    build_index(corpus(), tmp_path / "index", None)
    with open_generation(tmp_path / "index") as generation:
        found = {one.query.id: one for one in training_queries(generation, 10)}
        assert {id_: one.query.copies for id_, one in found.items()} == {"asked": ("preprint",), "preprint": ("asked",)}
        for one in found.values():
            assert sorted(generation.catalog.ids(one.gold)) == sorted(CITED)


def test_a_copy_is_no_gold_of_a_corpus(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    papers = [*corpus(), Paper("alone", TITLE + " again", "", 2016, citations=("asked", "preprint"))]
    path, ids = written(tmp_path, papers, "asked\nalone\n")
    tests = Corpus("c", ((path, ids),)).test_set()
    assert tests.qrels == {"asked": frozenset(CITED)}  # of the other one, nothing is left to be found
    assert [query.id for query in tests.queries] == ["asked"]
    assert caplog.messages == [f"{ids}: 1 paper cites nothing that may be found, such as alone: not asked"]


def test_a_copy_is_no_gold_of_a_split(tmp_path: Path) -> None:
    protocol = replace(PROTOCOLS["corpus"], test_ids=frozenset({"asked"}))
    counts = write_split(corpus(), protocol, tmp_path).counts
    assert read_qrels(tmp_path / "test.qrels")[0] == {"asked": frozenset(CITED)}
    assert counts.citations_of_copies == 1


def test_in_the_papers_protocols_a_copy_is_gold_and_found_by_its_text_but_no_evidence(tmp_path: Path) -> None:
    protocol = replace(PROTOCOLS["open-research"], test_ids=frozenset({"asked"}))
    write_split(corpus(), protocol, tmp_path)
    assert read_qrels(tmp_path / "test.qrels")[0] == {"asked": frozenset({*CITED, "preprint"})}
    run_split(tmp_path, "test", ["BM25", "+ graph"], encoder=None)
    assert read_run(tmp_path / "runs" / "test" / "BM25.trec")["asked"][0] == "preprint"
    by_graph = (tmp_path / "runs" / "test" / "+_graph.trec").read_text().split()
    assert not {"preprint", *CITED} & set(by_graph)
