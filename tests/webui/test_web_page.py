import html
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from small_index import recommender_of
from stand_in import StandIn
from web_pages import Text, listed
from web_sessions import ONE

from citescout.recommendation import Answer
from indexer.paper import Paper
from webui import create_app
from webui.app import STATIC
from webui.examples import DEMO
from webui.inputs import PAGE_LABELS
from webui.pages import DOWNLOADS

EXPORTS = {
    "endnote-xml": (
        "<xml><records><record><ref-type name='Journal Article'>17</ref-type><titles><title>Bees</title></titles>"
        "</record></records></xml>",
        ".xml",
    ),
    "zotero-rdf": (
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' xmlns:z='http://www.zotero.org/namespaces/"
        "export#' xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns:bib='http://purl.org/net/biblio#'>"
        "<bib:Article rdf:about='#1'><z:itemType>journalArticle</z:itemType><dc:title>Bees</dc:title></bib:Article>"
        "</rdf:RDF>",
        ".rdf",
    ),
    "medline": ("PMID- 1\nTI  - Bees.\n\n", ".medline"),
    "wos": ("FN Clarivate\nVR 1.0\nPT J\nTI Bees\nUT WOS:1\nER\n\nEF\n", ".ciw"),
}
QUESTION = {"title": "Passage retrieval with neural ranking", "abstract": ""}


def ask(client, **fields):
    return client.post("/", data={**QUESTION, **fields})


def test_empty_page_has_a_form_and_examples(client, recommender):
    page = Text(client.get("/").text)
    assert {field.get("name") for field in page.named("textarea")} == {"text", "context", "already_cited"}
    links = [(text, link) for link, text in page.links if "example=" in link["href"]]
    assert [text for text, _ in links] == [paper.title for paper in recommender.well_cited()]
    for _, link in links:
        answer = client.get(link["href"]).text
        assert listed(answer)
        assert "your own paper" not in Text(answer).text
    assert "6 papers" in page.text


def test_answer_needs_no_script(client):
    answer = ask(client)
    assert answer.status_code == 200
    page = Text(answer.text)
    assert "Neural ranking models for passage retrieval" in page.text
    assert "Matched by words (1st)" in page.text
    assert "@inproceedings{neural," in page.text
    assert [part for part in page.text.split() if part == "Bread"] == []


def test_a_byline_keeps_its_order_whatever_direction_a_name_has(client):
    answer = ask(client).text
    assert "<bdi>Ada Lovelace, Grace Hopper</bdi>" in answer
    assert '<cite dir="auto">SIGIR</cite>' in answer
    assert "<bdi>Lovelace and Hopper · SIGIR · 2019</bdi>" in client.get("/search?q=neural+ranking").text


def test_get_answers_as_post_does(client):
    assert listed(client.get("/", query_string=QUESTION).text) == listed(ask(client).text) != []


def test_every_field_is_labelled(client):
    page = Text(client.get("/").text)
    labels = {label["for"] for label in page.named("label")}
    fields = {
        field["id"]
        for tag in ("input", "textarea", "select")
        for field in page.named(tag)
        if field.get("type") != "hidden"
    }
    assert fields == labels


def test_matched_words_are_marked_whatever_their_ending(client):
    assert re.search(r'<mark class="w[123]">Retrieving</mark> <mark class="w[123]">passages</mark>', ask(client).text)


def test_hostile_corpus_text_is_only_text(client):
    page = Text(ask(client, k="100").text)
    assert "<script>alert(1)</script> retrieval & ranking" in page.text
    assert [element.get("src") for element in page.named("script")] == [f"{STATIC}/app.js"]
    assert page.named("img") == []
    assert all(set(attributes) == {"class", "title"} for attributes in page.named("b"))
    for tag, attributes in page.elements:
        assert not any(name.startswith("on") or name == "style" for name in attributes), (tag, attributes)


def test_links_are_http_only(client):
    links = [link["href"] for link in Text(ask(client, k="100").text).named("a")]
    outside = [link for link in links if not link.startswith(("/", "#"))]
    assert "https://doi.org/10.1000/neural" in outside
    assert "https://example.org/bm25?a=1&b=2" in outside
    assert "https://arxiv.org/abs/2004.00001" in outside
    assert all(link.startswith("https://") for link in outside)


def test_hostile_question_is_shown_as_text(client):
    attack = '</textarea><script>alert(1)</script>"><img src=x> retrieval'
    page = Text(ask(client, title=attack, abstract=attack, already_cited=attack).text)
    assert page.named("img") == []
    assert len(page.named("script")) == 1


def test_title_and_abstract_come_back_in_one_field(client):
    html = ask(client, title="a", year="x", abstract="\n\nretrieval").text
    assert ">\na\n\nretrieval</textarea>" in html


def test_pasted_title_is_the_title_of_the_page(client):
    abstract = "Passages are read by a model. " * 8
    html = client.post("/", data={"abstract": f"Neural ranking\r\n\r\n{abstract}"}).text
    assert "<title>Neural ranking · citescout</title>" in html
    assert html.count("Neural ranking\n\nPassages are read") == 1


def test_year_and_already_cited_leave_papers_out(client):
    left = set(listed(ask(client, year="2019", already_cited="neural, bm25", k="100").text))
    assert "hostile" in left
    assert not left & {"neural", "bm25", "dense"}


def test_a_paper_that_is_cited_by_several_names_is_counted_once(client):
    assert " · 1 cited already" in ask(client, already_cited="neural\n10.1000/neural\n[1] Neural ranking models").text
    assert " · 2 cited already" in ask(client, already_cited="neural\n2004.00001\narXiv:2004.00001v2 nobody").text
    assert "cited already" not in Text(ask(client, already_cited="nobody").text).text


BIBTEX = """cooking
@article{a,
  title = {Neural ranking models for passage retrieval},
  year = {2019}
}
@misc{b, title = {Dense passage retrieval}, author = {Turing, Alan}, year = {2020}}
@misc{c, title = {Nothing that anybody knows}, year = {2021}}
bm25"""
READ = "cooking\nbm25\nneural\ndense\nNothing that anybody knows"


def test_a_bibliography_pasted_into_what_is_cited_is_read_as_its_entries(client):
    html = ask(client, already_cited=BIBTEX, k="100").text
    assert f">\n{READ}</textarea>" in html
    assert "4 cited already" in html
    assert "1 of the papers that you cite was not found" in html
    stream = client.post("/api/stream", data={"text": "Passage retrieval", "already_cited": BIBTEX}).text
    assert json.loads(stream.splitlines()[1].removeprefix("data: "))["fields"] == {"already_cited": READ}
    assert "no entry of the bibliography could be read" in ask(client, already_cited="@article{a, title = ").text


def test_ticked_papers_become_cited_ones_without_script(client):
    html = ask(client, cite="1", papers="neural").text
    assert "neural" not in listed(html)
    assert ">\nneural</textarea>" in html


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"title": " "}, "enter a title or an abstract"),
        ({"year": "soon"}, "Year of your paper must be a whole number"),
        ({"year": "99999"}, "Year of your paper must be from 1000 to 2200"),
        ({"from_year": "2999"}, "Published from must be from 1000 to 2200, not 2999"),
        ({"min_citations": "few"}, "Minimum citations (in this index) must be a whole number, not"),
        ({"not_by": "a;" * 51}, "Not by these authors may hold at most 50 entries, not 51"),
        ({"already_cited": " ".join(map(str, range(2_001)))}, "Papers you cite already may hold at most 2,000"),
        ({"k": "0"}, "k must be from 1 to 1000"),
        ({"abstract": "x" * 50_001}, "“Your paper” is too long: it has 50,001 characters, and may have 50,000. Paste"),
        ({"text": "x" * 200_000}, "a whole manuscript can be uploaded as a file"),
        ({"title": "x" * 2_001}, "title may have at most 2,000 characters, not 2,001"),
    ],
)
def test_what_cannot_be_answered_is_said_in_one_line(client, fields, message):
    answer = ask(client, **fields)
    assert answer.status_code == 400
    assert message in answer.text
    assert 'id="error" role="alert">' in answer.text
    assert "<title>Error: " in answer.text, "what is read out first of a page that has been loaded"


def test_no_text_is_cut_before_it_is_sent(client):
    page = Text(client.get("/").text)
    assert [one["name"] for one in page.named("textarea") if "maxlength" in one] == []
    refused = client.post("/", data={"text": "x" * 200_000})
    assert "x" * 200_000 in refused.text, "what was pasted stays in its field"
    streamed = client.post("/api/stream", data={"text": "x" * 200_000})
    assert (streamed.status_code, "“Your paper” is too long" in streamed.get_json()["error"]) == (400, True)


def test_a_list_of_the_stream_has_the_title_that_its_page_has(client):
    for title in ("Neural ranking", "Ranking " * 30, "<b>Ranking & retrieval"):
        fields = {"title": title, "abstract": "We rank passages."}
        (shown,) = re.findall("<title>(.*)</title>", client.post("/", data=fields).text)
        first = client.post("/api/stream", data=fields).text.split("data: ", 1)[1].split("\n", 1)[0]
        assert json.loads(first)["title"] == html.unescape(shown)


def test_what_is_counted_is_in_the_singular_where_it_is_one(recommender, tmp_path):
    with recommender_of([Paper("bread", "Baking bread with a slow dough")], tmp_path / "index") as single:
        client = create_app(single).test_client()
        start = " ".join(Text(client.get("/").text).text.split())
        assert "citescout 1 paper, 0 citations among them" in start
        assert "citescout reads 1 paper for shared words" in start
        answer = Text(client.post("/", data={"title": "Slow dough", "liked": "bread"}).text).text
        assert "the one paper" in answer
        assert "Steered by 1 liked paper" in answer
        assert "orget them" not in answer
        nothing = Text(client.post("/", data={"title": "zyzzyva"}).text).text
        assert "No paper of this index shares a word with this text" in nothing
        often = {"title": "Slow dough", "min_citations": "1", "not_by": "Karpukhin; Lee, Kenton"}
        refused = Text(client.post("/", data=often).text).text
        assert "cited at least once; not by Karpukhin; Lee, Kenton. Loosen" in refused
        several = create_app({"one": single, "all": recommender}, sessions=tmp_path / "sessions").test_client()
        header = " ".join(Text(several.get("/").text).text.split())
        assert "one: 1 paper, updated today one 1 paper all 6 papers" in header


def test_filters_are_said_once_and_names_with_commas_stay_whole(client):
    filtered = Text(ask(client, min_citations="1", not_by="Karpukhin; Lee, Kenton").text)
    (meta,) = re.findall(r"s · .*", filtered.text)
    assert "cited at least once · not by Karpukhin; Lee, Kenton" in meta
    assert "cited at least 2 times" in ask(client, min_citations="2").text
    assert "Venues are separated by semicolons." in ask(client, venues="Nowhere, Nature").text
    assert "Venues are separated by semicolons." not in ask(client, venues="Nowhere; Nature").text


def test_errors_name_fields_as_the_page_does(client):
    page = client.get("/").text
    for name, label in PAGE_LABELS.items():
        assert f'<label for="{name}">{label}</label>' in page


def test_the_page_offers_the_files_that_are_read_and_no_others(client):
    drafts = {".tex", ".typ", ".pdf", ".md", ".markdown", ".qmd", ".rmd", ".ipynb", ".docx", ".docm", ".odt", ".txt"}
    drafts |= {".ltx", ".latex", ".rnw", ".zip", ".gz", ".tgz", "text/plain", "application/pdf"}
    exports = {".bib", ".bibtex", ".ris", ".enw", ".xml", ".json", ".csljson", ".nbib", ".medline", ".ciw", ".isi"}
    exports |= {".csv", ".tsv", ".xlsx", ".xls", ".ods", ".xlsm", ".xlsb", ".txt", ".rdf"}
    exports |= {".jsonl", ".ndjson", ".atom", ".nxml", ".tei", ".zip", ".gz", ".bz2", ".xz", ".zst", ".yml", ".yaml"}
    accepted = [set(one.split(",")) for one in re.findall(r'accept="([^"]+)"', client.get("/").text)]
    assert accepted == [drafts | exports | {".bbl", ".sty"}]
    assert [set(one.split(",")) for one in re.findall(r'accept="([^"]+)"', client.get("/check").text)] == [
        drafts,
        exports,
    ]


@pytest.mark.parametrize("name", ["endnote-xml", "zotero-rdf", "medline", "wos"])
def test_exports_of_reference_managers_are_bibliographies_whatever_their_ending(client, name):
    data, ending = EXPORTS[name]
    found = client.post("/api/file", data={"file": (io.BytesIO(data.encode()), f"library{ending}")}).json
    assert found["kind"] == "references"
    assert found["missing_count"] == 1


class Reading(StandIn):
    """A recommender with a cross-encoder, as far as the page is concerned."""

    def __init__(self, recommender):
        super().__init__(recommender)
        self.info = replace(recommender.info, reranker="small")

    def answer(self, query, settings):
        first, *others = self._recommender.recommend(query, settings)
        if settings.depth == 0:
            return Answer(query, (first, *others))
        found = (replace(first, reasons=replace(first.reasons, reranker_score=0.934)), *others)
        return Answer(query, found, read=32, to_read=32)


def test_closer_reading_is_shown(recommender):
    client = create_app(Reading(recommender)).test_client()
    html = ask(client).text
    assert html.count("read closely, relevance 93 %") == 1
    assert "best 32 read closely" in html
    first_list = client.post("/api/v1/recommend", json={**QUESTION, "depth": 0}, headers={"Accept": "text/html"}).text
    assert "the first list, before a closer reading" in first_list
    assert "relevance 93 %" not in first_list


def test_no_result_is_a_page_of_its_own(client):
    answer = ask(client, title="xyzzy")
    assert answer.status_code == 200
    assert "No paper found" in answer.text


def test_an_empty_list_names_the_year_of_the_paper_among_the_conditions(client):
    answer = ask(client, year="1900", from_year="2015")
    assert "not newer than your paper, 1900; from 2015" in answer.text


def test_demo_says_what_its_texts_are(recommender):
    client = create_app(recommender, demo=True).test_client()
    page = Text(client.get("/").text)
    assert "not the papers’ abstracts" in " ".join(page.text.split())
    assert all(example.label in page.text for example in DEMO)
    assert client.get(f"/?example={DEMO[0].key}").status_code == 200


def test_page_of_an_ordinary_index_does_not_mention_the_demo(client):
    assert "demo" not in client.get("/").text


def test_page_loads_nothing_from_elsewhere(client):
    page = Text(client.get("/").text)
    addresses = [element.get("src") or element.get("href") for tag in ("script", "link") for element in page.named(tag)]
    assert addresses
    for address in addresses:
        assert address.startswith(f"{STATIC}/")
        answer = client.get(address)
        assert (answer.status_code, answer.cache_control.max_age) == (200, 365 * 24 * 3600)


def test_a_page_of_another_version_has_the_scripts_that_there_are(client):
    """One that was open while the server was updated could not load its map."""
    answer = client.get("/static/0123456789ab/map.js")
    assert (answer.status_code, answer.cache_control.max_age) == (200, 0)
    assert answer.data == client.get(f"{STATIC}/map.js").data
    assert client.get("/static/0123456789ab/nothing.js").status_code == 404


def test_scripts_and_styles_stay_small():
    static = Path(__file__).parents[2] / "webui" / "static"
    assert sum(file.stat().st_size for file in static.iterdir() if file.suffix in {".js", ".css"}) < 150_000


def test_unknown_page_is_said_plainly(client):
    answer = client.get("/nothing")
    assert answer.status_code == 404
    assert "There is no such page" in answer.text


def test_every_download_is_a_format_and_links_are_kept_only_where_the_server_stores_them(client, recommender, tmp_path):
    html = client.post("/", data={"title": "Passage retrieval"}).text
    for name, label in DOWNLOADS:
        assert f'formaction="/export/{name}" title="Download the list as {label}">{label}<' in html
        assert client.post(f"/export/{name}", data={"title": "Passage retrieval"}).status_code == 200
    assert "Keep a link" not in html
    storing = create_app(recommender, permalinks=tmp_path / "links").test_client()
    assert "Keep a link" in storing.post("/", data={"title": "Passage retrieval"}).text


def test_wherever_a_paper_is_chosen_it_says_that_it_was_retracted(tmp_path):
    papers = [Paper("sound", "Whales dive", "Whales."), Paper("bad", "Whales sing", "Whales.", 2012, retracted=True)]
    with recommender_of(papers, tmp_path / "index") as recommender:
        client = create_app(recommender, sessions=tmp_path / "sessions").test_client()
        found = client.get("/api/paper-search?q=whales").json["papers"]
        assert {paper["id"]: paper["byline"] for paper in found} == {"sound": "", "bad": "2012 · Retracted"}
        client.post(f"/s/{ONE}/basket", data={"papers": ["bad", "sound"]})
        for address in ("/search?q=whales", "/similar?id=sound", f"/s/{ONE}/basket"):
            assert client.get(address).text.count("Retracted") == 1, address
