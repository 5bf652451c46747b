"""API keys: who has none gets nothing."""

import base64
import hashlib
import logging
import stat

import pytest
from command_line import run

from common.errors import SourceError
from webui import create_app
from webui.api_keys import ApiKeys, key_line, new_key

QUESTION = {"title": "Passage retrieval with neural ranking"}


@pytest.fixture
def key():
    return new_key()


@pytest.fixture
def key_file(tmp_path, key):
    file = tmp_path / "keys.txt"
    file.write_text(f"# people\n{key_line('other', new_key())}\n\n{key_line('ada', key)}\n", encoding="utf-8")
    return file


@pytest.fixture
def client(recommender, key_file):
    return create_app(recommender, keys=key_file, show_metrics=True).test_client()


def bearer(key):
    return {"Authorization": f"Bearer {key}"}


def basic(key):
    return {"Authorization": "Basic " + base64.b64encode(f"anyone:{key}".encode()).decode()}


@pytest.mark.parametrize(
    "address", ["/", "/api/docs", "/api/v1/openapi.json", "/api/v1/papers/neural", "/metrics", "/q/x", "/nothing"]
)
def test_nothing_is_answered_without_a_key(client, key, address):
    refused = client.get(address)
    assert refused.status_code == 401
    assert refused.headers["WWW-Authenticate"].startswith("Basic ")
    assert client.get(address, headers=bearer(key)).status_code in {200, 404}
    assert client.get(address, headers=basic(key)).status_code in {200, 404}


def test_questions_need_a_key(client, key):
    for wrong in ({}, bearer(""), bearer(key[:-1]), bearer("x" * 10_000), basic("é"), {"Authorization": "Bearer"}):
        answer = client.post("/api/v1/recommend", json=QUESTION, headers=wrong)
        assert answer.status_code == 401
        assert "Authorization: Bearer KEY" in answer.get_json()["error"]
    assert client.post("/api/v1/recommend", json=QUESTION, headers=bearer(key)).status_code == 200


def test_health_and_style_need_none(client):
    assert client.get("/health").status_code == 200
    assert client.get("/static/app.css").status_code == 200


def test_a_withdrawn_key_is_refused_at_once(client, key, key_file):
    assert client.get("/", headers=bearer(key)).status_code == 200
    key_file.write_text(key_line("other", new_key()) + "\n", encoding="utf-8")
    assert client.get("/", headers=bearer(key)).status_code == 401


def test_a_key_file_that_is_damaged_later_changes_nothing(client, key, key_file, caplog):
    key_file.write_text("nonsense\n", encoding="utf-8")
    assert client.get("/", headers=bearer(key)).status_code == 200
    assert "the keys read before stay valid" in caplog.text


def test_refusals_are_logged_without_the_key(client, caplog):
    with caplog.at_level(logging.WARNING):
        client.get("/", headers=bearer("cs_not-a-key-that-exists"))
    assert "refused a request from 127.0.0.1: key" in caplog.text
    assert "cs_not" not in caplog.text


def test_the_command_makes_keys_whose_file_holds_hashes_only(tmp_path):
    file = tmp_path / "new.txt"
    ada, grace = (run("key", name, "--file", file).out.strip() for name in ("ada", "grace"))
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    text = file.read_text(encoding="utf-8")
    assert ada not in text
    assert hashlib.sha256(ada.encode()).hexdigest() in text
    keys = ApiKeys(file)
    assert (keys.name_of(ada), keys.name_of(grace), keys.name_of(ada + grace)) == ("ada", "grace", None)
    assert len({new_key() for _ in range(100)}) == 100


@pytest.mark.parametrize(
    ("text", "message"),
    [("", "holds no key"), ("ada secret\n", "line 1: not a key"), (None, "cannot read the key file")],
)
def test_a_wrong_key_file_is_one_clear_error(tmp_path, recommender, text, message):
    file = tmp_path / "keys.txt"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match=message):
        create_app(recommender, keys=file)
    with pytest.raises(SourceError, match="1 to 64 letters"):
        key_line("two words", "x")
