"""Addresses of checks: within a session each has one, as questions have, and texts are in none."""

import io
import re
from dataclasses import replace

import pytest
from archives import zipped
from small_index import recommender_of
from web_pages import Text, everything
from web_sessions import ONE, OTHER

from citescout.live import LiveRecommender
from indexer.builds import build_index
from indexer.paper import Paper
from webui import create_app
from webui.kept_checks import MAX_CHECKS, Checked
from webui.store_file import FullError

PAPER = {
    "title": "Passage retrieval with neural ranking",
    "abstract": "",
    "gold": "bm25\nA work that nobody has indexed",
}


@pytest.fixture
def client(recommender, folder):
    return create_app(recommender, sessions=folder).test_client()


def check(client, root=f"/s/{ONE}", **fields):
    answer = client.post(f"{root}/check", data={**PAPER, **fields})
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def result(client, address):
    """What the page at an address says of the check, without the form."""
    answer = client.get(address)
    assert answer.status_code == 200
    return " ".join(Text(answer.text).text.split()).partition("Title")[0]


def test_a_check_has_an_address_that_shows_it_again(client):
    address = check(client)
    assert address == f"/s/{ONE}/checked/1"
    for _ in range(2):
        assert "1 of 1 reference among the first 20" in result(client, address)
        assert "A work that nobody has indexed" in result(client, address)
    assert ">\nbm25\nA work that nobody has indexed</textarea>" in client.get(address).text
    assert check(client) == address, "the same again is the same address"
    assert check(client, gold="dense\nbm25") == f"/s/{ONE}/checked/2"
    assert "2 of 2 references" in result(client, f"/s/{ONE}/checked/2")


def test_the_page_of_checks_leads_into_a_session_and_stores_nothing(client, folder):
    before = everything(folder)
    (action,) = [form["action"] for form in Text(client.get("/check").text).named("form")]
    assert re.fullmatch(r"/s/[A-Za-z0-9_-]{22}/check", action)
    assert client.post("/check", data=PAPER).status_code == 200, "outside of a session nothing is stored"
    assert everything(folder) == before


def test_references_of_files_are_there_again_too(client):
    bibliography = (
        b"@article{x, title={Dense passage retrieval}, author={Alan Turing}}\n@misc{y, title={Nowhere}}\n@misc{z"
    )
    sent = {**PAPER, "gold": "", "references": (io.BytesIO(bibliography), "a.bib")}
    page = client.get(client.post(f"/s/{ONE}/check", data=sent).headers["Location"]).text
    assert "1 of 1 reference among the first 20" in page
    assert ">Dense passage retrieval</a>" in page
    assert '<li dir="auto">Nowhere</li>' in page
    assert "Of the bibliography 1 record skipped" in page


def test_without_references_those_that_the_manuscript_cites_are_checked(client):
    main = r"\documentclass{article}\title{Neural ranking}\begin{document}By \cite{x,y}.\bibliography{r}\end{document}"
    bibliography = (
        "@article{x, title={Dense passage retrieval}, author={Alan Turing}}\n@misc{y, title={Nowhere}}\n"
        "@misc{bm25, title={Not cited}}\n@misc{z, title={The probabilistic relevance framework}}"
    )
    project = zipped({"main.tex": main, "r.bib": bibliography})
    page = client.get(check(client, title="", gold="", draft=(io.BytesIO(project), "paper.zip"))).text
    assert "1 of 1 reference among the first 20" in page
    assert ">Dense passage retrieval</a>" in page
    assert '<li dir="auto">Nowhere</li>' in page
    assert "Not cited" not in page
    page = client.get(check(client, title="", draft=(io.BytesIO(project), "paper.zip"))).text
    assert ">The probabilistic relevance framework</a>" in page, "what is pasted counts alone"
    assert ">Dense passage retrieval</a>" not in page


def test_what_is_wrong_has_no_address(client, folder):
    for wrong in ({"gold": "Nowhere to be found"}, {"gold": ""}, {"title": " "}, {"year": "soon"}):
        answer = client.post(f"/s/{ONE}/check", data={**PAPER, **wrong})
        assert (answer.status_code, "<title>Error: Check" in answer.text) == (400, True)
    assert client.get(f"/s/{ONE}/checked/1").status_code == 404
    newer = client.get(check(client, gold="dense", year="2019"))
    assert newer.status_code == 400
    assert "newer than 2019" in newer.text
    assert 'value="2019"' in newer.text


def test_nobody_sees_the_checks_of_another_session(client):
    check(client)
    for address in ("/checked/1", f"/s/{OTHER}/checked/1", f"/s/{ONE}/checked/2", f"/s/{ONE}/checked/{10**30}"):
        assert client.get(address).status_code == 404


def test_the_history_leads_to_checks_and_deletes_them(client, folder):
    check(client, title="Neural <i> ranking, passphrase kumquat")
    history = client.get(f"/s/{ONE}/history").text
    links = {text: link["href"] for link, text in Text(history).links}
    assert links["Neural <i> ranking, passphrase kumquat"] == f"/s/{ONE}/checked/1"
    assert "All questions and checks are deleted at once" in history
    client.post(f"/s/{ONE}/history/empty")
    assert client.get(f"/s/{ONE}/checked/1").status_code == 404
    assert b"kumquat" not in everything(folder)
    assert check(client) == f"/s/{ONE}/checked/2", "no number is given twice"
    client.post(f"/s/{ONE}/session/delete")
    assert client.get(f"/s/{ONE}/checked/2").status_code == 404


def test_a_check_is_shown_with_the_index_that_was_asked(recommender, tmp_path):
    with recommender_of([Paper("bread", "Baking bread with a slow dough")], tmp_path / "index") as cooking:
        app = create_app({"search": recommender, "cooking": cooking}, sessions=tmp_path / "sessions")
        client = app.test_client()
        address = check(client, f"/s/{ONE}/i/cooking", title="Slow dough", gold="bread")
        assert address == f"/s/{ONE}/i/cooking/checked/1"
        assert client.get(f"/s/{ONE}/checked/1").headers["Location"] == address
        assert "1 of 1 reference" in result(client, address)
        renamed = create_app({"papers": recommender, "bread": cooking}, sessions=tmp_path / "sessions").test_client()
        kept = renamed.get(f"/s/{ONE}/checked/1").text
        assert "This was checked in the index cooking, which is not served any more" in kept
        assert ">\nSlow dough</textarea>" in kept
        assert ">\nbread</textarea>" in kept


def test_a_check_knows_its_references_under_the_ids_that_they_have_now(tmp_path):
    bread, snow = Paper("bread", "Baking bread with a slow dough"), Paper("snow", "Snow on a slow glacier")
    build_index([bread, snow], tmp_path / "index", None)
    with LiveRecommender.open(tmp_path / "index") as live:
        client = create_app(live, sessions=tmp_path / "sessions").test_client()
        address = check(client, title="Slow dough, slow glacier", gold="bread\nsnow")
        assert "2 of 2 references" in result(client, address)
        build_index([replace(bread, id="loaf", other_ids=("bread",))], tmp_path / "index", None)
        assert "1 of 1 reference among the first 20" in result(client, address)
        assert re.search("1 not in this index *snow", result(client, address))


def test_the_latest_checks_are_kept_as_far_as_there_is_room(client, sessions, monkeypatch):
    for number in range(1, MAX_CHECKS + 2):
        assert sessions.checks.keep(ONE, "A title", Checked("", {"title": f"{number}"}, [], [])) == number
    assert [one.number for one in sessions.checks.listed(ONE)] == [*range(MAX_CHECKS + 1, 1, -1)]
    assert sessions.checks.find(ONE, 1) is None

    def full(*_arguments):
        raise FullError("no more can be kept here")

    monkeypatch.setattr("webui.kept_checks.KeptChecks.keep", full)
    answer = client.post(f"/s/{OTHER}/check", data=PAPER)
    assert (answer.status_code, "1 of 1 reference" in answer.text) == (200, True)
