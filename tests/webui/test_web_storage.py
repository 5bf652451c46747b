"""A server that keeps nothing and lets browsers do it: what its pages hold, and what it exports for them."""

import codecs
import csv
import io
import re

import bibtexparser
import pytest

from webui import create_app
from webui.kept_baskets import MAX_NOTE, MAX_PICKS

QUESTION = {"text": "Passage retrieval with neural ranking"}


@pytest.fixture
def client(recommender):
    return create_app(recommender, browser_storage=True).test_client()


def exported(client, name, picks, notes):
    fields = {f"note:{pick}": note for pick, note in zip(picks, notes, strict=True)}
    return client.post(f"/basket/export/{name}", data={"pick": picks, **fields})


def test_pages_tell_scripts_to_keep_and_people_without_scripts_what_is_lost(client):
    for page in (client.get("/"), client.post("/", data=QUESTION), client.get("/basket"), client.get("/history")):
        assert page.status_code == 200
        assert 'data-storage="/"' in page.text
        assert "Basket (" in page.text
    assert "what you select is lost" in client.post("/", data=QUESTION).text
    assert "what you select is lost" in client.get("/basket").text
    assert "keeps no questions" in client.get("/history").text
    for address in ("/basket", "/basket/edit", "/history/empty", "/session/delete"):
        assert client.post(address).status_code == 404, "nothing is kept here"


def test_sessions_leave_nothing_to_browsers(recommender, tmp_path):
    client = create_app(recommender, sessions=tmp_path, browser_storage=True).test_client()
    assert "data-storage" not in client.get("/").text


def test_a_basket_is_exported_in_every_format_with_its_notes(client):
    page = client.get("/basket").text
    names = re.findall(r'formaction="/basket/export/([^"]+)"', page)
    assert len(names) == 5
    for name in [*names, "jsonl"]:
        answer = exported(
            client, name, ["/dense", "/neural", "/nobody", "elsewhere/dense"], ["first,\r\nthen", "", "x", "y"]
        )
        assert "attachment" in answer.headers["Content-Disposition"]
        assert "Dense passage retrieval" in answer.text
        assert "first," in answer.text
    bib = exported(client, "bibtex", ["/dense", "/neural"], ["For § 2", ""]).text
    first, second = bibtexparser.parse_string(bib).entries
    assert first["annote"] == "For § 2"
    assert "annote" not in second
    marked = exported(client, "csv", ["/dense"], ["=1+1"]).data
    assert marked.startswith(codecs.BOM_UTF8)  # for Excel
    (row,) = csv.DictReader(io.StringIO(marked.decode("utf-8-sig")))
    assert (row["id"], row["note"]) == ("dense", "'=1+1")


def test_what_is_too_large_is_refused(client):
    assert (
        exported(client, "bibtex", [f"/{n}" for n in range(MAX_PICKS + 1)], [""] * (MAX_PICKS + 1)).status_code == 400
    )
    assert exported(client, "bibtex", ["/dense"], ["x" * (MAX_NOTE + 1)]).status_code == 400
    assert exported(client, "nothing", ["/dense"], [""]).status_code == 400


def test_papers_are_of_the_index_that_they_name(recommender):
    client = create_app({"one": recommender, "two": recommender}, browser_storage=True).test_client()
    assert 'data-index="two"' in client.get("/i/two/").text
    assert 'data-storage="/"' in client.get("/i/two/").text
    found = exported(client, "csv", ["two/dense", "one/neural", "/bm25", "three/bm25"], [""] * 4).data
    assert [row["id"] for row in csv.DictReader(io.StringIO(found.decode("utf-8-sig")))] == [
        "dense",
        "neural",
        "bm25",
    ], "as of sessions"


def test_a_paper_that_was_picked_again_since_its_index_has_a_name_is_exported_once(recommender):
    client = create_app({"one": recommender, "two": recommender}, browser_storage=True).test_client()
    found = exported(client, "csv", ["/dense", "/neural", "one/dense", "two/neural"], ["mine", "", "too", ""]).data
    rows = list(csv.DictReader(io.StringIO(found.decode("utf-8-sig"))))
    assert [row["id"] for row in rows] == ["dense", "neural", "two/neural"]
    assert rows[0]["note"] == "mine\n\ntoo"
