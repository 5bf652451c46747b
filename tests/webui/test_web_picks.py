"""Papers that a session picks: ticks on lists, citing them, their notes and exports."""

import re
from dataclasses import replace

import bibtexparser
import pytest
from web_pages import PAPER, listed
from web_sessions import ONE, ask

from citescout import Query
from citescout.recommendation import Recommendation
from exports import written
from indexer.original import Original
from webui import create_app


@pytest.fixture
def client(recommender, folder):
    return create_app(recommender, sessions=folder).test_client()


def ticked(html):
    return re.findall(r'name="papers" value="([^"]*)"[^>]* checked', html)


def test_ticks_are_the_basket_and_stay_across_questions(client):
    address = ask(client)
    made = client.post(f"/s/{ONE}/basket", data={"papers": "neural"}, headers={"Accept": "application/json"})
    assert made.get_json() == {"count": 1}
    assert ticked(client.get(address).text) == ["neural"]
    assert "neural" in ticked(client.get(ask(client, text="Ranking models for retrieval")).text)
    client.post(f"/s/{ONE}/basket", data={"papers": "neural", "remove": "1"})
    assert ticked(client.get(address).text) == []


def test_ticks_are_kept_whichever_button_of_the_list_is_pressed_without_scripts(client):
    ask(client)
    assert ticked(client.get(ask(client, sort="year", papers="neural")).text) == ["neural"]
    assert ticked(client.get(ask(client, steer="1", like="dense", papers="bm25")).text) == ["neural", "bm25"]
    assert "marked as cited" not in client.get(f"/s/{ONE}/basket").text


def test_papers_that_are_cited_stay_in_the_basket(client):
    ask(client)
    address = ask(client, cite="1", papers="neural")
    page = client.get(address).text
    assert "neural" not in listed(page)
    basket = client.get(f"/s/{ONE}/basket").text
    assert "Neural ranking models" in basket
    assert "marked as cited" in basket


def test_the_basket_is_cited_by_the_latest_question(client):
    assert client.post(f"/s/{ONE}/basket/edit", data={"cite": "1"}).status_code == 400
    ask(client, already_cited="bm25")
    client.post(f"/s/{ONE}/basket", data={"papers": ["neural", "nobody"]})
    answer = client.post(f"/s/{ONE}/basket/edit", data={"cite": "1"})
    assert answer.location.endswith("#results")  # on a phone the form is above the list
    page = client.get(answer.headers["Location"]).text
    assert not {"neural", "bm25"} & set(listed(page))
    assert "2 cited already" in page


def test_whoever_begins_anew_is_told_where_the_basket_of_last_time_is(client):
    assert "Were you here before?" in client.get("/").text
    assert "Were you here before?" not in client.get(f"/s/{ONE}/").text


def test_notes_stay_and_hostile_ones_are_text(client):
    attack = "</textarea><script>alert(1)</script>"
    client.post(f"/s/{ONE}/basket", data={"papers": ["neural", "dense"]})
    edited = {"note:/dense": "for later", "note:/neural": attack}
    assert client.post(f"/s/{ONE}/basket/edit", data=edited).status_code == 303
    client.post(f"/s/{ONE}/basket", data={"papers": "neural"})  # once more
    page = client.get(f"/s/{ONE}/basket").text
    assert "for later" in page
    assert "&lt;/textarea&gt;&lt;script&gt;" in page
    assert client.post(f"/s/{ONE}/basket/edit", data={"note:/dense": "x" * 2001}).status_code == 400


def test_whoever_removes_a_paper_from_the_basket_stays_at_its_place(client):
    client.post(f"/s/{ONE}/basket", data={"papers": ["neural", "dense", "bm25"]})
    for removed, place, there in (("dense", "pick-2", "bm25"), ("bm25", "pick-1", "neural")):
        shown = re.findall(r'name="pick" value="([^"]*)"', client.get(f"/s/{ONE}/basket").text)
        answer = client.post(f"/s/{ONE}/basket/edit", data={"pick": shown, "remove": f"/{removed}"})
        assert answer.headers["Location"] == f"/s/{ONE}/basket#{place}"
        around = client.get(f"/s/{ONE}/basket").text.partition(f'id="{place}"')[2].partition("</li>")[0]
        assert f'name="pick" value="/{there}"' in around


def test_the_basket_is_exported_in_every_format(client):
    client.post(f"/s/{ONE}/basket", data={"papers": ["neural", "dense"]})
    page = client.get(f"/s/{ONE}/basket").text
    exports = re.findall(r'formaction="([^"]+/export/[^"]+)"', page)
    assert len(exports) == 5
    for address in exports:
        answer = client.post(address)
        assert answer.status_code == 200
        assert "attachment" in answer.headers["Content-Disposition"]
        assert "Dense passage retrieval" in answer.text
    bib = client.post(f"/s/{ONE}/basket/export/bibtex").text
    assert len(bibtexparser.parse_string(bib).entries) == 2


def test_the_basket_keeps_the_entry_that_a_paper_came_from(sessions):
    entry = "@article{mine, title={{Neural} ranking}, note={of my own}}"
    sessions.baskets.pick(ONE, "", [replace(PAPER, original=Original("bibtex", entry, ("@string{a = {b}}",)))])
    (pick,) = sessions.baskets.picks(ONE)
    assert pick.paper == replace(PAPER, citations=(), original=Original("bibtex", entry, ("@string{a = {b}}",)))
    assert entry in written("bibtex", [(Query("neural"), [Recommendation(1, 0.0, pick.paper)])])


def test_notes_are_in_the_exports_of_the_basket_even_when_they_were_not_saved(client):
    client.post(f"/s/{ONE}/basket", data={"papers": ["neural", "dense"]})
    form = {"note:/dense": "for later", "note:/neural": ""}
    bib = client.post(f"/s/{ONE}/basket/export/bibtex", data=form).text
    notes = [entry.fields_dict.get("annote") for entry in bibtexparser.parse_string(bib).entries]
    assert [note.value if note else "" for note in notes] == ["", "for later"]
    assert "for later" in client.get(f"/s/{ONE}/basket").text
    assert "for later" in client.post(f"/s/{ONE}/basket/export/csv").text
    assert client.post(f"/s/{ONE}/basket/export/csv", data={"note:/dense": "x" * 2001}).status_code == 400
