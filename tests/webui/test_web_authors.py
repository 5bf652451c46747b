"""Who writes it: marks on the page and in the API, and names that are neither stored nor logged."""

import logging
import re

import pytest
from web_pages import everything

from webui import create_app
from webui.logs import JsonFormatter

QUESTION = {"title": "Passage retrieval with neural ranking", "year": 2020}
ADA = "Lovelace, Ada"
API = "/api/v1/recommend"


@pytest.fixture
def links(tmp_path):
    return tmp_path / "links"


@pytest.fixture
def client(recommender, links):
    return create_app(recommender, permalinks=links).test_client()


def known(client, **fields):
    answer = client.post(API, json={**QUESTION, **fields})
    assert answer.status_code == 200, answer.text
    return {entry["id"]: entry["known"] for entry in answer.get_json()["recommendations"]}


def test_the_api_marks_what_they_wrote_or_cited(client):
    found = known(client, authors=[ADA])
    assert found["neural"] == {"how": "yours", "by": None, "words": "yours"}
    title = "Neural ranking models for passage retrieval"
    by = {"id": "neural", "title": title, "year": 2019}
    assert found["dense"] == {"how": "cited", "by": by, "words": f"you cited it in {title} (2019)"}
    assert found["hostile"] is None
    assert list(found) == list(known(client))


def test_the_api_hides_what_they_know(client):
    without = [paper for paper, mark in known(client, authors=[ADA]).items() if not mark]
    assert list(known(client, authors=[ADA], hide_known=True)) == without
    assert list(known(client, authors=[ADA], hide_known=True, k=1)) == without[:1]


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"authors": ADA}, "authors must be a list"),
        ({"authors": [7]}, "authors[0] must be text"),
        ({"authors": ["x"] * 51}, "authors may hold at most 50 entries, not 51"),
        ({"authors": ["x" * 501]}, "authors[0] may have at most 500 characters"),
        ({"hide_known": 1}, "hide_known must be true or false"),
        ({"author": ADA}, "unknown field 'author'"),
    ],
)
def test_wrong_fields_are_named_without_the_names(client, fields, message):
    refused = client.post(API, json={**QUESTION, **fields})
    assert refused.status_code == 400
    assert message in refused.get_json()["error"]
    assert "Lovelace" not in refused.text


def test_the_page_marks_and_hides(client):
    form = {**QUESTION, "authors": f"{ADA}; Nobody Known", "k": "20"}
    page = client.post("/", data=form).text
    assert '<p class="known-paper">Yours</p>' in page
    assert "You cited it in Neural ranking models for passage retrieval (2019)" in page
    assert 'name="authors" value="Lovelace, Ada; Nobody Known"' in page
    hidden = client.post("/", data={**form, "hide_known": "1"}).text
    assert "known-paper" not in hidden
    assert "without what you wrote or cited before" in hidden
    assert 'name="hide_known" value="1" checked' in hidden
    assert "neural" not in re.findall(r'name="papers" value="([^"]*)"', hidden)


def test_the_page_marks_and_hides_in_a_session_whose_answers_have_addresses(recommender, tmp_path):
    client = create_app(recommender, sessions=tmp_path).test_client()
    form = {**QUESTION, "authors": ADA, "k": "20"}
    address = f"/s/{'A' * 22}/"
    page = client.post(address, data=form)
    assert (page.status_code, "Yours" in page.text) == (200, True)
    assert "known-paper" not in client.post(address, data={**form, "hide_known": "1"}).text
    assert client.post(address, data=QUESTION).status_code == 303


AGAIN = "Names are not kept: give them again to hide what they know."


def test_hiding_without_names_is_said_wherever_they_are_missing(recommender, tmp_path):
    client = create_app(recommender, sessions=tmp_path / "kept", permalinks=tmp_path / "links").test_client()
    form = {**QUESTION, "authors": ADA, "hide_known": "1", "k": "20"}
    session = f"/s/{'A' * 22}"
    given = client.post(f"{session}/", data=form).text
    again = client.get(f"{session}/asked/1").text
    stored = client.post(f"{session}/q", data=form).text
    linked = client.get(re.search(r'href="(/q/[^"]*)"', stored)[1]).text
    never = client.post("/", data={**form, "authors": " "}).text
    nothing = client.post("/", data={"title": "bread", "hide_known": "1", "from_year": "2020"}).text
    said = f'<p class="hint">No paper is hidden without names. {AGAIN}</p>'
    assert [page.count(said) for page in (given, again, linked, never, nothing)] == [0, 1, 1, 1, 1]
    assert "The names under “Who writes it” are not kept" in stored
    unnamed = client.post(f"{session}/q", data=QUESTION).text
    assert "Who writes it" not in unnamed


def test_the_page_says_of_whom_it_has_no_paper(client):
    page = client.post("/", data={**QUESTION, "authors": f"{ADA}; Nobody <Known>; Nil Else"}).text
    assert "No paper of this index is recognised as one by Nobody &lt;Known&gt; or Nil Else: give full names." in page
    assert "is recognised as one by" not in client.post("/", data={**QUESTION, "authors": ADA}).text


def test_the_api_says_of_whom_it_has_no_paper_and_names_nobody(client):
    answer = client.post(API, json={**QUESTION, "authors": ["Nobody Known", ADA, "Nil Else"]})
    assert answer.get_json()["unknown_authors"] == [0, 2]
    assert "Nobody Known" not in answer.text
    (batch,) = client.post("/api/v1/batch", json={"queries": [{**QUESTION, "authors": [ADA]}]}).get_json()["answers"]
    assert batch["unknown_authors"] == client.post(API, json=QUESTION).get_json()["unknown_authors"] == []


def test_the_page_says_when_all_is_hidden(client):
    form = {"title": "bread", "authors": ADA, "hide_known": "1", "from_year": "2020"}
    page = client.post("/", data=form).text
    assert "nothing that you wrote or cited before" in page


def test_too_many_names_are_said_as_the_page_calls_them(client):
    assert "Who writes it may hold at most 50 entries" in client.post("/", data={**QUESTION, "authors": "a;" * 51}).text


def test_names_are_taken_from_no_address(client):
    page = client.get("/", query_string={**QUESTION, "authors": ADA}).text
    assert "Lovelace, Ada" not in page
    assert "known-paper" not in page


@pytest.mark.parametrize("sent", [("/api/v1/queries", "json", [ADA]), ("/q", "data", ADA)])
def test_names_are_not_stored(client, links, sent):
    address, how, names = sent
    made = client.post(address, **{how: {**QUESTION, "authors": names}})
    assert made.status_code == 201
    assert b"Lovelace" not in everything(links)
    path = re.search(r"/q/([\w-]{22})", made.text)
    stored = client.get(f"/api/v1/queries/{path[1]}").get_json()
    assert stored["fields"]["title"] == QUESTION["title"]
    assert "authors" not in stored["fields"]
    assert "known-paper" not in client.get(path[0]).text


def test_a_stored_choice_is_the_choice(client):
    made = client.post("/api/v1/queries", json={**QUESTION, "hide_known": False})
    assert "checked" not in re.search(r'name="hide_known"[^>]*>', client.get(made.get_json()["path"]).text)[0]


def test_names_are_not_logged_even_with_questions(client, caplog):
    caplog.set_level(logging.DEBUG)
    client.post(API, json={**QUESTION, "authors": [ADA]})
    client.post(API, json={**QUESTION, "authors": [ADA] * 51})
    client.post("/", data={**QUESTION, "authors": ADA})
    lines = [JsonFormatter(with_questions=True).format(record) for record in caplog.records]
    assert any(QUESTION["title"] in line for line in lines)
    assert not any("Lovelace" in line for line in lines)
