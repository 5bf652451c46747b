"""Sessions: addresses of questions, baskets with notes, the history; nobody sees another session's."""

import io
import re
import sqlite3
import stat
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from urllib.parse import urljoin

import bibtexparser
import pytest
from command_line import files_of_at_most
from web_pages import PAPER, everything, left, listed

from citescout import Query
from citescout.recommendation import Recommendation
from common.errors import QueryError, SourceError
from exports import written
from indexer.original import Original
from indexer.paper import Paper
from webui import create_app
from webui.kept_baskets import MAX_NOTE, MAX_PICKS
from webui.sessions import FILE, MAX_QUESTIONS, Sessions
from webui.store_file import FullError

QUESTION = {"text": "Passage retrieval with neural ranking"}
ONE, OTHER = "A" * 22, "B" * 22


@pytest.fixture
def client(recommender, folder):
    return create_app(recommender, sessions=folder).test_client()


def ticked(html):
    return re.findall(r'name="papers" value="([^"]*)"[^>]* checked', html)


def ask(client, session=ONE, **fields):
    answer = client.post(f"/s/{session}/", data={**QUESTION, **fields})
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def test_an_address_without_its_slash_stays_with_https(client):
    location = client.get(f"/s/{ONE}").headers["Location"]
    assert urljoin("https://localhost/", location) == f"https://localhost/s/{ONE}/"


def test_the_empty_page_leads_into_a_session_of_its_own_and_stores_nothing(client, folder):
    before = everything(folder)
    pages = [client.get("/").text for _ in range(20)]
    found = {re.search(r'action="/s/([A-Za-z0-9_-]{22})/#results"', page)[1] for page in pages}
    assert len(found) == 20
    assert everything(folder) == before


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
    whole, limited = re.findall(r'<a href="[^"]*/asked/\d">.*?</span>', client.get(f"/s/{ONE}/history").text, re.S)
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
    whole, refined = re.findall(r'<a href="[^"]*/asked/\d">.*?</span>', client.get(f"/s/{ONE}/history").text, re.S)
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


def test_ticks_are_the_basket_and_stay_across_questions(client):
    address = ask(client)
    made = client.post(f"/s/{ONE}/basket", data={"papers": "neural"}, headers={"Accept": "application/json"})
    assert made.get_json() == {"count": 1}
    assert ticked(client.get(address).text) == ["neural"]
    assert "neural" in ticked(client.get(ask(client, text="Ranking models for retrieval")).text)
    client.post(f"/s/{ONE}/basket", data={"papers": "neural", "remove": "1"})
    assert ticked(client.get(address).text) == []


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


def test_a_question_with_a_file_is_in_the_history_too(client):
    draft = (io.BytesIO(b"Dense retrieval\n\nPassages and queries become vectors."), "draft.txt")
    answer = client.post(f"/s/{ONE}/", data={**QUESTION, "file": draft}, content_type="multipart/form-data")
    assert answer.status_code == 200
    assert QUESTION["text"] in answer.text, "what the file took the place of is shown"
    assert listed(client.get(f"/s/{ONE}/asked/1").text) == listed(answer.text)


def test_many_tabs_at_once_get_numbers_of_their_own(sessions):
    with ThreadPoolExecutor(8) as pool:
        docids = list(pool.map(lambda number: sessions.ask(ONE, "", {"title": str(number)}), range(40)))
    assert sorted(docids) == list(range(1, 41))


@pytest.mark.parametrize("number", ["0", "9" * 30, "-1", "x"])
def test_numbers_of_no_question_are_no_page(client, number):
    assert client.get(f"/s/{ONE}/asked/{number}").status_code == 404


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


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on the size of files")
def test_a_full_disk_loses_addresses_of_questions_and_no_answer(client):
    address = ask(client)
    with files_of_at_most(0):
        answer = client.post(f"/s/{ONE}/", data=QUESTION)
        assert (answer.status_code, bool(listed(answer.text))) == (200, True)
        answer = client.get(address)
        assert (answer.status_code, "annot store sessions: " in answer.text) == (503, True)
    assert client.get(address).status_code == 200
