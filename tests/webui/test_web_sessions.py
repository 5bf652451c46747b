"""Sessions: nobody sees another's, what they hold is bounded, and it is deleted some days after their last use."""

import re
import sqlite3
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urljoin

import pytest
from command_line import files_of_at_most
from web_pages import PAPER, everything, left, listed
from web_sessions import ONE, OTHER, QUESTION, ask

from common.errors import QueryError, SourceError
from indexer.paper import Paper
from webui import create_app
from webui.kept_baskets import MAX_NOTE, MAX_PICKS
from webui.session_file import FILE
from webui.sessions import MAX_QUESTIONS, Sessions
from webui.store_file import FullError


@pytest.fixture
def client(recommender, folder):
    return create_app(recommender, sessions=folder).test_client()


def test_an_address_without_its_slash_stays_with_https(client):
    location = client.get(f"/s/{ONE}").headers["Location"]
    assert urljoin("https://localhost/", location) == f"https://localhost/s/{ONE}/"


def test_the_empty_page_leads_into_a_session_of_its_own_and_stores_nothing(client, folder):
    before = everything(folder)
    pages = [client.get("/").text for _ in range(20)]
    found = {re.search(r'action="/s/([A-Za-z0-9_-]{22})/#results"', page)[1] for page in pages}
    assert len(found) == 20
    assert len({re.search(r'src="(.*?/app.js)"', page)[1] for page in pages}) == 1  # loaded once
    assert everything(folder) == before


def test_nobody_sees_another_session(client):
    address = ask(client)
    client.post(f"/s/{ONE}/basket", data={"papers": "neural"})
    for other in (f"/s/{OTHER}", ""):
        assert client.get(f"{other}/asked/1").status_code == 404
    assert "Neural ranking models" not in client.get(f"/s/{OTHER}/basket").text
    assert QUESTION["text"] not in client.get(f"/s/{OTHER}/history").text
    assert client.post(f"/s/{OTHER}/basket/export/bibtex").text == ""
    client.post(f"/s/{OTHER}/history/empty")
    client.post(f"/s/{OTHER}/basket", data={"papers": "neural", "remove": "1"})
    client.post(f"/s/{OTHER}/basket/edit", data={"note:/neural": "mine", "remove": "/neural", "empty": "1"})
    assert client.get(address).status_code == 200
    page = client.get(f"/s/{ONE}/basket").text
    assert "Neural ranking models" in page
    assert "mine" not in page


@pytest.mark.parametrize("name", ["A" * 21, "A" * 23, "A" * 21 + "!", "../" + "A" * 19, "A" * 21 + "%00"])
def test_what_is_no_name_of_a_session_is_no_page(client, name):
    assert client.get(f"/s/{name}/basket").status_code == 404


def test_without_any_storage_there_are_neither_addresses_nor_baskets(recommender):
    client = create_app(recommender).test_client()
    assert client.post("/basket/export/bibtex", data={"pick": "/neural", "note": ""}).status_code == 404
    for address in (f"/s/{ONE}/", f"/s/{ONE}/asked/1", "/basket", "/history", "/asked/1"):
        assert client.get(address).status_code == 404
    page = client.post("/", data=QUESTION)
    assert page.status_code == 200
    assert "Basket" not in page.text
    assert "data-storage" not in page.text
    assert "Mark selected as cited" in page.text


def test_the_folder_is_the_servers_alone_and_names_no_session(client, folder):
    ask(client)
    assert stat.S_IMODE((folder / FILE).stat().st_mode) == 0o600
    assert ONE.encode() not in everything(folder)


def test_logs_name_no_session(client, caplog):
    caplog.set_level("INFO")
    client.get(ask(client))
    client.get(f"/s/{ONE}/nothing")
    assert "/asked/<int:number>" in caplog.text
    assert ONE not in caplog.text


def test_a_folder_that_cannot_be_written_is_one_clear_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SourceError, match=r"cannot store sessions in .* or CITESCOUT_DATA, or keep none"):
        Sessions(tmp_path / "file" / "folder")


def test_a_file_with_tables_of_another_version_is_one_clear_error_and_left_alone(tmp_path):
    with sqlite3.connect(tmp_path / FILE) as connection:
        connection.execute("CREATE TABLE counters (session BLOB PRIMARY KEY, last INTEGER)")
    with pytest.raises(SourceError, match=rf"{FILE} is of another version of citescout: move it away, or name another"):
        Sessions(tmp_path)
    with sqlite3.connect(tmp_path / FILE) as connection:
        assert connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall() == [("counters",)]


def test_a_file_of_a_version_that_keeps_more_is_one_clear_error_too(tmp_path):
    Sessions(tmp_path).ask(ONE, "", {"title": "x"})
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("CREATE TABLE further (session BLOB PRIMARY KEY)")
    assert len(Sessions(tmp_path).questions(ONE)) == 1
    with closing(sqlite3.connect(tmp_path / FILE)) as connection:
        connection.execute("ALTER TABLE uses ADD COLUMN seconds INTEGER NOT NULL DEFAULT 0")
    with pytest.raises(SourceError, match=rf"{FILE} is of another version of citescout: move it away, or name another"):
        Sessions(tmp_path)


def test_limits_of_a_session(sessions, folder):
    for number in range(MAX_QUESTIONS + 5):
        sessions.ask(ONE, "", {"title": str(number)})
    assert [question.number for question in sessions.questions(ONE)] == list(range(MAX_QUESTIONS + 5, 5, -1))
    with pytest.raises(QueryError, match="2,000 characters"):
        sessions.baskets.note(ONE, "", "x", "x" * (MAX_NOTE + 1))
    sessions.baskets.pick(ONE, "", [Paper(str(number), "t") for number in range(MAX_PICKS)])
    with pytest.raises(QueryError, match="holds 1,000 papers"):
        sessions.baskets.pick(ONE, "", [Paper("one more", "t")])
    assert len(sessions.baskets.picks(ONE)) == MAX_PICKS
    with pytest.raises(QueryError, match="256 kB"):
        sessions.ask(ONE, "", {"abstract": "x" * 300_000})
    with pytest.raises(FullError):
        Sessions(folder, max_bytes=1000).ask(ONE, "", {"title": "x"})


def test_a_full_store_leaves_questions_answered(client):
    client.application.extensions["citescout"].sessions._file._max_bytes = 1000
    answer = client.post(f"/s/{ONE}/", data=QUESTION)
    assert (answer.status_code, bool(listed(answer.text))) == (200, True)
    streamed = client.post(f"/s/{ONE}/api/stream", data=QUESTION)
    assert streamed.status_code == 200
    assert '"address":""' in streamed.text
    refused = client.post(f"/s/{ONE}/basket", data={"papers": "neural"}, headers={"Accept": "application/json"})
    assert refused.status_code == 503


def test_many_tabs_at_once_get_numbers_of_their_own(sessions):
    with ThreadPoolExecutor(8) as pool:
        docids = list(pool.map(lambda number: sessions.ask(ONE, "", {"title": str(number)}), range(40)))
    assert sorted(docids) == list(range(1, 41))


TABLES = ("questions", "picks", "counters", "uses")


def rows(folder, *tables):
    """How many rows of each table there are."""
    with sqlite3.connect(folder / FILE) as connection:
        return [
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
            for table in tables or TABLES
        ]


def test_a_session_is_deleted_so_many_days_after_its_last_use(folder):
    day = [date(2026, 1, 1)]
    sessions = Sessions(folder, days=90, today=lambda: day[0])
    for session in (ONE, OTHER):
        sessions.ask(session, "", {"title": "a secret"})
        sessions.baskets.pick(session, "", [PAPER])
    day[0] += timedelta(60)
    assert sessions.questions(ONE), "looking is a use"
    day[0] += timedelta(31)
    assert sessions.questions(OTHER) == []
    assert sessions.baskets.picks(OTHER) == []
    assert rows(folder) == [1, 1, 1, 1]
    assert len(sessions.baskets.picks(ONE)) == 1
    day[0] += timedelta(90)
    another = Sessions(folder, days=90, today=lambda: day[0])
    assert len(another.baskets.picks(ONE)) == 1, "the last day, for another process"
    day[0] += timedelta(91)
    assert sessions.question(ONE, 1) is None
    assert rows(folder) == [0, 0, 0, 0]
    assert b"a secret" not in left(folder)


def test_looking_at_a_session_of_which_nothing_is_stored_stores_nothing(sessions, folder):
    assert sessions.baskets.picks(ONE) == []
    with pytest.raises(QueryError, match="was deleted"):
        sessions.baskets.note(ONE, "", "x", "a note on nothing")
    assert rows(folder) == [0, 0, 0, 0]


def test_sessions_from_before_days_were_kept_are_not_deleted_at_once(sessions, folder):
    sessions.ask(ONE, "", {"title": "x"})
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("DROP TABLE uses")
        connection.execute("CREATE TABLE others (session BLOB, text TEXT)")  # whatever else has sessions
        connection.execute("INSERT INTO others SELECT session, 'mine' FROM questions UNION SELECT x'00', 'other'")
    assert len(Sessions(folder).questions(ONE)) == 1
    Sessions(folder).delete(ONE)
    assert rows(folder, "others") == [1]
    assert Sessions(folder, today=lambda: datetime.now(UTC).date() + timedelta(days=91)).questions(ONE) == []
    assert rows(folder, *TABLES, "others") == [0] * 5


def test_a_whole_session_is_deleted_from_the_page(client, folder):
    for session in (ONE, OTHER):
        ask(client, session)
        client.post(f"/s/{session}/basket", data={"papers": "neural"})
    page = client.get(f"/s/{ONE}/history").text
    assert "90 days after its last use" in page
    action = re.search(r'action="([^"]+/session/delete)"', page)[1]
    assert client.get(action).status_code == 405
    answer = client.post(action)
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert client.get(f"/s/{ONE}/asked/1").status_code == 404
    assert "basket is empty" in client.get(f"/s/{ONE}/basket").text
    assert rows(folder) == [1, 1, 1, 1]
    assert client.get(f"/s/{OTHER}/asked/1").status_code == 200


def test_a_file_that_is_deleted_under_the_server_ends_its_sessions_and_no_page(client, folder):
    address = ask(client)
    (folder / FILE).unlink()
    assert client.get("/").status_code == 200
    assert client.get(address).status_code == 404
    assert client.get(ask(client)).status_code == 200
    assert (folder / FILE).stat().st_mode & 0o077 == 0


def test_a_file_that_is_damaged_under_the_server_leaves_questions_answered(client, folder):
    address = ask(client)
    (folder / FILE).write_bytes(b"no database" * 1000)
    answer = client.post(f"/s/{ONE}/", data=QUESTION)
    assert (answer.status_code, bool(listed(answer.text))) == (200, True)
    answer = client.get(address)
    assert (answer.status_code, "annot store sessions: file is not a database" in answer.text) == (503, True)


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_full_disk_loses_addresses_of_questions_and_no_answer(client, caplog):
    address = ask(client)
    with files_of_at_most(0):
        answer = client.post(f"/s/{ONE}/", data=QUESTION)
        assert (answer.status_code, bool(listed(answer.text))) == (200, True)
        caplog.clear()
        answer = client.get(address)
        assert (answer.status_code, "annot store sessions: " in answer.text) == (503, True)
        assert caplog.text.count("cannot store sessions: ") == 1  # for whoever runs the server
    assert client.get(address).status_code == 200
