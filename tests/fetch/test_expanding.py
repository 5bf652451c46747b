"""`recommend --expand`: works that the index does not have are fetched from a server that plays OpenAlex."""

import fake_openalex
import pytest
from command_line import run
from fake_openalex import CORPUS, MERGED, doi_of, made_up_work

from fetch.client import Access
from fetch.named import fetch_named
from indexer.builds import build_index
from indexer.generations import open_generation, served_manifest
from indexer.paper import Paper

LARGE = "W123456"  # as ids of OpenAlex are
TITLE = "A graph of neural ranking"


@pytest.fixture(autouse=True)
def with_a_large_id(monkeypatch):
    monkeypatch.setattr(fake_openalex, "CORPUS", [*CORPUS, made_up_work(int(LARGE[1:]))])


@pytest.fixture
def directory(tmp_path):
    papers = [
        Paper(f"p{number}", f"Neural ranking of graphs {number}", "Ranking graphs.", 2019, citations=cited)
        for number, cited in enumerate([(doi_of(7), LARGE), (doi_of(7), "10.9999/nobody"), (LARGE, doi_of(10))])
    ]
    build_index(papers, tmp_path / "ix", None)
    (tmp_path / "q.txt").write_text(f"{TITLE}\n\nRanking graphs with neural networks.\n", "utf-8")
    return tmp_path / "ix"


def expand(directory, fake, monkeypatch, *options):
    monkeypatch.setenv("CITESCOUT_OPENALEX_URL", fake.url if fake else "http://127.0.0.1:9")
    monkeypatch.setenv("OPENALEX_API_KEY", "a-key")
    query = directory.parent / "q.txt"
    return run("recommend", query, "--index", directory, "--beyond", 9, "--expand", *options)


def test_the_works_are_added_and_recommended(directory, fake, monkeypatch):
    told = expand(directory, fake, monkeypatch, "--format", "trec")
    assert "Added 3 of 4 works" in told.err
    assert {line.split()[2] for line in told.out.splitlines()} >= {"W7", LARGE, "W10"}
    assert {headers["Authorization"] for _, _, headers in fake.seen} == {"Bearer a-key"}
    generation = open_generation(directory)
    numbers = generation.catalog.docids(["W7", LARGE, "W10"])
    cited_by = {id_: generation.catalog.ids(generation.graph.cited_by.of(number)) for id_, number in numbers.items()}
    assert {id_: {one for one in some if one.startswith("p")} for id_, some in cited_by.items()} == {
        "W7": {"p0", "p1"},
        LARGE: {"p0", "p2"},
        "W10": {"p2"},
    }
    generation.close()


def test_with_no_connection_it_stays_a_list(directory, monkeypatch):
    told = expand(directory, None, monkeypatch)
    assert "Nothing was fetched, and the index stays as it is" in told.err
    assert f"https://doi.org/{doi_of(7)}" in told.out
    assert served_manifest(directory)[0] == "gen-000001"


def test_what_the_api_refuses_changes_nothing(directory, fake, monkeypatch):
    fake.faults[0] = "403"
    told = expand(directory, fake, monkeypatch)
    assert "API key may be missing or wrong" in told.err
    assert doi_of(7) in told.out
    assert served_manifest(directory)[0] == "gen-000001"


def test_works_that_openalex_does_not_have_are_told(tmp_path, fake, monkeypatch):
    build_index([Paper("p", "Neural ranking of graphs", citations=("10.9999/nobody", "x"))], tmp_path / "ix", None)
    (tmp_path / "q.txt").write_text(TITLE, "utf-8")
    assert (
        "OpenAlex has nothing of what is not in the index (2 works)" in expand(tmp_path / "ix", fake, monkeypatch).err
    )


def test_works_that_openalex_cannot_be_asked_for_are_told(tmp_path, fake, monkeypatch):
    build_index([Paper("p", "Neural ranking of graphs", citations=("smith2001", "x"))], tmp_path / "ix", None)
    (tmp_path / "q.txt").write_text(TITLE, "utf-8")
    told = expand(tmp_path / "ix", fake, monkeypatch).err
    assert "OpenAlex is asked by DOI, arXiv id or its own id, and 2 works have none of them" in told
    assert fake.seen == []


def test_that_there_is_nothing_to_fetch_is_told(tmp_path, fake, monkeypatch):
    build_index([Paper("p", "Neural ranking of graphs")], tmp_path / "ix", None)
    (tmp_path / "q.txt").write_text(TITLE, "utf-8")
    assert "cite no further work" in expand(tmp_path / "ix", fake, monkeypatch).err


def test_works_are_fetched_by_dois_arxiv_ids_and_their_own(fake):
    wanted = [
        Paper("", "", doi=doi_of(20)),
        Paper("", "", arxiv=MERGED.rpartition(".")[2]),
        Paper(LARGE, ""),
        Paper("W999999", ""),
        Paper("a title alone", "A title alone"),
    ]
    found = fetch_named(wanted, Access(fake.url, requests_per_second=1000, backoff=0.0))
    assert {paper.id for paper in found} == {"W20", "W7", LARGE}
    assert fetch_named([], Access(fake.url)) == []
