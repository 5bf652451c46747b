"""Works outside the index on the page and in the API."""

import io
import re

from small_index import recommender_fixture

from indexer.identity.references import Reference
from indexer.paper import Paper

HOSTILE = Reference(
    author="<b>Mallory</b>", year="1999", title="<script>alert(1)</script> & ranking of passages"
).citation()
PAPERS = (
    Paper("a", "Neural ranking of passages", "Rankers read passages.", 2019, citations=("10.1000/out", HOSTILE)),
    Paper("b", "Dense passage retrieval", "Passages become vectors.", 2020, citations=("10.1000/out", "javascript:x")),
)
QUESTION = {"title": "Ranking of passages", "abstract": "Neural rankers for passages."}

recommender = recommender_fixture(PAPERS)


def section(html):
    found = re.search(r'<details class="folded" id="outside">(.*?)</details>', html, re.DOTALL)
    return found[1] if found else ""


def test_the_page_folds_them_below_the_list(client):
    shown = section(client.post("/", data=QUESTION).text)
    assert "3 works that are not in this index and that the nearest papers cite" in shown
    assert '<a href="https://doi.org/10.1000/out"' in shown
    assert "Cited by “Neural ranking of passages” 2019 and “Dense passage retrieval” 2020" in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; ranking of passages" in shown
    assert "<script" not in shown
    assert 'href="javascript' not in shown


def test_what_is_cited_already_is_not_among_them(client):
    shown = section(client.post("/", data={**QUESTION, "already_cited": "https://doi.org/10.1000/OUT"}).text)
    assert "2 works that are" in shown
    assert "10.1000/out" not in shown


def test_without_any_there_is_no_section(client):
    assert section(client.post("/", data={**QUESTION, "year": "2010"}).text) == ""


def test_the_api_names_as_many_as_it_is_asked_for(client):
    assert client.post("/api/v1/recommend", json=QUESTION).json["beyond"] == []
    (first,) = client.post("/api/v1/recommend", json={**QUESTION, "beyond": 1}).json["beyond"]
    assert (first["doi"], first["cited_by_count"], first["times_cited"]) == ("10.1000/out", 2, 2)
    assert {linked["id"] for linked in first["cited_by"]} == {"a", "b"}
    batch = client.post("/api/v1/batch", json={"queries": [{**QUESTION, "beyond": 2}]}).json["answers"]
    assert len(batch[0]["beyond"]) == 2
    assert client.post("/api/v1/recommend", json={**QUESTION, "beyond": -1}).status_code == 400


def test_a_file_holds_them_where_a_program_asks_for_them(client):
    asked = client.post("/api/v1/export/bibtex", json={**QUESTION, "beyond": 5}).text
    assert "10.1000/out" in asked
    assert "10.1000/out" not in client.post("/export/bibtex", data=QUESTION).text  # the page's button
    picked = client.post("/api/v1/export/bibtex", json={**QUESTION, "beyond": 5, "papers": ["a"]}).text
    assert "10.1000/out" not in picked


def test_what_an_uploaded_bibliography_cites_beside_the_index_is_not_named(client):
    entries = b"@article{x, title={Elsewhere}, doi={10.1000/OUT}}\n"
    found = client.post("/api/file", data={"file": (io.BytesIO(entries), "mine.bib")}).json
    assert (found["ids"], found["missing_count"]) == (["10.1000/out"], 1)
    shown = section(client.post("/", data={**QUESTION, "already_cited": "\n".join(found["ids"])}).text)
    assert "10.1000/out" not in shown
