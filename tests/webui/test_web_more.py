"""What the page takes beside typed text, and what it shows beside the list."""

import html
import io
import json
import re
from dataclasses import replace

import pytest
from archives import zipped
from stand_in import StandIn
from web_pages import Text, listed

from citescout.recommendation import Answer, Contribution
from citescout.recommender import Recommender
from indexer.builds import build_index
from indexer.paper import Paper
from rerank.blend import RERANKER
from rerank.features import FEATURES, NAMES
from webui import create_app
from webui.presentation import kinds_of

QUESTION = {"title": "Passage retrieval with neural ranking", "abstract": ""}
BIB = (
    b"@article{x, title={Dense passage retrieval}, author={Alan Turing}}\n@misc{y, title={Nowhere to be found at all}}"
)


def post(client, **fields):
    return client.post("/", data={**QUESTION, **fields}, content_type="multipart/form-data")


def file(data, name):
    return (io.BytesIO(data), name)


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


CUT = b"\n@article{cut, title={Cut of"
NOT_CLOSED = "1 record skipped (line {}: an entry that is not closed, or broken otherwise)"


def test_entries_of_a_bibliography_that_cannot_be_read_are_told(client):
    line = BIB.count(b"\n") + 2
    record = client.post("/api/file", data={"file": file(BIB + CUT, "a.bib")}).get_json()
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
    assert client.post("/api/recommend", json={"title": "x" * 3_000_000}).status_code == 413


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


def test_papers_that_match_are_on_several_pages(tmp_path):
    build_index([Paper(f"p{n:02}", f"Neural work number {n}") for n in range(45)], tmp_path, encoder=None)
    with Recommender.open(tmp_path, reranker="none") as recommender:
        client = create_app(recommender).test_client()
        seen, address, said = [], "/search?q=neural", []
        while address:
            page = client.get(address).text
            seen += re.findall(r"Neural work number (\d+)</p>", page)
            said += re.findall(r"Papers \d+ to \d+", page)
            (address,) = re.findall(r'rel="next" href="([^"]*)"', html.unescape(page)) or [""]
        assert sorted(map(int, seen)) == list(range(45))
        assert said == ["Papers 1 to 20", "Papers 21 to 40", "Papers 41 to 45"]
        assert 'rel="prev" href="/search?q=neural&amp;page=2"' in page
        assert "No further paper matches" in client.get("/search?q=neural&page=9").text
        assert "Papers 1 to 20" in client.get("/search?q=neural&page=-1").text
        assert "Papers" not in Text(client.get("/search?q=number+7").text).text.split("Search", 1)[1]


def test_a_known_paper_is_the_question(client):
    assert client.get("/api/paper?name=10.1000/NEURAL").get_json()["id"] == "neural"
    answer = client.get("/?of=neural")
    assert Text(answer.text).values["id"] == "neural"
    assert Text(answer.text).values["title"] == "Neural ranking models for passage retrieval"
    assert "neural" not in listed(answer.text), "a paper need not cite itself"
    for name in ("", "nobody", "x" * 501, "\0"):
        refused = client.get("/api/paper", query_string={"name": name})
        assert refused.status_code == 400
    assert "no paper of the index" in client.get("/?of=nobody").text


@pytest.mark.parametrize("name", ["10.1000/NEURAL", " doi: 10.1000/neural\n", "https://doi.org/10.1000/neural"])
def test_a_paper_that_is_only_named_is_the_question(client, name):
    page = client.post("/", data={"text": name}).text
    assert Text(page).values["id"] == "neural"
    assert "Neural ranking models for passage retrieval" in Text(page).values["text"]
    stream = client.post("/api/stream", data={"text": name}).text
    fields = json.loads(stream.split("data: ")[1].split("\n")[0])["fields"]
    assert fields["id"] == "neural"
    assert fields["text"].startswith("Neural ranking models for passage retrieval\n\nNeural rankers")


@pytest.mark.parametrize("name", ["10.1000/nowhere", "arXiv:1706.03762v5 [cs.CL]", "https://example.org/a-page"])
def test_a_named_paper_that_is_not_in_the_index_is_no_text(client, name):
    for address in ("/", "/api/stream"):
        answer = client.post(address, data={"text": name})
        assert answer.status_code == 400
        assert f"no paper of this index has the identifier or address {name}" in answer.text
    assert "No paper of this index matches" in client.get("/search", query_string={"q": name}).text
    answer = client.post("/", data={"text": f"Passage retrieval as in {name}"})
    assert listed(answer.text)


def test_filters_reach_the_list_and_are_reported(client):
    whole = listed(post(client, k="100").text)
    html = post(client, k="100", from_year="2010", not_by="Alan Turing; nobody").text
    assert set(listed(html)) == {"neural", "hostile"} < set(whole)
    assert "from 2010" in html
    assert "not by Alan Turing; nobody" in html
    none = post(client, venues="Nature")
    assert "No paper found" in none.text
    assert "in Nature" in none.text
    assert "from_year 2020 is after" not in none.text
    wrong = post(client, min_citations="-3")
    assert wrong.status_code == 400


def test_filters_of_the_api(client):
    by = {"venues": ["sigir"], "from_year": 2019, "to_year": 2019, "min_citations": 0, "not_by": ["B"], "recency": -1}
    record = client.post("/api/recommend", json={**QUESTION, **by}).get_json()
    assert [entry["id"] for entry in record["recommendations"]] == ["neural"]
    for wrong, message in (
        ({"venues": "sigir"}, "venues must be a list"),
        ({"venues": [1]}, "venues[0] must be text"),
        ({"not_by": ["x"] * 51}, "not_by may hold at most 50"),
        ({"recency": "new"}, "recency must be a number"),
        ({"recency": True}, "recency must be a number"),
        ({"recency": 2}, "recency must be from -1 to 1"),
        ({"diversity": 0.5}, "diversity needs an index with vectors"),
        ({"liked": ["x" * 501]}, "liked[0] may have at most 500"),
    ):
        answer = client.post("/api/recommend", json={**QUESTION, **wrong})
        assert (answer.status_code, message in answer.get_json()["error"]) == (400, True), answer.get_json()


def test_marks_steer_the_next_list_without_script(client):
    shown = listed(post(client, k="100").text)
    html = post(client, k="100", steer="1", shown=shown, like=["dense"], dislike=["hostile"]).text
    fields = Text(html)
    assert fields.values["liked"] == "dense"
    assert fields.values["disliked"] == "hostile"
    assert "hostile" not in listed(html)
    assert re.search(r'name="like" value="dense" checked', html)
    assert "Steered by 1 liked and 1 disliked papers" in " ".join(fields.text.split())
    again = post(client, k="100", steer="1", shown=listed(html), like=[], liked="dense\nelsewhere", disliked="hostile")
    assert Text(again.text).values["liked"] == "elsewhere", "a like that is taken back on the list is gone"
    assert Text(again.text).values["disliked"] == "hostile"
    forgotten = post(client, k="100", forget="1", liked="dense", disliked="hostile").text
    assert "hostile" in listed(forgotten)


@pytest.mark.parametrize("button", [{"filter": "from_year=2000"}, {"cite": "1", "papers": ["bm25"]}, {"sort": "year"}])
def test_marks_count_whichever_button_of_the_list_asks_next(client, button):
    shown = listed(post(client, k="100").text)
    html = post(client, k="100", **button, shown=shown, like=["dense"], dislike=["hostile"]).text
    assert [Text(html).values[name] for name in ("liked", "disliked")] == ["dense", "hostile"]
    assert "dense" in listed(html)
    assert "hostile" not in listed(html)


def test_neighbours_of_a_result(client):
    page = client.get("/similar?id=bm25")
    assert page.status_code == 200
    assert "Neural ranking models" in page.text
    assert "cites it" in page.text
    assert "<html" not in client.get("/similar?id=bm25&part=1").text
    hostile = Text(client.get("/similar", query_string={"id": "hostile"}).text)
    assert "<script>alert(1)</script> retrieval & ranking" in hostile.text
    assert [tag for tag, _ in hostile.elements if tag in {"script", "img"}] == []
    for bad in ("", "nobody", "x" * 600):
        assert client.get("/similar", query_string={"id": bad}).status_code == 400


def test_links_with_what_is_cited_are_reported(client):
    html = " ".join(post(client, already_cited="neural", k="100").text.split())
    assert re.search(
        r'Cited by your <a href="https://doi.org/10.1000/neural"[^>]*>Lovelace and Hopper \(2019\)</a>', html
    )


def test_check_mode(client):
    known = "[1] A. Lovelace. Neural ranking models for passage retrieval. 2019."
    references = f"{known}\n[2] Nobody. A work that is not in this index at all.\n"
    question = {**QUESTION, "gold": references + "[3] The probabilistic relevance framework"}
    html = client.post("/check", data=question, content_type="multipart/form-data").text
    text = " ".join(Text(html).text.split())
    assert "2 of 2 references among the first 20" in text
    assert "1 not in this index" in text
    assert "A work that is not in this index at all" in text
    assert f"{2 * 0.1 / 1.1:.3f}" in text  # precision 2/20, recall 1
    assert Text(html).values["gold"].strip() == question["gold"]
    by_file = client.post(
        "/check", data={**QUESTION, "references": file(BIB, "a.bib")}, content_type="multipart/form-data"
    )
    assert "1 of 1 reference among the first 20" in " ".join(Text(by_file.text).text.split())
    pasted = Text(client.post("/check", data={**QUESTION, "gold": f"bm25\n{BIB.decode()}"}).text)
    assert "2 of 2 references among the first 20" in " ".join(pasted.text.split())
    by_doi = Text(client.post("/check", data={"title": "10.1000/neural", "gold": "bm25"}).text)
    assert by_doi.values["title"].strip() == "Neural ranking models for passage retrieval"
    assert "The paper itself is in this index" in " ".join(by_doi.text.split())


def test_references_newer_than_the_paper_are_named_and_do_not_count(client):
    page = client.post("/check", data={**QUESTION, "gold": "bm25\ndense\nneural", "year": "2019"}).text
    text = " ".join(Text(page).text.split())
    assert "2 of 2 references among the first 20" in text
    assert re.search("1 newer than 2019, not looked at Dense passage retrieval .*?Turing.*? Title", text)
    assert "no stage found it" not in text
    assert '<label for="year">Year of your paper</label>' in page
    assert "not looked at Dense" not in Text(client.post("/check", data={**QUESTION, "gold": "dense"}).text).text


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({}, "enter a title or an abstract"),
        (QUESTION, "paste the reference list"),
        ({**QUESTION, "gold": "Nothing that anybody has ever heard of"}, "none of the references is in this index"),
        ({**QUESTION, "gold": "bm25", "year": "soon"}, "Year of your paper must be a whole number"),
        ({**QUESTION, "gold": "dense", "year": "2019"}, "every reference that this index holds is newer than 2019"),
        ({**QUESTION, "gold": "@misc{a, note = {b}}"}, "no entry of the bibliography could be read"),
        ({**QUESTION, "gold": "x" * 100_001}, "longer than 100,000"),
    ],
)
def test_what_cannot_be_checked_is_said(client, fields, message):
    answer = client.post("/check", data=fields)
    assert answer.status_code == 400
    assert message in answer.text


def test_hostile_references_are_text(client):
    attack = '</textarea><script>alert(1)</script>"><img src=x> that nobody has indexed'
    fields = Text(client.post("/check", data={**QUESTION, "gold": f"bm25\n{attack}"}).text)
    assert attack in fields.text
    assert not [tag for tag, _ in fields.elements if tag in {"script", "img"}]


def test_what_moved_a_paper_is_summed_by_kind(recommender):
    parts = [("cosine", 0.5), ("own_cosine", 0.25), ("cited_rate", -0.5), ("cocited", -1.0), ("year_gap", 0.001)]
    found = kinds_of([Contribution(feature, value) for feature, value in parts])
    assert [(one.name, one.value, one.share) for one in found] == [
        ("citation links", "−1.50", -1.0),
        ("meaning", "+0.75", 0.5),
    ]
    assert kinds_of([]) == ()

    class Telling(StandIn):
        def answer(self, query, settings):
            first, *others = recommender.recommend(query, replace(settings, blend=False))
            reasons = replace(first.reasons, contributions=tuple(Contribution(*part) for part in parts))
            return Answer(query, (replace(first, reasons=reasons), *others))

    html = create_app(Telling(recommender)).test_client().post("/", data=QUESTION).text
    assert html.count('<dl class="features"') == 1
    assert "citation links" in html


def test_every_paper_says_what_moved_it(client):
    html = client.post("/", data=QUESTION).text
    assert html.count('<dl class="features"') == html.count('<li class="result"')


def test_every_term_of_the_blend_has_its_kind():
    kinds = {term: kinds_of([Contribution(term, 1.0)])[0].name for term in (*NAMES, RERANKER)}
    assert kinds.pop(RERANKER) == "close reading"
    assert kinds == {feature.name: feature.group for feature in FEATURES}
