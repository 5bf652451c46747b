"""API keys: who has none gets nothing."""

import base64
import errno
import hashlib
import logging
import os
import stat
import sys
from pathlib import Path

import pytest
from command_line import files_of_at_most, refused, run

from common.errors import SourceError
from webui import create_app
from webui.api_keys import ApiKeys, key_line, new_key
from webui.app import STATIC

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
    assert client.get(f"{STATIC}/app.css").status_code == 200


def test_a_withdrawn_key_is_refused_at_once(client, key, key_file):
    assert client.get("/", headers=bearer(key)).status_code == 200
    key_file.write_text(key_line("other", new_key()) + "\n", encoding="utf-8")
    assert client.get("/", headers=bearer(key)).status_code == 401


def test_a_key_file_that_is_damaged_later_changes_nothing(client, key, key_file, caplog):
    key_file.write_text("nonsense\n", encoding="utf-8")
    assert client.get("/", headers=bearer(key)).status_code == 200
    assert "the keys read before stay valid" in caplog.text


@pytest.mark.parametrize("left", ["", "# nobody\n\n", None], ids=["empty", "comments", "missing"])
def test_the_last_key_is_withdrawn_with_its_line_or_with_the_file(client, key, key_file, caplog, left):
    if left is None:
        key_file.unlink()
    else:
        key_file.write_text(left, encoding="utf-8")
    for _ in range(3):
        assert client.get("/", headers=bearer(key)).status_code == 401
    assert caplog.text.count("no key is valid") == 1
    key_file.write_text(key_line("ada", key) + "\n", encoding="utf-8")
    assert client.get("/", headers=bearer(key)).status_code == 200


def test_a_key_is_withdrawn_with_its_line_whatever_else_is_wrong_in_the_file(client, key, key_file, caplog):
    staying, coming = new_key(), new_key()
    key_file.write_text(f"{key_line('ada', key)}\n{key_line('grace', staying)}\n", encoding="utf-8")
    assert client.get("/", headers=bearer(key)).status_code == 200
    key_file.write_text(f"{key_line('grace', staying)}\n{key_line('new', coming)}\nbob secret\n", encoding="utf-8")
    assert client.get("/", headers=bearer(key)).status_code == 401
    assert client.get("/", headers=bearer(staying)).status_code == 200
    assert client.get("/", headers=bearer(coming)).status_code == 401
    assert caplog.text.count("line 3: not a key") == 1


def test_a_key_file_that_cannot_be_read_later_changes_nothing_and_is_logged_once(client, key, key_file, caplog):
    key_file.write_bytes(b"\xff\xfe")
    for _ in range(3):
        assert client.get("/", headers=bearer(key)).status_code == 200
    assert caplog.text.count("it is not text: the keys read before stay valid") == 1
    key_file.unlink()
    assert client.get("/", headers=bearer(key)).status_code == 401


def test_a_key_is_withdrawn_once_its_file_may_be_read(client, key, key_file, caplog, monkeypatch):
    def refuse(path, **_):
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    key_file.write_text(key_line("other", new_key()) + "\n", encoding="utf-8")
    with monkeypatch.context() as unreadable:
        unreadable.setattr(Path, "read_text", refuse)
        for _ in range(3):
            assert client.get("/health").status_code == client.get("/", headers=bearer(key)).status_code == 200
    assert caplog.text.count("Permission denied: the keys read before stay valid") == 1
    assert client.get("/", headers=bearer(key)).status_code == 401


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


def test_a_key_file_of_notepad_is_read_and_added_to(tmp_path, key):
    file = tmp_path / "keys.txt"
    file.write_text(f"{key_line('ada', key)}\r\n", encoding="utf-8-sig", newline="")
    assert ApiKeys(file).name_of(key) == "ada"
    grace = run("key", "grace", "--file", file).out.strip()
    keys = ApiKeys(file)
    assert (keys.name_of(key), keys.name_of(grace)) == ("ada", "grace")


def test_a_key_is_not_written_into_another_file(tmp_path):
    file = tmp_path / "refs.bib"
    file.write_text("@misc{a, title={Mine}}\n")
    assert refused("key", "ada", "--file", file).startswith(f"Error: {file}, line 1: not a key")
    assert file.read_text() == "@misc{a, title={Mine}}\n"


def test_a_key_is_not_written_into_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert "it is a device or pipe, and no file" in refused("key", "ada", "--file", tmp_path / "pipe")


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


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
@pytest.mark.parametrize("there", [None, "# mine\n" * 30], ids=["new", "longer"])
def test_a_full_disk_leaves_the_key_file_as_it_was(tmp_path, there):
    file = tmp_path / "keys.txt"
    if there is not None:
        file.write_text(there)
    with files_of_at_most(len(there or "") + 20):
        assert f"cannot write the key file {file}: File too large" in refused("key", "ada", "--file", file)
    assert (file.read_text() if file.exists() else None) == there
