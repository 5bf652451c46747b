"""Questions of a session: addresses that answer as they did, and the history that lists them."""

import io
import re

import pytest
from web_pages import everything, left, listed
from web_sessions import ONE, QUESTION, ask

from webui import create_app


@pytest.fixture
def client(recommender, folder):
    return create_app(recommender, sessions=folder).test_client()


def test_a_question_has_an_address_that_answers_as_it_did(client):
    address = ask(client)
    assert address == f"/s/{ONE}/asked/1"
    direct = client.post("/", data=QUESTION)
    assert direct.status_code == 200, "outside of a session nothing is stored"
    assert listed(client.get(address).text) == listed(direct.text) != []
    assert ask(client) == address, "the same question again is the same address"
    assert ask(client, text="Dense retrieval") == f"/s/{ONE}/asked/2"
    assert listed(client.get(address).text) == listed(direct.text)


def test_the_history_says_what_limits_a_list(client):
    ask(client, from_year="2015", venues="TVCG\nNature <i>", min_citations="0")
    ask(client)
    whole, limited = re.findall(r'<a href="[^"]*/asked/.*?</span>', client.get(f"/s/{ONE}/history").text, re.S)
    assert "from 2015; in TVCG, Nature &lt;i&gt;; 20" in limited
    assert "cited at least" not in limited
    ask(client, min_citations="1")
    assert '"hint">cited at least once; 20' in client.get(f"/s/{ONE}/history").text
    assert "from" not in whole


def test_a_question_without_a_title_is_called_as_it_begins(client):
    words = "We study how passages are retrieved, and compare models that read them with models that count words"
    page = client.get(ask(client, text=f"{words}, in great detail.")).text
    assert re.search("<title>(.*)</title>", page)[1] == f"{words[:57].rpartition(' ')[0]}... · citescout"
    assert f">{words[:97].rpartition(' ')[0]}...</a>" in client.get(f"/s/{ONE}/history").text
    context = client.get(ask(client, context="Models read passages [?].")).text
    assert re.search("<title>(.*)</title>", context)[1] == "Models read passages [?]. · citescout"
    assert "<title>citescout</title>" in client.get(f"/s/{ONE}/").text


def test_an_arabic_question_leaves_the_date_beside_it_in_its_order(client):
    ask(client, text="دراسة في الذاكرة neural ranking")
    page = client.get(f"/s/{ONE}/history").text
    assert re.search(r"<bdi><a [^>]*>دراسة[^<]*</a></bdi>", page), page


def test_the_history_tells_the_lists_of_one_text_apart(client):
    ask(client, already_cited="dense\r\n\r\n A title, with a comma ", liked="neural")
    ask(client)
    whole, refined = re.findall(r'<a href="[^"]*/asked/.*?</span>', client.get(f"/s/{ONE}/history").text, re.S)
    assert '"hint">2 cited already; 1 liked; 20' in refined
    assert "already" not in whole
    assert "liked" not in whole


def test_names_of_authors_are_in_no_session(client, folder):
    answer = client.post(f"/s/{ONE}/", data={**QUESTION, "authors": "Grace Hopper"})
    assert (answer.status_code, "Hopper" in answer.text) == (200, True)
    assert 'id="question-1"' in client.get(f"/s/{ONE}/history").text
    assert b"Hopper" not in everything(folder)


def test_wrong_questions_are_refused_and_not_stored(client):
    assert client.post(f"/s/{ONE}/", data={"text": " "}).status_code == 400
    assert client.post(f"/s/{ONE}/", data={**QUESTION, "year": "soon"}).status_code == 400
    assert client.get(f"/s/{ONE}/asked/1").status_code == 404


def test_history_is_listed_and_emptied_and_the_basket_stays(client, folder):
    address = ask(client)
    client.post(f"/s/{ONE}/basket", data={"papers": "neural"})
    assert QUESTION["text"] in client.get(f"/s/{ONE}/history").text
    client.post(f"/s/{ONE}/history/empty")
    assert client.get(address).status_code == 404
    assert "asked nothing" in client.get(f"/s/{ONE}/history").text
    assert "Neural ranking models" in client.get(f"/s/{ONE}/basket").text
    assert QUESTION["text"].encode() not in left(folder)
    assert ask(client) == f"/s/{ONE}/asked/2", "an address is never given to another question"


def test_a_question_with_a_file_is_in_the_history_too(client):
    draft = (io.BytesIO(b"Dense retrieval\n\nPassages and queries become vectors."), "draft.txt")
    answer = client.post(f"/s/{ONE}/", data={**QUESTION, "file": draft}, content_type="multipart/form-data")
    assert answer.status_code == 200
    assert QUESTION["text"] in answer.text, "what the file took the place of is shown"
    assert listed(client.get(f"/s/{ONE}/asked/1").text) == listed(answer.text)


@pytest.mark.parametrize("number", ["0", "9" * 30, "-1", "x"])
def test_numbers_of_no_question_are_no_page(client, number):
    assert client.get(f"/s/{ONE}/asked/{number}").status_code == 404
