"""The page's basket goes into a running Zotero, which is played, where the server offers it."""

import json

import pytest
from command_line import run
from fake_zotero import running
from small_index import recommender_fixture

from cli.picks import Zotero
from indexer.original import Original
from indexer.paper import Paper
from webui import create_app

OWN = "@article{mine,\n  title = {Graphs of citations and what they tell}\n}"
PAPERS = (
    Paper("mine", "Graphs of citations and what they tell", original=Original("bibtex", OWN)),
    Paper("plain", "Learning of citation graphs", "Of graphs.", 2020, ("Ada Lovelace",), doi="10.5555/plain"),
    Paper("other", "Bread and butter", "How flour becomes dough."),
)
ONE = "A" * 22

recommender = recommender_fixture(PAPERS)


@pytest.fixture
def save(zotero):
    with running(zotero) as address:
        yield lambda entries: Zotero(address).save(entries)


def saved(zotero):
    return {one["data"]["title"] for one in zotero.libraries["users/0"].values()}


def test_the_basket_of_a_session_is_saved_with_its_notes(recommender, save, zotero, tmp_path):
    client = create_app(recommender, sessions=tmp_path, to_zotero=save).test_client()
    client.post(f"/s/{ONE}/basket", data={"papers": ["mine", "plain"]})
    page = client.get(f"/s/{ONE}/basket").text
    assert f'formaction="/s/{ONE}/basket/zotero">Save in Zotero' in page
    form = {"note:/mine": "Read on the train", "note:/plain": "For section 2"}
    answer = client.post(f"/s/{ONE}/basket/zotero", data=form)
    assert (answer.status_code, "Zotero, My Library: 2 of 2 saved" in answer.text) == (200, True)
    assert "Read on the train" in answer.text  # the notes are kept here, too
    assert saved(zotero) == {PAPERS[0].title, PAPERS[1].title}
    texts = dict(zotero.imported)
    assert "annote = {Read on the train}" in texts["application/x-bibtex"]
    assert json.loads(texts["application/vnd.citationstyles.csl+json"])[0]["note"] == "For section 2"
    again = client.post(f"/s/{ONE}/basket/zotero", data=form)
    assert "0 of 2 saved; the library had the others" in again.text


def test_the_basket_of_a_browser_is_saved(recommender, save, zotero):
    client = create_app(recommender, browser_storage=True, to_zotero=save).test_client()
    assert 'formaction="/basket/zotero"' in client.get("/basket").text
    answer = client.post("/basket/zotero", data={"pick": ["/plain", "/gone"]})
    assert "Zotero, My Library: 1 of 1 saved" in answer.text
    assert saved(zotero) == {PAPERS[1].title}


def test_what_zotero_refuses_is_said_and_the_basket_stays(recommender, save, zotero, tmp_path):
    client = create_app(recommender, sessions=tmp_path, to_zotero=save).test_client()
    client.post(f"/s/{ONE}/basket", data={"papers": ["plain"]})
    zotero.read_only = {"L1"}
    answer = client.post(f"/s/{ONE}/basket/zotero")
    assert (answer.status_code, "My Library, as it is selected in Zotero, is read-only" in answer.text) == (502, True)
    assert PAPERS[1].title in answer.text


def test_a_server_that_does_not_offer_it_saves_nothing(recommender, tmp_path):
    client = create_app(recommender, sessions=tmp_path).test_client()
    client.post(f"/s/{ONE}/basket", data={"papers": ["plain"]})
    assert "Zotero" not in client.get(f"/s/{ONE}/basket").text
    assert client.post(f"/s/{ONE}/basket/zotero").status_code == 404


def test_another_site_cannot_have_the_basket_saved(recommender, save, zotero):
    client = create_app(recommender, browser_storage=True, to_zotero=save).test_client()
    answer = client.post("/basket/zotero", data={"pick": "/plain"}, headers={"Sec-Fetch-Site": "cross-site"})
    assert answer.status_code == 403
    assert zotero.asked == []


@pytest.mark.parametrize("option", [("--host", "0.0.0.0"), ("--trusted-host", "example.org")])  # noqa: S104
def test_only_a_page_for_this_computer_offers_it(tmp_path, option):
    ended = run("serve", "--index", tmp_path, "--zotero", *option)
    assert ended.code == 2
    assert "--zotero goes with a page for this computer alone" in ended.err
