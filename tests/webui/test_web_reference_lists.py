"""Checking a list of references: which of it are known and fit, which are missing or newer."""

import re

import pytest
from web_forms import BIB, QUESTION, file
from web_pages import Text


def test_check_mode(client):
    known = "[1] A. Lovelace. Neural ranking models for passage retrieval. 2019."
    references = f"{known}\n[2] Nobody. A work that is not in this index at all.\n"
    question = {**QUESTION, "gold": references + "[3] The probabilistic relevance framework"}
    html = client.post("/check", data=question, content_type="multipart/form-data").text
    text = " ".join(Text(html).text.split())
    assert "2 of 2 references among the first 20" in text
    assert "1 not in this index" in text
    assert "A work that is not in this index at all" in text
    assert f"{2 * 0.1 / 1.1:.3f}" in text  # precision 2/20, recall 1
    assert Text(html).values["gold"].strip() == question["gold"]
    by_file = client.post(
        "/check", data={**QUESTION, "references": file(BIB, "a.bib")}, content_type="multipart/form-data"
    )
    assert "1 of 1 reference among the first 20" in " ".join(Text(by_file.text).text.split())
    pasted = Text(client.post("/check", data={**QUESTION, "gold": f"bm25\n{BIB.decode()}"}).text)
    assert "2 of 2 references among the first 20" in " ".join(pasted.text.split())
    by_doi = Text(client.post("/check", data={"title": "10.1000/neural", "gold": "bm25"}).text)
    assert by_doi.values["title"].strip() == "Neural ranking models for passage retrieval"
    assert "The paper itself is in this index" in " ".join(by_doi.text.split())


def test_references_newer_than_the_paper_are_named_and_do_not_count(client):
    page = client.post("/check", data={**QUESTION, "gold": "bm25\ndense\nneural", "year": "2019"}).text
    text = " ".join(Text(page).text.split())
    assert "2 of 2 references among the first 20" in text
    assert re.search("1 newer than 2019, not looked at Dense passage retrieval .*?Turing.*? Title", text)
    assert "no stage found it" not in text
    assert '<label for="year">Year of your paper</label>' in page
    assert "not looked at Dense" not in Text(client.post("/check", data={**QUESTION, "gold": "dense"}).text).text


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "enter a title or an abstract"),
        (QUESTION, "paste the reference list"),
        ({**QUESTION, "gold": "Nothing that anybody has ever heard of"}, "none of the references is in this index"),
        ({**QUESTION, "gold": "bm25", "year": "soon"}, "Year of your paper must be a whole number"),
        ({**QUESTION, "gold": "dense", "year": "2019"}, "every reference that this index holds is newer than 2019"),
        ({**QUESTION, "gold": "@misc{a, note = {b}}"}, "no entry of the bibliography could be read"),
        ({**QUESTION, "gold": "x" * 100_001}, "longer than 100,000"),
    ],
)
def test_what_cannot_be_checked_is_said(client, fields, message):
    answer = client.post("/check", data=fields)
    assert answer.status_code == 400
    assert message in answer.text


def test_hostile_references_are_text(client):
    attack = '</textarea><script>alert(1)</script>"><img src=x> that nobody has indexed'
    fields = Text(client.post("/check", data={**QUESTION, "gold": f"bm25\n{attack}"}).text)
    assert attack in fields.text
    assert not [tag for tag, _ in fields.elements if tag in {"script", "img"}]
