"""The map of a list: its papers and citations, those of the question, what is added around one; also as a table."""

import hashlib
import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path

import pytest
from web_sessions import ONE

from citescout import Query
from citescout.recommendation import Answer, Recommendation
from citescout.recommender import Recommender
from indexer.builds import build_index
from indexer.changes import remove_papers
from indexer.paper import Paper
from webui import create_app
from webui.citation_map import citation_map

ROOT = Path(__file__).parents[2]
# Who cites whom: "outside" is not in the index, and nobody cites himself.
CITES = {"a": "a", "b": "a", "c": "a b outside", "d": "c", "e": "c gone", "gone": "a", "own": "b", "far": "gone"}


@pytest.fixture(scope="module")
def linked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("linked")
    papers = [
        Paper(
            id_, f"Retrieval of passages, part {id_}", "", 2000 + place, ("Ada Lovelace",), citations=tuple(to.split())
        )
        for place, (id_, to) in enumerate(CITES.items())
    ]
    build_index(papers, folder, encoder=None)
    remove_papers(["gone"], folder)
    with Recommender.open(folder, reranker="none") as opened:
        yield opened


def answer(recommender, ids, **query):
    papers = recommender.papers(ids)
    return Answer(Query("x", **query), [Recommendation(rank, 1.0, one) for rank, one in enumerate(papers, start=1)])


def pairs(found):
    return {(found.nodes[citing].mark, found.nodes[cited].mark) for citing, cited in found.citations}


def test_the_map_has_the_citations_among_the_papers_and_how_often_each_is_cited(linked):
    found = citation_map(answer(linked, ["c", "a", "b", "d"]), linked)
    assert [node.mark for node in found.nodes] == ["1", "2", "3", "4"]
    assert pairs(found) == {("1", "2"), ("1", "3"), ("3", "2"), ("4", "1")}
    assert [node.citations for node in found.nodes] == [2, 2, 2, 0], "removed papers cite nobody"
    assert (found.cites(0), found.cited_by(0)) == (["2", "3"], ["4"])
    assert citation_map(answer(linked, ["a", "far", "e"]), linked) is None, "too few citations"
    assert citation_map(answer(linked, []), linked) is None


def test_a_paper_without_authors_is_called_by_its_title_as_it_is_shown(linked):
    asked = answer(linked, ["c", "a", "b"])
    for entry, title in zip(asked.recommendations, (r"On $\alpha$ and CO$_2$", "", "Short"), strict=True):
        object.__setattr__(entry, "paper", replace(entry.paper, authors=(), title=title))
    assert [node.name for node in citation_map(asked, linked).nodes] == ["On α and CO2", "Untitled", "Short"]


def test_papers_of_the_question_stand_on_the_map_where_they_are_linked(linked):
    asked = answer(linked, ["a", "b", "c"], id="own", already_cited=("d", "far"), liked=("b",))
    found = citation_map(asked, linked, {"d"})
    assert [(node.id, node.mark, node.seed, node.picked) for node in found.nodes] == [
        ("a", "1", False, False),
        ("b", "2", True, False),
        ("c", "3", False, False),
        ("own", "A", True, False),
        ("d", "B", True, True),
    ]
    assert {("A", "2"), ("B", "3")} < pairs(found)


def test_what_a_paper_cites_and_what_cites_it_is_added_with_all_its_citations(linked):
    client = create_app(linked).test_client()
    made = client.post("/api/map", data={"id": "c", "shown": ["c", "a"]}).get_json()
    assert {paper["id"] for paper in made["papers"]} == {"b", "d", "e"}
    assert {tuple(pair) for pair in made["citations"]} == {("b", "a"), ("c", "b"), ("d", "c"), ("e", "c")}
    again = client.post("/api/map", data={"id": "c", "shown": ["c", *(paper["id"] for paper in made["papers"]), "a"]})
    assert again.get_json() == {"papers": [], "citations": []}
    unknown = client.post("/api/map", data={"id": "c", "shown": ["nobody", "x" * 300]})
    assert {paper["id"] for paper in unknown.get_json()["papers"]} == {"a", "b", "d", "e"}


@pytest.mark.parametrize(
    "form", [{}, {"id": "nobody"}, {"id": "x" * 501}, {"id": "c", "shown": [str(n) for n in range(401)]}]
)
def test_wrong_requests_are_refused(linked, form):
    assert create_app(linked).test_client().post("/api/map", data=form).status_code == 400


def test_the_page_has_the_map_as_data_and_as_a_table(client):
    html = client.post("/", data={"title": "Passage retrieval with neural ranking", "k": "100"}).text
    data = json.loads(unescape(re.search(r'data-map="([^"]*)"', html)[1]))
    marks = {paper["id"]: paper["mark"] for paper in data["papers"]}
    drawn = {tuple(pair) for pair in data["citations"]}
    assert drawn == {("neural", "bm25"), ("neural", "dense"), ("dense", "bm25"), ("hostile", "bm25")}
    rows = re.findall(r"<tr><td>(\d+)</td>.*?<td>([^<]*)</td><td>([^<]*)</td></tr>", html)
    told = {(rank, cited) for rank, cites, _ in rows if cites != "–" for cited in cites.split(", ")}
    assert told == {(marks[citing], marks[cited]) for citing, cited in drawn}
    back = {(citing, rank) for rank, _, cited_by in rows if cited_by != "–" for citing in cited_by.split(", ")}
    assert back == told
    assert all(paper["link"] == "" or paper["link"].startswith("http") for paper in data["papers"])


def test_the_map_knows_the_basket_of_its_session(recommender, tmp_path):
    client = create_app(recommender, sessions=tmp_path / "sessions").test_client()
    client.post(f"/s/{ONE}/basket", data={"papers": ["dense", "bm25"]})
    html = client.post(f"/s/{ONE}/api/v1/recommend", json={"title": "Passages"}, headers={"Accept": "text/html"}).text
    data = json.loads(unescape(re.search(r'data-map="([^"]*)"', html)[1]))
    assert {paper["id"] for paper in data["papers"] if paper["picked"]} == {"dense", "bm25"}
    added = client.post(f"/s/{ONE}/api/map", data={"id": "neural"}).get_json()
    assert {paper["id"]: paper["picked"] for paper in added["papers"]} == {"dense": True, "bm25": True}
    elsewhere = client.post("/api/map", data={"id": "neural"}).get_json()
    assert not any(paper["picked"] for paper in elsewhere["papers"])


def test_d3_is_as_it_was_built_and_its_licence_names_what_it_holds():
    vendor, static = ROOT / "webui" / "vendor", ROOT / "webui" / "static"
    checksum, name = (vendor / "d3.sha256").read_text("utf-8").split()
    assert hashlib.sha256((vendor / name).read_bytes()).hexdigest() == checksum
    locked = json.loads((vendor / "package-lock.json").read_text("utf-8"))["packages"]
    asked = json.loads((vendor / "package.json").read_text("utf-8"))
    wanted = asked["dependencies"] | asked["overrides"]
    assert {module: locked[f"node_modules/{module}"]["version"] for module in wanted} == wanted
    licence = (static / "d3.LICENSE.txt").read_text("utf-8")
    held = re.findall(r"(d3-\w+) (\d\S*?)[,\n]", licence)
    assert set(wanted) <= {module for module, _ in held}
    assert {module: locked[f"node_modules/{module}"]["version"] for module, _ in held} == dict(held)
    assert all(locked[f"node_modules/{module}"]["license"] == "ISC" for module, _ in held)
    assert "THE SOFTWARE IS PROVIDED" in licence
