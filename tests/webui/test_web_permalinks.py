"""Stored questions: only those that somebody asks to be stored, and only until they are deleted."""

import re
import stat

import pytest
from web_pages import everything, listed

from common.errors import SourceError
from webui import create_app
from webui.permalinks import FILE, Permalinks
from webui.store_file import FullError

QUESTION = {"title": "Passage retrieval with neural ranking", "abstract": "We rank <b>passages</b>."}
STORE = "/api/v1/queries"


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "links"


@pytest.fixture
def client(recommender, folder):
    return create_app(recommender, permalinks=folder).test_client()


def test_an_address_answers_the_stored_question_until_it_is_deleted(client, folder):
    made = client.post(STORE, json={**QUESTION, "year": 2019, "k": 3, "already_cited": ["bm25"]})
    assert made.status_code == 201
    record = made.get_json()
    page = client.get(record["path"])
    assert page.status_code == 200
    same = client.post("/", data={**QUESTION, "year": "2019", "k": "3", "already_cited": "bm25"})
    assert listed(page.text) == listed(same.text) != []
    assert "We rank &lt;b&gt;passages&lt;/b&gt;." in page.text
    stored = client.get(made.headers["Location"]).get_json()
    assert stored["fields"]["already_cited"] == ["bm25"]
    assert client.delete(made.headers["Location"], headers={"X-Deletion-Key": "wrong"}).status_code == 404
    assert client.delete(made.headers["Location"]).status_code == 404
    deleted = client.delete(made.headers["Location"], headers={"X-Deletion-Key": record["deletion_key"]})
    assert (deleted.status_code, deleted.data) == (204, b"")
    assert client.get(record["path"]).status_code == 404
    assert QUESTION["title"].encode() not in everything(folder)


def test_the_address_of_a_query_leads_into_nobodys_session_and_is_the_one_of_the_proxy(recommender, folder):
    app = create_app(recommender, permalinks=folder, sessions=folder / "kept", trusted_hosts=["cite.example"])
    ask = {"data": QUESTION, "headers": {"Host": "cite.example"}}
    made = app.test_client().post(f"/s/{'A' * 22}/q", **ask)
    path = re.search(r'href="(/[^"]*)">https://cite.example(/q/[\w-]+)</a>', made.text)
    assert path[1] == path[2]
    assert made.status_code == 201


def test_who_gets_the_address_of_a_query_has_a_basket_of_their_own(recommender, folder):
    client = create_app(recommender, permalinks=folder, sessions=folder / "kept").test_client()
    path = client.post(STORE, json=QUESTION).get_json()["path"]
    page = client.get(path).text
    (basket,) = set(re.findall(r'data-basket="(/s/[\w-]{22}/basket)"', page))
    assert f'href="{basket}"' in page
    assert basket not in client.get(path).text, "nobody else's"
    chosen = listed(page)[0]
    assert client.post(basket, data={"papers": chosen}).status_code == 303
    kept = client.get(basket.removesuffix("/basket") + path).text
    assert re.findall(r'value="([^"]*)" aria-label="[^"]*" checked', kept) == [chosen]


@pytest.mark.parametrize(
    "given",
    [
        {"recency": -1},
        {"recency": 0.29, "k": 2},
        {"diversity": 0.0},
        {"already_cited": ["The probabilistic\nrelevance framework", "dense"]},
        {"already_cited": ["dense, neural"], "liked": ["bm25"], "not_by": ["Ada Lovelace"]},
        {"title": "Passages and\nvectors", "system": "BM25", "blend": False, "depth": 0, "beyond": 3},
    ],
)
def test_the_page_of_a_stored_question_has_the_list_of_the_api(client, given):
    question = {**QUESTION, **given}
    found = client.post("/api/v1/recommend", json=question).get_json()["recommendations"]
    page = client.get(client.post(STORE, json=question).get_json()["path"])
    assert page.status_code == 200
    assert listed(page.text) == [one["id"] for one in found] != []


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"blend": False}, "blend"),
        ({"sources": ["bm25"], "query_form": "title"}, "sources and query_form"),
        ({"recency": 0.123}, "recency"),
        ({"venues": ["SIGIR; ICTIR"]}, "venues"),
        ({"system": "nonsense"}, "no system"),
        ({"papers": ["bm25"]}, "papers"),
    ],
)
def test_what_the_page_cannot_ask_is_not_stored(client, folder, given, named):
    before = everything(folder)
    refused = client.post(STORE, json={**QUESTION, **given})
    assert (refused.status_code, named in refused.get_json()["error"]) == (400, True), refused.get_json()
    assert everything(folder) == before


def test_a_form_is_stored_as_it_was_and_deleted_without_scripts(client):
    made = client.post("/q", data=QUESTION)
    assert made.status_code == 201
    assert 'target="_blank" rel="noopener" href="/q/' in made.text, "Back would not lead to the key again"
    path, key = re.search(r'href="(/q/[^"]+)"', made.text)[1], re.search(r"<code>([^<]+)</code>", made.text)[1]
    assert listed(client.get(path).text) == listed(client.post("/", data=QUESTION).text) != []
    stored = client.get(path.replace("/q/", f"{STORE}/")).get_json()["fields"]
    assert (stored["title"], stored["system"]) == (QUESTION["title"], None), "as the API takes it"
    assert client.post(f"{path}/delete", data={"deletion_key": "x"}).status_code == 404
    assert client.post(f"{path}/delete", data={"deletion_key": key}).status_code == 200
    assert client.get(path).status_code == 404


def test_a_page_that_is_loaded_again_stores_its_question_once(client, folder):
    page = client.post("/", data=QUESTION).text
    key = re.search(r'name="deletion_key" value="([\w-]{22})"', page)[1]
    assert key not in client.post("/", data=QUESTION).text, "each list has its own"
    form = {**QUESTION, "authors": "Ada Lovelace", "deletion_key": key}
    made, again = client.post("/q", data=form), client.post("/q", data=form)
    assert (made.status_code, again.status_code) == (201, 201)
    assert made.text == again.text
    assert f"<code>{key}</code>" in made.text
    path = re.search(r'href="(/q/[\w-]{22})"', made.text)[1]
    assert key not in client.get(path.replace("/q/", f"{STORE}/")).text
    assert key.encode() not in everything(folder)
    assert key not in path
    other = client.post("/q", data={**form, "title": "Another"})
    assert path not in other.text, "another question has an address of its own"
    assert client.post(f"{path}/delete", data={"deletion_key": key}).status_code == 200
    assert client.get(path).status_code == 404
    for weak in ("", "x", "x" * 23, "é" * 22):
        kept = client.post("/q", data={**form, "deletion_key": weak})
        assert re.search(r"<code>[\w-]{22}</code>", kept.text)


def test_the_order_of_a_stored_question_can_be_chosen(client):
    path = client.post(STORE, json=QUESTION).get_json()["path"]
    page = client.get(path, query_string={"sort": "year"}).text
    assert listed(page) != listed(client.get(path).text)
    years = re.findall(r'data-year="(\d+)"', page)
    assert years == sorted(years, key=lambda year: -int(year))


def test_nothing_is_stored_unless_asked(client, folder):
    before = everything(folder)
    client.post("/", data=QUESTION)
    client.post("/api/v1/recommend", json=QUESTION)
    client.post("/api/v1/export/ris", json=QUESTION)
    assert everything(folder) == before
    assert not client.application.extensions["citescout"].permalinks.load("x")


def test_a_server_without_a_folder_stores_nothing(recommender):
    client = create_app(recommender).test_client()
    refused = client.post(STORE, json=QUESTION)
    assert refused.status_code == 404
    assert refused.get_json()["error"] == "this server stores no questions"
    assert client.get("/q/x").status_code == 404


def test_addresses_are_long_random_and_unrelated(client):
    ids = [client.post(STORE, json=QUESTION).get_json()["id"] for _ in range(20)]
    assert len(set(ids)) == 20
    assert all(re.fullmatch(r"[A-Za-z0-9_-]{22}", one) for one in ids)  # 128 bits
    for guess in ("", "%00", "'--", "../queries", "x" * 5000, "%FF"):
        assert client.get(f"/q/{guess}").status_code in {404, 308}


def test_a_wrong_question_is_not_stored(client, folder):
    before = everything(folder)
    for wrong in ({}, {**QUESTION, "k": 0}, {**QUESTION, "tittle": 1}):
        assert client.post(STORE, json=wrong).status_code == 400
    too_large = client.post(
        STORE, json={**QUESTION, "already_cited": [f"{number}{'x' * 400}" for number in range(700)]}
    )
    assert too_large.status_code == 400
    assert "256 kB" in too_large.get_json()["error"]
    assert everything(folder) == before


def test_the_store_has_an_end(folder):
    links = Permalinks(folder, max_bytes=100_000)
    stored = []
    with pytest.raises(FullError, match="no further question"):
        for _ in range(1000):
            stored.append(links.store({"kind": "json", "fields": {"title": "x" * 5000}}))
    assert 5 < len(stored) < 25
    for one in stored:
        assert links.delete(one.id, one.deletion_key)
    assert links.store({"kind": "json", "fields": {"title": "x"}})


def test_the_file_is_for_the_server_alone(folder):
    Permalinks(folder)
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_written_is_one_clear_error(tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(SourceError, match="cannot store queries in"):
        Permalinks(tmp_path / "file")


def test_what_was_stored_outlives_the_server(recommender, folder, client):
    path = client.post(STORE, json=QUESTION).get_json()["path"]
    assert create_app(recommender, permalinks=folder).test_client().get(path).status_code == 200
