"""The basket of a session: notes stay with their papers and in all tabs, and it is not emptied by accident."""

import re

import pytest
from web_pages import Text

from webui import create_app

BASKET = f"/s/{'A' * 22}/basket"


@pytest.fixture
def client(recommender, tmp_path):
    client = create_app(recommender, sessions=tmp_path).test_client()
    client.post(BASKET, data={"papers": ["neural", "dense", "bm25"]})
    return client


def notes(client):
    found = re.findall(r'name="note:/(\w+)"[^>]*>\n(.*?)</textarea>', client.get(BASKET).text, re.DOTALL)
    return {paper: note for paper, note in found if note}


def tab(client):
    """The fields that a browser sends of the basket as it is shown now."""
    page = Text(client.get(BASKET).text)
    fields = {one["name"]: one.get("value", "") for one in page.named("input")}
    return fields | {f"note:/{paper}": fields[f"was:/{paper}"] for paper in ("neural", "dense", "bm25")}


def test_a_note_names_its_paper_so_that_no_browser_puts_it_into_another_row(client):
    client.post(f"{BASKET}/edit", data={"note:/neural": "first", "note:/dense": "second", "note:/bm25": "third"})
    old = tab(client)
    client.post(f"{BASKET}/edit", data={**old, "remove": "/neural"})
    client.post(f"{BASKET}/edit", data={**old, "note:/bm25": "third, longer"})
    assert notes(client) == {"dense": "second", "bm25": "third, longer"}
    fields = Text(client.get(BASKET).text).named("textarea")
    assert [(one["name"], one["autocomplete"]) for one in fields] == [("note:/dense", "off"), ("note:/bm25", "off")]


@pytest.mark.parametrize("post", [("edit", {}), ("edit", {"remove": "/bm25"}), ("export/csv", {})])
def test_a_tab_saves_only_the_notes_that_were_changed_in_it(client, post):
    address, fields = post
    client.post(f"{BASKET}/edit", data={"note:/neural": "two\r\nlines", "note:/dense": "old"})
    old = tab(client)
    client.post(f"{BASKET}/edit", data={**tab(client), "note:/neural": "of another tab"})
    client.post(f"{BASKET}/{address}", data={**old, "note:/dense": "", **fields})
    assert notes(client) == {"neural": "of another tab"}


def test_the_basket_is_emptied_by_a_folded_button_that_says_what_is_lost(client):
    page = client.get(BASKET).text
    (folded,) = re.findall(r"<details class=\"delete\">(.*?)</details>", page, re.DOTALL)
    assert "<summary>Empty the basket</summary>" in folded
    assert "Nothing brings them back" in folded
    assert page.count('name="empty"') == folded.count('name="empty"') == 1
    client.post(f"{BASKET}/edit", data={"empty": "1"})
    assert "basket is empty" in client.get(BASKET).text
