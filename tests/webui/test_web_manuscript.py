"""A manuscript on the page: its text with its citations, papers for each sentence, and its bibliography."""

import html
import io
import re
import sqlite3
import zipfile
from datetime import date
from html.parser import HTMLParser

import bibtexparser
import pytest

from citescout import Query, Settings
from indexer.paper import Paper
from manuscripts.manuscript import BibtexSource, Entry, Manuscript, Mark, Paragraph, Section, Sentence
from webui import create_app
from webui.kept_manuscripts import MAX_MANUSCRIPTS, KeptManuscripts
from webui.manuscript_text import PART, blocks, contents, part_of, parts
from webui.opened_manuscript import Bibliography, file_name
from webui.sessions import FILE, Sessions

ONE, OTHER = f"/s/{'A' * 22}", f"/s/{'B' * 22}"
SENTENCES = (
    "Passages are retrieved by neural rankers.",
    "Neural rankers read passages  and others do not .",
    "Passages and queries become vectors, which is a search for near neighbours.",
    "Nobody has an entry for this .",
)
MAIN = rf"""\documentclass{{article}}
\title{{Reading passages}}
\begin{{document}}
\begin{{abstract}}We retrieve passages with neural ranking models.\end{{abstract}}
\section{{Introduction}}
{SENTENCES[0]} Neural rankers read passages \citep{{ranking,elsewhere}} and others do not \citep{{elsewhere}}.
\subsubsection{{Deep down}}
{SENTENCES[2]}

Nobody has an entry for this \citep{{nokey}}. $1 + 1 = 2$.
\bibliography{{refs}}
\end{{document}}
"""
# Line ends, comments and spacing of its owner; no newline at the end.
REFS = (
    b"% mine \xc3\xa9\r\n@Article{ranking , title = {Neural ranking models for passage retrieval},\r\n"
    b"  author={Lovelace, Ada and Hopper, Grace}, year= 2019 }\r\n"
    b"@misc{elsewhere, title={A work that no index has}, author={Somebody, Ann}, year={2020}}"
)
PROJECT = {"paper/main.tex": MAIN.encode(), "paper/refs.bib": REFS}


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "sessions"


@pytest.fixture
def client(recommender, folder):
    return create_app(recommender, sessions=folder).test_client()


def sent(files):
    return {"file": [(io.BytesIO(data), name) for name, data in files.items()]}


def keep(client, files=PROJECT, session=ONE):
    answer = client.post(f"{session}/manuscript", data=sent(files))
    assert answer.status_code == 303, answer.text
    return answer.headers["Location"]


def archive(files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as found:
        for name, data in files.items():
            found.writestr(name, data)
    return stream.getvalue()


class Text(HTMLParser):
    """What is read on a page, and its links by their text."""

    def __init__(self, source):
        super().__init__()
        self.text, self.links, self.elements, self._link = "", [], [], None
        self.feed(source)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag == "a":
            self._link = [dict(attributes), ""]

    def handle_data(self, data):
        self.text += data
        if self._link:
            self._link[1] += data

    def handle_endtag(self, tag):
        if tag == "a" and self._link:
            self.links.append(tuple(self._link))
            self._link = None


def sentence_of(page, number):
    return " ".join(Text(re.search(rf'id="s{number}">(.*?)</span> ', page, re.DOTALL)[1]).text.split())


def candidates(page):
    return [html.unescape(one) for one in re.findall(r'class="candidate" data-id="([^"]*)"', page)]


def number_of(page, words):
    return next(int(one) for one in re.findall(r'id="s([0-9]+)"', page) if words in sentence_of(page, one))


def test_the_text_is_shown_with_its_citations(client):
    address = keep(client)
    assert address == f"{ONE}/manuscript/1"
    page = client.get(address).text
    read = " ".join(Text(page).text.split())
    assert "Reading passages" in read
    assert SENTENCES[0] in read
    assert "cites 3 works, 1 of them in this index" in read
    number = number_of(page, "others do not")
    assert sentence_of(page, number) == (
        "Neural rankers read passages (Lovelace and Hopper 2019; Somebody 2020° (not in this index)) and others do not "
        "(Somebody 2020° (not in this index))."
    )
    assert "(nokey? (no entry in the bibliography))." in read
    works = [(link["class"], text) for link, text in Text(page).links if "work" in link.get("class", "")]
    assert works[0] == ("work in-index", "Lovelace and Hopper 2019")
    assert works[-1][0] == "work missing"


def test_the_same_manuscript_has_one_address_and_a_deleted_one_is_never_another(client):
    assert keep(client) == keep(client) == f"{ONE}/manuscript/1"
    other = {"draft.txt": b"Another title\n\nAnd its abstract, which is short."}
    assert keep(client, other) == f"{ONE}/manuscript/2"
    client.post(f"{ONE}/manuscript/2/delete")
    assert keep(client, {"draft.txt": b"A third title\n\nAnd its abstract, which is short."}) == f"{ONE}/manuscript/3"
    assert client.get(f"{ONE}/manuscript/2").status_code == 404


def test_a_sentence_gets_the_papers_that_the_library_gives_it(client, recommender):
    address = keep(client)
    page = client.get(address).text
    number = number_of(page, "near neighbours")
    query = Query(
        "Reading passages",
        "We retrieve passages with neural ranking models.",
        context=SENTENCES[2],
        already_cited=("neural",),
    )
    expected = recommender.answer(query, Settings(k=10)).recommendations
    for panel in ("", "&panel=1"):
        shown = client.get(f"{address}?sentence={number}{panel}").text
        assert candidates(shown) == [entry.paper.id for entry in expected]
        assert "dense" in candidates(shown)
        assert "neural" not in candidates(shown), "it is cited already"
        supports = [entry.reasons.support for entry in expected if entry.reasons.support]
        assert supports
        assert all(support in html.unescape(shown) for support in supports)
    marked = number_of(page, "others do not")
    asked = "Neural rankers read passages [CITATION] and others do not [CITATION]."
    context = recommender.answer(
        Query(query.title, query.abstract, context=asked, already_cited=("neural",)), Settings(k=10)
    )
    assert candidates(client.get(f"{address}?sentence={marked}").text) == [
        entry.paper.id for entry in context.recommendations
    ]


def test_what_is_cited_is_told(client):
    address = keep(client)
    page = client.get(f"{address}?sentence=3&cited=ranking").text
    assert "Neural rankers read the query and the passages together." in page
    assert "This index does not have it" in client.get(f"{address}?sentence=3&cited=elsewhere").text
    assert "no entry for this key" in client.get(f"{address}?sentence=5&cited=nokey").text
    assert client.get(f"{address}?cited=invented").status_code == 404


@pytest.mark.parametrize("query", ["?sentence=99", "?sentence=999999999"])
def test_what_is_no_sentence_is_no_page(client, query):
    assert client.get(keep(client) + query).status_code == 404


@pytest.mark.parametrize("query", ["?sentence=x", "?sentence=-1", "?part=99", "?part=x", "?at=99", "?sentence="])
def test_other_numbers_show_the_text(client, query):
    answer = client.get(keep(client) + query)
    assert (answer.status_code, SENTENCES[0] in answer.text) == (200, True)


def test_a_sentence_without_words_is_no_link(client):
    address = keep(client)
    page = client.get(address).text
    number = number_of(page, "1 + 1")
    assert "<a" not in re.search(rf'id="s{number}">(.*?)</span> ', page)[1]
    assert "no words to search for" in client.get(f"{address}?sentence={number}").text


def pick(client, address, paper, note="", **fields):
    answer = client.post(f"{address}/pick", data={"paper": paper, "note": note, **fields})
    assert answer.status_code == 303, answer.text
    return answer


def test_a_picked_paper_is_in_the_basket_with_the_sentence_as_its_note(client):
    address = keep(client)
    number = number_of(client.get(address).text, "near neighbours")
    panel = client.get(f"{address}?sentence={number}&panel=1").text
    note = re.search(r'data-id="dense".*?<textarea[^>]*>\n(.*?)</textarea>', panel, re.DOTALL)[1]
    assert note == SENTENCES[2]
    answer = pick(client, address, "dense", note, sentence=str(number))
    assert answer.headers["Location"] == f"{address}?sentence={number}#s{number}"
    basket = client.get(f"{ONE}/basket").text
    assert "Dense passage retrieval" in basket
    assert SENTENCES[2] in basket
    pick(client, address, "dense", "my own words")
    again = client.get(f"{address}?sentence={number}&panel=1").text
    assert "In the basket" in again
    assert "my own words" in again
    pick(client, address, "dense", remove="1")
    assert "Dense passage retrieval" not in client.get(f"{ONE}/basket").text
    assert client.post(f"{address}/pick", data={"paper": "dense", "note": "x" * 2001}).status_code == 400
    assert client.post(f"{address}/pick", data={"note": "x"}).status_code == 400


def shown_key(client, address, number, paper):
    panel = client.get(f"{address}?sentence={number}&panel=1").text
    return re.search(rf'data-id="{paper}".*?<code class="citing">([^<]*)</code>', panel, re.DOTALL)[1]


def test_picked_papers_are_added_to_the_bibliography_and_nothing_else_of_it_changes(client):
    address = keep(client)
    number = number_of(client.get(address).text, "near neighbours")
    citing = shown_key(client, address, number, "dense")
    pick(client, address, "dense")
    pick(client, address, "neural")  # which the file has under another key
    page = client.get(address).text
    assert re.search(r'value="neural" disabled', page)
    assert "<code>ranking</code>, in your file already" in page
    answer = client.post(f"{address}/bibliography", data={"papers": ["dense", "neural"]})
    assert answer.headers["Content-Disposition"] == 'attachment; filename="refs.bib"'
    assert answer.mimetype == "application/x-bibtex"
    assert answer.data.startswith(REFS + b"\r\n\r\n@")
    assert b"\n" not in answer.data.replace(b"\r\n", b"")
    entries = bibtexparser.parse_string(answer.text).entries
    assert [f"\\cite{{{entry.key}}}" for entry in entries][2:] == [citing]
    assert entries[2]["title"].replace("{", "").replace("}", "") == "Dense passage retrieval"
    assert client.post(f"{address}/bibliography", data={}).data == REFS
    assert client.post(f"{address}/bibliography", data={"path": "../../etc/passwd"}).status_code == 400
    assert client.post(f"{address}/bibliography", data={"papers": ["cooking"]}).data == REFS, "it is not in the basket"


MORE = b"@misc{nokey, title={Another work}}\n"
ODD = "my refs.bib"
CITING_BOTH = MAIN.replace("{refs}", "{refs,sub/more,my refs}").encode()


@pytest.mark.parametrize(
    ("files", "path", "name", "start"),
    [
        ({"main.tex": MAIN.encode()}, "refs.bib", "refs.bib", b"@"),
        ({"main.tex": MAIN.encode(), "refs.bib": REFS.replace(b"\xc3\xa9", b"\xe9")}, "added.bib", "added.bib", b"@"),
        ({"main.tex": CITING_BOTH, "refs.bib": REFS, "sub/more.bib": MORE}, "sub/more.bib", "more.bib", MORE),
        ({"main.tex": CITING_BOTH, "refs.bib": REFS, ODD: MORE}, ODD, "refs.bib", MORE),
    ],
)
def test_the_file_is_chosen_and_without_one_it_is_new(client, files, path, name, start):
    address = keep(client, {"paper.zip": archive(files)})
    pick(client, address, "dense")
    answer = client.post(f"{address}/bibliography", data={"papers": "dense", "path": path})
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{name}"'
    assert answer.data.startswith(start)
    assert "Dense passage retrieval" in bibtexparser.parse_string(answer.text).entries[-1]["title"].replace("{", "")


def test_a_file_in_another_encoding_is_named_and_left_alone(client):
    address = keep(client, {"main.tex": MAIN.encode(), "refs.bib": REFS.replace(b"\xc3\xa9", b"\xe9")})
    pick(client, address, "dense")
    pick(client, address, "neural")
    assert "refs.bib: not in UTF-8 (byte 8)" in client.get(address).text
    data = client.post(f"{address}/bibliography", data={"papers": ["dense", "neural"]}).data
    assert len(bibtexparser.parse_string(data.decode()).entries) == 1, "the other one is in refs.bib"


def test_markdown_cites_in_its_own_way(client):
    text = b"---\ntitle: Reading passages\nabstract: We retrieve passages.\n---\n\nPassages become vectors [@nokey].\n"
    address = keep(client, {"paper.md": text})
    number = number_of(client.get(address).text, "become vectors")
    assert shown_key(client, address, number, "dense") == "[@dense]"


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
    assert b"A" * 22 not in b"".join(file.read_bytes() for file in folder.iterdir())


def test_a_deleted_manuscript_is_gone_from_the_file(client, folder):
    address = keep(client)
    with sqlite3.connect(folder / FILE) as connection:
        ((text,),) = connection.execute("SELECT text FROM manuscripts").fetchall()
    assert ">paper</a>" in client.get(f"{ONE}/history").text
    assert client.post(f"{address}/delete").status_code == 303
    assert client.get(address).status_code == 404
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = b"".join(file.read_bytes() for file in folder.iterdir())
    assert not any(text[start : start + 40] in whole for start in range(0, len(text) - 40, 40))


def test_a_manuscript_is_deleted_and_ends_with_its_session(client, recommender, tmp_path):
    address = keep(client)
    assert client.post(f"{ONE}/session/delete").status_code == 303
    assert client.get(address).status_code == 404
    days = [date(2026, 1, 1)]
    sessions = Sessions(tmp_path / "ending", days=10, today=lambda: days[0])
    number = sessions.keep_manuscript("A" * 22, "draft", Manuscript("Title"))
    days[0] = date(2026, 1, 9)
    assert sessions.manuscript("A" * 22, number)
    days[0] = date(2026, 1, 12)
    sessions.questions("B" * 22)
    assert sessions.manuscript("A" * 22, number) is None


def test_limits_of_manuscripts(client, monkeypatch):
    sessions = client.application.extensions["citescout"].sessions
    for number in range(MAX_MANUSCRIPTS):
        sessions.keep_manuscript("A" * 22, "draft", Manuscript(f"Title {number}"))
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
    assert "Show its text" not in client.get("/").text


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
    for number, files in enumerate((PROJECT, {**loose, **clutter}, {"paper.zip": archive(loose)})):
        session = f"/s/{str(number) * 22}"
        page = client.get(keep(client, files, session)).text
        pages.append(re.findall(r'<p class="paragraph".*?</p>', page, re.DOTALL))
        assert "1 of them in this index" in page
    assert pages[0] == pages[1] == pages[2] != []


@pytest.mark.parametrize(
    ("files", "message"),
    [
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


ATTACK = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>"


def test_hostile_manuscripts_are_only_text(client):
    source = (
        f"---\ntitle: 'T {ATTACK.replace(chr(39), '')}'\nabstract: We retrieve passages.\n"
        f"bibliography: refs.bib\n---\n\n# H {ATTACK}\n\nPassages {ATTACK} become vectors [@a; @b].\n"
    )
    bib = f"@misc{{a, title={{Title {ATTACK}}}, author={{Name {ATTACK}}}, url={{javascript:alert(1)}}, year=2020}}"
    files = {"paper.md": source.encode(), "refs.bib": bib.encode(), "<script>.bib": b"@misc{a, title={T}}"}
    address = keep(client, {"<script>alert(1).zip": archive(files)})
    pages = [client.get(address + query).text for query in ("", "?sentence=1", "?sentence=2", "?sentence=1&cited=a")]
    pick(client, address, "dense", ATTACK)
    pages += [client.get(f"{address}?sentence=1").text, client.get(f"{ONE}/history").text]
    assert "alert(1)" in pages[0]
    for page in pages:
        for tag, attributes in Text(page).elements:
            assert tag != "img"
            assert tag != "script" or attributes["src"].startswith(("/static/", f"{ONE}/static/"))
            assert not any(name.startswith("on") or name == "style" for name in attributes)
            for name in ("href", "action", "formaction"):
                assert attributes.get(name, "/").startswith(("/", "?", "#", "https://", "http://"))


def long_manuscript(*sizes):
    """Sections of so many sentences, in paragraphs of five; their levels jump."""
    mark = (Mark(0, ("k",)),)
    sections = []
    for place, size in enumerate(sizes):
        sentences = tuple(Sentence(f"Sentence {place}.{number}", mark) for number in range(size))
        paragraphs = tuple(Paragraph(sentences[start : start + 5]) for start in range(0, size, 5))
        sections.append(Section(f"Section {place}", (0, 3, 1, 5, 2)[place % 5], paragraphs))
    return Manuscript("T", sections=tuple(sections))


@pytest.mark.parametrize("sizes", [(3,), (PART, 1), (300,) * 7, (3 * PART + 7, 0, 0, 5), (0,), ()])
def test_every_sentence_is_in_one_part(sizes):
    found = parts(blocks(long_manuscript(*sizes), {}))
    numbers = [one.number for part in found for block in part for one in block.sentences]
    assert numbers == list(range(1, sum(sizes) + 1))
    assert all(sum(len(block.sentences) for block in part) <= PART for part in found)
    for number in {1, PART, PART + 1, sum(sizes) // 2, sum(sizes)} & set(numbers):
        part = found[part_of(found, number) - 1]
        assert number in [one.number for block in part for one in block.sentences]
    levels = [block.level for part in found for block in part if block.level]
    assert all(2 <= level <= 6 for level in levels)
    assert all(below <= above + 1 for above, below in zip([1, *levels], levels, strict=False))
    assert [heading.text for heading in contents(found)] == [f"Section {place}" for place in range(len(sizes))]


def test_one_paragraph_without_end_is_cut(client):
    every = tuple(Sentence(f"Sentence {number}") for number in range(PART + 1))
    found = parts(blocks(Manuscript("T", sections=(Section("", 1, (Paragraph(every),)),)), {}))
    assert [sum(len(block.sentences) for block in part) for part in found] == [PART, 1]


def test_long_manuscripts_are_shown_in_parts(client):
    sessions = client.application.extensions["citescout"].sessions
    sessions.keep_manuscript("A" * 22, "thesis", long_manuscript(*(300,) * 4))
    address = f"{ONE}/manuscript/1"
    first, second = (client.get(f"{address}?part={part}").text for part in (1, 2))
    assert (len(re.findall('id="s[0-9]', first)), len(re.findall('id="s[0-9]', second))) == (600, 600)
    assert 'id="s601"' in second
    assert 'id="s601"' in client.get(f"{address}?sentence=601").text
    assert 'id="s601"' in client.get(f"{address}?at=601").text
    assert f'"{address}?part=2"' not in first
    assert '"?part=2#h4"' in first


def test_each_index_is_asked_with_the_same_manuscript(recommender, folder):
    client = create_app({"one": recommender, "two": recommender}, sessions=folder).test_client()
    address = keep(client)
    assert SENTENCES[0] in client.get(f"{ONE}/i/two/manuscript/1").text
    pick(client, address, "dense")
    assert 'value="dense"' in client.get(address).text
    assert 'value="dense"' not in client.get(f"{ONE}/i/two/manuscript/1").text, "a paper is of one index"


def fields_of(form):
    found = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', form)
    return {name: html.unescape(value) for name, value in found}


def listed(page):
    return [html.unescape(one) for one in re.findall(r'<li class="result" data-id="([^"]*)"', page)]


def test_the_whole_paper_and_a_sentence_become_questions_with_addresses(client, recommender):
    address = keep(client)
    page = client.get(address).text
    form = re.search(r'<form class="actions".*?</form>', page, re.DOTALL)[0]
    asked = client.post(f"{ONE}/", data=fields_of(form))
    query = Query("Reading passages", "We retrieve passages with neural ranking models.", already_cited=("neural",))
    expected = [entry.paper.id for entry in recommender.recommend(query, Settings())]
    assert listed(client.get(asked.headers["Location"]).text) == expected
    number = number_of(page, "near neighbours")
    panel = client.get(f"{address}?sentence={number}&panel=1").text
    fields = fields_of(re.search(r'<form class="as-question".*?</form>', panel, re.DOTALL)[0])
    assert fields["context"] == SENTENCES[2]
    answer = client.post(f"{ONE}/", data={**fields, "k": "5"})
    shown = client.get(answer.headers["Location"]).text
    assert listed(shown) == candidates(panel)[:5]
    assert "to cite in this sentence" in shown
    assert SENTENCES[2] in client.get(f"{ONE}/history").text


def test_a_sentence_alone_is_a_question_of_the_form(client, recommender):
    sentence = "Passages and queries become vectors [?]."
    expected = [entry.paper.id for entry in recommender.recommend(Query(context=sentence), Settings())]
    assert listed(client.post("/", data={"context": sentence}).text) == expected != []
    assert listed(client.get("/", query_string={"context": sentence}).text) == expected
    answer = client.post("/", data={"context": "[?]"})
    assert answer.status_code == 400
    assert "The sentence holds no words" in answer.text
    assert client.post("/", data={"context": "x" * 5001}).status_code == 400


def test_manuscripts_are_read_once_and_never_mixed(client, monkeypatch):
    first, second = keep(client), keep(client, {"draft.txt": b"Another title\n\nAnd its abstract."}, OTHER)
    for _ in range(2):
        assert "Reading passages" in client.get(first).text
        assert "Another title" in client.get(second).text
    loads = []
    monkeypatch.setattr("webui.kept_manuscripts.manuscript_of", loads.append)
    assert "Reading passages" in client.get(first).text
    assert loads == []
    assert isinstance(client.application.extensions["citescout"].sessions._manuscripts, KeptManuscripts)


def twin(number):
    return Paper(str(number), f"Deep nets, part {['one', 'two', 'three'][number]}", "", 2020, ("Ann Writer",))


def keys_of(data):
    return [entry.key for entry in bibtexparser.parse_string(data.decode()).entries]


def test_keys_are_shown_as_they_will_be_exported():
    first, second, third = map(twin, range(3))
    base = Bibliography(Manuscript(), []).key(first)
    nothing = Bibliography(Manuscript(), [])
    assert (nothing.key(first), nothing.key(second)) == (base, base), "each would be the next one"
    one = Bibliography(Manuscript(), [second])
    assert (one.key(second), one.key(first), one.key(third)) == (base, f"{base}-2", f"{base}-2")
    both = Bibliography(Manuscript(), [second, first])
    assert keys_of(both.with_papers("refs.bib", ["0", "1"])) == [base, f"{base}-2"]
    both = Bibliography(Manuscript(), [second, first])
    assert keys_of(both.with_papers("refs.bib", ["0"])) == [f"{base}-2"], "as it was shown, though it comes alone"


def test_keys_are_new_to_all_files():
    paper = twin(0)
    key = Bibliography(Manuscript(), []).key(paper)
    files = (
        BibtexSource("a.bib", b"@misc{x, title={A work}}"),
        BibtexSource("b.bib", f"@misc{{{key}, title={{Another}}}}\n@misc{{y, title={{More}}}}".encode()),
    )
    entries = tuple(
        Entry(name, (Paper("", title),)) for name, title in [("x", "A work"), (key, "Another"), ("y", "More")]
    )
    found = Bibliography(Manuscript(bibtex=files, entries=entries), [paper])
    assert found.key(paper) == f"{key}-2"
    assert keys_of(found.with_papers("a.bib", ["0"])) == ["x", f"{key}-2"]


@pytest.mark.parametrize(
    ("path", "name"),
    [("a/My-refs_2.bib", "My-refs_2.bib"), ("x\r\nSet-Cookie: a.bib", "refs.bib"), ("é.bib", "refs.bib"),
     ("a/.bib", "refs.bib"), ("x" * 200 + ".bib", "refs.bib")],
)  # fmt: skip
def test_downloads_have_harmless_names(path, name):
    assert file_name(path) == name
