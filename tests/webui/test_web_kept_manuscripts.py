"""A manuscript that is kept in a session: how it gets there, who sees it, when it ends."""

import html
import re
import sqlite3
from datetime import date

import pytest
from archives import zipped
from readers.workbook_files import xlsx
from web_manuscripts import MAIN, ONE, OTHER, PROJECT, REFS, SENTENCES, keep, pick
from web_pages import everything, left, sent

from manuscripts.manuscript import Manuscript
from webui import create_app
from webui.kept_manuscripts import MAX_MANUSCRIPTS, KeptManuscripts
from webui.session_file import FILE
from webui.sessions import Sessions


@pytest.fixture
def client(recommender, folder):
    return create_app(recommender, sessions=folder).test_client()


def test_the_same_manuscript_has_one_address_and_a_deleted_one_is_never_another(client):
    assert keep(client) == keep(client) == f"{ONE}/manuscript/1"
    other = {"draft.txt": b"Another title\n\nAnd its abstract, which is short."}
    assert keep(client, other) == f"{ONE}/manuscript/2"
    client.post(f"{ONE}/manuscript/2/delete")
    assert keep(client, {"draft.txt": b"A third title\n\nAnd its abstract, which is short."}) == f"{ONE}/manuscript/3"
    assert client.get(f"{ONE}/manuscript/2").status_code == 404


def test_the_same_text_is_called_as_its_file_was_the_last_time(client):
    text = b"Another title\n\nAnd its abstract, which is short."
    for name in ("first.txt", "second.txt"):
        address = keep(client, {name: text})
        assert address == f"{ONE}/manuscript/1"
        assert f"{name} · " in client.get(address).text
    assert "first.txt" not in client.get(f"{ONE}/history").text


def test_a_file_of_the_form_is_read_and_kept(client):
    found = client.post(f"{ONE}/api/file", data=sent(PROJECT)).get_json()
    assert (found["kind"], found["name"], found["address"]) == ("draft", "paper", f"{ONE}/manuscript/1")
    assert (found["ids"], found["missing_count"]) == (["neural"], 1)
    page = client.post(f"{ONE}/", data={"text": "What I typed", **sent({"main.tex": MAIN.encode()})}).text
    assert "What I typed" in page
    assert f'<a href="{ONE}/manuscript/2">Show its text</a>' in page


def test_a_folder_an_archive_and_chosen_files_are_one_manuscript(client):
    loose = {name.removeprefix("paper/"): data for name, data in PROJECT.items()}
    clutter = {
        ".git/config.tex": b"\\title{No}",
        "../../main.tex": b"\\title{No}",
        "figure.png": b"\x89PNG",
        "data.json": b"[" * 1000,
    }
    pages = []
    for number, files in enumerate((PROJECT, {**loose, **clutter}, {"paper.zip": zipped(loose)})):
        session = f"/s/{str(number) * 22}"
        page = client.get(keep(client, files, session)).text
        pages.append(re.findall(r'<p class="paragraph".*?</p>', page, re.DOTALL))
        assert "1 of them in this index" in page
    assert pages[0] == pages[1] == pages[2] != []


TEXT = b"On reading\n\nAbstract\nWe read passages.\n\nIntroduction\nPassages are ranked [ranking]."

OWN = b"@misc{nokey, title={Dense passage retrieval}, author={Turing, Alan}}"


@pytest.mark.parametrize(
    ("draft", "ids"),
    [
        ({"draft.txt": TEXT}, ["neural"]),
        ({"paper.zip": zipped({"draft.txt": TEXT})}, ["neural"]),
        ({"paper.zip": zipped({"paper/main.tex": MAIN})}, ["neural"]),
        ({"paper.zip": zipped({"paper/main.tex": MAIN, "paper/refs.bib": OWN})}, ["dense"]),
    ],
)
def test_what_is_a_manuscript_alone_is_one_beside_its_bibliography(client, draft, ids):
    found = client.post(f"{ONE}/api/file", data=sent({"refs.bib": REFS, **draft})).get_json()
    assert (found["kind"], found["ids"]) == ("draft", ids)
    page = client.get(found["address"]).text
    assert "of them in this index" in page or "which is in this index" in page


def test_chosen_files_that_are_not_read_are_named(client):
    files = {"main.tex": MAIN.encode(), "refs.bib": REFS, "old.zip": b"PK", "notes.txt": b"x", "more.csv": b"Title"}
    found = client.post(f"{ONE}/api/file", data=sent(files)).get_json()
    assert [line for line in found["unread"] if "not read" in line] == [
        f"not read: {name}" for name in ("more.csv", "notes.txt", "old.zip")
    ]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.zip": b"PK", "b.zip": b"PK"}, "choose one archive, not several"),
        ({"b.docx": b"PK", "a.pdf": b"%PDF"}, "choose one manuscript, not several (a.pdf, b.docx)"),
        ({"draft.txt": b"x", "p.zip": b"PK", "refs.bib": REFS}, "choose one manuscript, not several (draft.txt,"),
        ({"a.rtf": b"{\\rtf", "refs.bib": REFS}, "there is no manuscript among the files"),
        ({"a.png": b"x", "b.png": b"y"}, "there is no manuscript among the files"),
        ({"main.tex": MAIN.encode(), "/etc/x.tex": b"x"}, "leads out of it"),
        ({"refs.bib": REFS}, "choose your manuscript"),
        ({}, "choose your manuscript"),
        (
            {"main.tex": b"\\input{main}\\title{A}\\begin{abstract}b\\end{abstract}", "b.tex": b"x" * (13 << 20)},
            "12 mb",
        ),
    ],
)
def test_what_is_no_manuscript_is_refused_in_one_line(client, files, message):
    answer = client.post(f"{ONE}/manuscript", data=sent(files) if files else {})
    assert answer.status_code == 400
    assert message in html.unescape(answer.text).lower()
    assert "no manuscript" in client.get(f"{ONE}/manuscript/1").text


def test_bibliographies_alone_are_what_is_cited(client):
    files = {"a.bib": REFS, "b.bib": b"@misc{d, title={Dense passage retrieval}, author={Alan Turing}, year={2020}}"}
    found = client.post(f"{ONE}/api/file", data=sent(files)).get_json()
    assert (found["kind"], found["ids"], found["missing_count"]) == ("references", ["neural", "dense"], 1)
    rows = [["Author", "Title", "Year"], ["Turing, Alan", "Dense passage retrieval", "2020"]]
    for name, table in (("list.csv", "\n".join(map(";".join, rows)).encode()), ("list.xlsx", xlsx({"s": rows}))):
        found = client.post(f"{ONE}/api/file", data=sent({name: table})).get_json()
        assert (found["kind"], found["ids"], found["missing_count"]) == ("references", ["dense"], 0)


def test_nobody_sees_the_manuscript_of_another_session(client, folder):
    address = keep(client)
    for other in (OTHER, ""):
        for method, page in (("GET", ""), ("POST", "/pick"), ("POST", "/bibliography")):
            answer = client.open(f"{other}/manuscript/1{page}", method=method, data={"paper": "dense"})
            assert answer.status_code == 404
            assert "Reading passages" not in answer.text
    client.post(f"{OTHER}/manuscript/1/delete")
    assert "Reading passages" not in client.get(f"{OTHER}/history").text
    assert client.get(address).status_code == 200
    assert b"A" * 22 not in everything(folder)


def test_a_deleted_manuscript_is_gone_from_the_file(client, folder):
    address = keep(client)
    with sqlite3.connect(folder / FILE) as connection:
        ((text,),) = connection.execute("SELECT text FROM manuscripts").fetchall()
    assert ">paper</a>" in client.get(f"{ONE}/history").text
    assert client.post(f"{address}/delete").status_code == 303
    assert client.get(address).status_code == 404
    whole = left(folder)
    assert not any(text[start : start + 40] in whole for start in range(0, len(text) - 40, 40))


def test_a_manuscript_is_deleted_and_ends_with_its_session(client, tmp_path):
    address = keep(client)
    assert client.post(f"{ONE}/session/delete").status_code == 303
    assert client.get(address).status_code == 404
    days = [date(2026, 1, 1)]
    sessions = Sessions(tmp_path / "ending", days=10, today=lambda: days[0])
    number = sessions.manuscripts.keep("A" * 22, "draft", Manuscript("Title"))
    for day in (9, 18):  # each is a use
        days[0] = date(2026, 1, day)
        sessions.questions("B" * 22)
        assert sessions.manuscripts.find("A" * 22, number)
    days[0] = date(2026, 1, 29)
    sessions.questions("B" * 22)
    assert sessions.manuscripts.find("A" * 22, number) is None


def test_limits_of_manuscripts(client, monkeypatch):
    sessions = client.application.extensions["citescout"].sessions
    for number in range(MAX_MANUSCRIPTS):
        sessions.manuscripts.keep("A" * 22, "draft", Manuscript(f"Title {number}"))
    refused = client.post(f"{ONE}/manuscript", data=sent(PROJECT))
    assert refused.status_code == 400
    assert "session keeps 20 manuscripts" in refused.text
    found = client.post(f"{ONE}/api/file", data=sent(PROJECT)).get_json()
    assert (found["title"], found["address"]) == ("Reading passages", "")
    assert "20 manuscripts" in found["remark"]
    for limit in ("MAX_MANUSCRIPT", "MAX_RECORD", "MAX_SENTENCES"):
        monkeypatch.setattr(f"webui.kept_manuscripts.{limit}", 3)
        assert client.post(f"{OTHER}/manuscript", data=sent(PROJECT)).status_code == 400
        monkeypatch.undo()
    sessions._file._max_bytes = 1000
    assert client.post(f"{OTHER}/manuscript", data=sent(PROJECT)).status_code == 503


def test_a_server_without_sessions_says_so_in_one_line(recommender):
    client = create_app(recommender).test_client()
    found = client.post("/api/file", data=sent(PROJECT)).get_json()
    assert (found["title"], found["ids"], found["address"]) == ("Reading passages", ["neural"], "")
    assert "only where a server keeps sessions" in found["remark"]
    for answer in (client.post("/manuscript", data=sent(PROJECT)), client.get("/manuscript/1")):
        assert answer.status_code in {400, 404}
        assert "only where a server keeps sessions" in answer.text
        assert "this one does not.." not in answer.text
    assert "Show its text" not in client.get("/").text


def test_each_index_is_asked_with_the_same_manuscript(recommender, folder):
    client = create_app({"one": recommender, "two": recommender}, sessions=folder).test_client()
    address = keep(client)
    assert SENTENCES[0] in client.get(f"{ONE}/i/two/manuscript/1").text
    pick(client, address, "dense")
    assert 'value="dense"' in client.get(address).text
    assert 'value="dense"' not in client.get(f"{ONE}/i/two/manuscript/1").text, "a paper is of one index"


def test_manuscripts_are_read_once_and_never_mixed(client, monkeypatch):
    first, second = keep(client), keep(client, {"draft.txt": b"Another title\n\nAnd its abstract."}, OTHER)
    for _ in range(2):
        assert "Reading passages" in client.get(first).text
        assert "Another title" in client.get(second).text
    loads = []
    monkeypatch.setattr("webui.kept_manuscripts.manuscript_of", loads.append)
    assert "Reading passages" in client.get(first).text
    assert loads == []
    assert isinstance(client.application.extensions["citescout"].sessions.manuscripts, KeptManuscripts)
