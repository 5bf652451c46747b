"""What steers a list: a known paper as the question, filters, marks and neighbours; and what moved each paper."""

import html
import json
import re
from dataclasses import replace

import pytest
from small_index import recommender_of
from stand_in import StandIn
from web_forms import QUESTION, post
from web_pages import Text, listed

from citescout.recommendation import Answer, Contribution
from indexer.paper import Paper
from rerank.blend import RERANKER
from rerank.features import FEATURES, NAMES
from webui import create_app
from webui.presentation import kinds_of


def test_papers_that_match_are_on_several_pages(tmp_path):
    with recommender_of([Paper(f"p{n:02}", f"Neural work number {n}") for n in range(45)], tmp_path) as recommender:
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
    record = client.post("/api/v1/recommend", json={**QUESTION, **by}).get_json()
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
        answer = client.post("/api/v1/recommend", json={**QUESTION, **wrong})
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
