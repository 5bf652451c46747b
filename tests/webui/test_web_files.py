"""Drafts, projects and bibliographies that are sent to the page as files, and those that it refuses."""

import bz2
import gzip
import html

import pytest
from archives import zipped
from web_forms import BIB, QUESTION, file, post
from web_pages import Text, listed
from web_sessions import ONE

from manuscripts.limits import MAX_FILES
from webui import create_app


def test_a_draft_is_read_for_the_script_and_without_it(client):
    text = b"Neural ranking models\n\nAbstract\nPassages are ranked by networks.\n\n1 Introduction\nNo."
    expected = {"title": "Neural ranking models", "abstract": "Passages are ranked by networks."}
    assert client.post("/api/file", data={"file": file(text, "a.txt")}).get_json().items() >= expected.items()
    answer = client.post("/", data={"file": file(text, "a.txt")}, content_type="multipart/form-data")
    assert answer.status_code == 200
    assert {name: Text(answer.text).values[name] for name in expected} == expected
    assert "neural" in listed(answer.text)


def test_what_an_uploaded_project_cites_is_cited_already(client):
    main = r"\documentclass{article}\title{Neural ranking}\begin{document}By \cite{x,y}.\bibliography{r}"
    project = zipped({"p/main.tex": main, "p/r.bib": BIB})
    record = client.post("/api/file", data={"file": file(project, "p.zip")}).get_json()
    assert (record["title"], record["ids"], record["missing_count"]) == ("Neural ranking", ["dense"], 1)
    page = post(client, file=file(project, "p.zip"), k="100")
    assert Text(page.text).values["already_cited"].split() == ["dense"]
    assert "dense" not in listed(page.text)


def test_a_bibliography_becomes_what_is_cited_already(client):
    record = client.post("/api/file", data={"file": file(BIB, "a.bib")}).get_json()
    assert record["ids"] == ["dense"]
    assert record["summary"].startswith("1 of 2 found")
    assert record["missing_count"] == 1
    answer = post(client, file=file(BIB, "a.bib"), already_cited="bm25", k="100")
    assert Text(answer.text).values["already_cited"].split() == ["bm25", "dense"]
    assert not {"dense", "bm25"} & set(listed(answer.text))
    assert "2 cited already" in answer.text


def test_a_bibliography_without_a_question_is_read(recommender, folder):
    client = create_app(recommender, sessions=folder).test_client()
    answer = client.post(f"/s/{ONE}/", data={"file": file(BIB, "a.bib")})
    assert "enter a title or an abstract" in answer.text
    assert "a.bib: 1 of 2 found" in answer.text
    assert Text(answer.text).values["already_cited"] == "dense"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.bib.gz", gzip.compress(BIB)),
        ("A.BIB.BZ2", bz2.compress(BIB)),
        ("a.ris.gz", gzip.compress(b"TY  - JOUR\nTI  - Dense passage retrieval\nAU  - Turing, Alan\nER  - \n")),
        ("a.zip", zipped({"export/a.bib": BIB, "export/README.md": "# Of what it is", "export/a.png": "\0"})),
        ("a.zip", zipped({"e/a.bib": BIB, "e/README.md": "# Of it", "__MACOSX/e/._README.md": b"\0\5\x16\7"})),
        ("a.zip", zipped({"a.bib": BIB} | {f"{number}.png": "" for number in range(MAX_FILES)})),
    ],
    ids=["gzip", "bzip2", "RIS", "zip", "macOS", "pictures"],
)
def test_a_packed_bibliography_is_read(client, name, data):
    record = client.post("/api/file", data={"file": file(data, name)}).get_json()
    assert (record["kind"], record["ids"]) == ("references", ["dense"])
    checked = client.post("/check", data={**QUESTION, "references": file(data, name)})
    assert "1 of 1 reference among the first 20" in " ".join(Text(checked.text).text.split())


def test_a_bibliography_that_is_packed_with_a_text_is_that_of_a_manuscript(client):
    packed = zipped({"a.txt": "Neural ranking\n\nAbstract\nPassages are ranked by networks.", "a.bib": BIB})
    record = client.post("/api/file", data={"file": file(packed, "a.zip")}).get_json()
    assert (record["kind"], record["title"], record["ids"]) == ("draft", "Neural ranking", ["dense"])


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_bibliography_in_a_text_file_of_windows_is_no_draft(client, encoding):
    """EndNote saves RIS so."""
    saved = BIB.decode().replace("\n", "\r\n")
    for behind in ("", "% " + "ä" * 3000, "%  " + "ä" * 3000):  # more than is looked at, which may end within a letter
        record = client.post("/api/file", data={"file": file((saved + behind).encode(encoding), "a.txt")}).get_json()
        assert (record["kind"], record["ids"]) == ("references", ["dense"])


@pytest.mark.parametrize(
    "saved",
    [
        "\ufeffFN Clarivate\r\nVR 1.0\r\nPT J\r\nAU Turing, A\r\nTI Dense passage retrieval\r\nER\r\n\r\nEF",
        "\ufeffPT\tAU\tTI\tSO\tPY\tUT\r\nJ\tTuring, A\tDense passage retrieval\tMind\t2020\tWOS:1\r\n",
        "\nPMID- 123\nOWN - NLM\nTI  - Dense passage retrieval\nFAU - Turing, Alan\n",
    ],
    ids=["Web of Science", "Web of Science, tabs", "PubMed"],
)
def test_what_databases_save_as_text_is_no_draft(client, saved):
    record = client.post("/api/file", data={"file": file(saved.encode(), "savedrecs.txt")}).get_json()
    assert (record["kind"], record["ids"]) == ("references", ["dense"])


def test_files_of_one_name_are_never_read_as_one(client):
    other = b"@misc{z, title={Okapi at TREC}}"
    for address, field in (("/api/file", "file"), ("/check", "references")):
        two = {**QUESTION, field: [file(BIB, "refs.bib"), file(other, "refs.bib")]}
        answer = client.post(address, data=two, headers={"Accept": "application/json"})
        assert answer.status_code == 400
        assert "wo different files are called refs.bib: " in answer.text
    twice = client.post("/api/file", data={"file": [file(BIB, "refs.bib"), file(BIB, "refs.bib")]}).get_json()
    assert twice["ids"] == ["dense"]


@pytest.mark.parametrize(("data", "why"), [(b"", "the file is empty"), (b"no bibliography", "not a bibliography")])
def test_of_several_bibliographies_the_one_that_cannot_be_read_is_named(client, data, why):
    files = [file(BIB, "a.bib"), file(data, "b.bib")]
    assert f"b.bib: {why}" in client.post("/api/file", data={"file": files}).get_json()["error"]


CUT = b"\n@article{cut, title={Cut of"
NOT_CLOSED = "1 record skipped (line {}: an entry that is not closed, or broken otherwise)"


def test_entries_of_a_bibliography_that_cannot_be_read_are_told(client):
    line = BIB.count(b"\n") + 2
    record = client.post("/api/file", data={"file": file(BIB + CUT, "a.bib")}).get_json()
    assert record["summary"].endswith(f"; {NOT_CLOSED.format(line)}")
    packed = zipped({"a.png": "\0", "b.bib": BIB + CUT})
    record = client.post("/api/file", data={"file": file(packed, "a.zip")}).get_json()
    assert record["summary"].endswith(f"; {NOT_CLOSED.format(line)}")
    assert f"a.bib: {record['summary']}." in html.unescape(post(client, file=file(BIB + CUT, "a.bib")).text)
    checked = client.post("/check", data={**QUESTION, "references": file(BIB + CUT, "a.bib")})
    assert f"Of the bibliography {NOT_CLOSED.format(line)}." in checked.text
    two = client.post("/api/file", data={"file": [file(BIB, "a.bib"), file(CUT, "b.bib")]}).get_json()
    assert two["summary"].endswith(f"; b.bib: {NOT_CLOSED.format(2)}")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.bib", CUT, f"no entry of the bibliography could be read: {NOT_CLOSED.format(2)}"),
        ("a.csv", b"Author;Title;Year\n", "no entry of the bibliography could be read"),
        ("name", b"\x89PNG\0", "Unsupported file. Use .tex, .typ, .zip"),
        ("thesis.gdoc", b'{"url": "https://docs.google.com/open?id=1", "doc_id": "1"}', "Unsupported file"),
        ("thesis.docx", b"PK\3\4 that was not copied to its end", "the document is damaged"),
        ("thesis.rtf", rb"{\rtf1 Neural ranking}", "save it as .docx where it was written"),
        ("name", b"", "the file is empty"),
        ("a.bib", b"no bibliography", "not a bibliography"),
        ("", b"", "choose a file"),
    ],
)
def test_files_that_are_of_no_use_are_refused(client, name, data, message):
    answer = client.post("/api/file", data={"file": file(data, name)})
    assert answer.status_code == 400
    assert message in answer.get_json()["error"]
    if name:
        page = post(client, file=file(data, name))
        assert page.status_code == 400
        assert message in page.text


@pytest.mark.long
def test_a_bibliography_that_is_not_read_to_its_end_says_so(client):
    entries = [b"@misc{k%d, title={Work number %d}}" % (number, number) for number in range(2_001)]
    said = "of a file no more than 2,000 entries are read"
    long = client.post("/api/file", data={"file": file(b"\n".join(entries), "a.bib")}).get_json()
    assert said in long["summary"]
    assert long["missing_count"] == 2_000
    short = client.post("/api/file", data={"file": file(b"\n".join(entries[:1_999]), "a.bib")}).get_json()
    assert said not in short["summary"]
    assert short["missing_count"] == 1_999


def test_markup_that_is_not_read_is_no_plain_text(client):
    answer = client.post("/api/file", data={"file": file(b"A title\n=======\n", "draft.rst")})
    assert answer.status_code == 400
    assert "draft.rst: Unsupported file" in answer.get_json()["error"]


@pytest.mark.long
def test_files_may_be_larger_than_questions_but_not_by_much(client):
    assert client.post("/api/file", data={"file": file(b"a " * 2_000_000, "a.txt")}).status_code == 200
    for size in (13, 20):
        answer = client.post("/api/file", data={"file": file(b"a" * (size << 20), "a.txt")})
        assert answer.status_code in {400, 413}
    assert client.post("/api/v1/recommend", json={"title": "x" * 3_000_000}).status_code == 413


@pytest.mark.parametrize("address", ["/", "/check"])
def test_a_request_that_is_too_large_says_what_it_may_have(client, address):
    large = client.post(address, data={"file": file(b"a" * (20 << 20), "a.pdf")})
    assert large.status_code == 413
    assert "The request is larger than 14 MB." in large.text
    alone = client.post("/api/file", data={"file": file(b"a" * (15 << 20), "a.pdf")}).get_json()["error"]
    assert "larger than 12 MB: " in alone
    assert "single file" in alone
    field = client.post(address, data={"text": "x" * (3 << 20), "file": file(b"a", "a.txt")})
    assert field.status_code == 413
    assert "The request is larger than 2 MB." in field.text
