import gzip
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict

import bibtexparser
import pytest
from stand_in import StandIn

from common.errors import IndexDirectoryError
from webui import create_app
from webui.answers import Limits

QUESTION = {"title": "Passage retrieval with neural ranking"}


def test_answer_holds_query_papers_reasons_and_time(client):
    asked = {**QUESTION, "k": 3, "year": 2019, "already_cited": ["bm25", " "], "liked": [""]}
    answer = client.post("/api/v1/recommend", json=asked)
    assert answer.status_code == 200
    record = answer.get_json()
    assert record["unknown"] == []
    assert record["query"] == {**QUESTION, "abstract": "", "context": "", "year": 2019, "already_cited": ["bm25"]}
    assert record["timing_ms"] > 0
    assert [entry["rank"] for entry in record["recommendations"]] == [1, 2, 3]
    first = next(entry for entry in record["recommendations"] if entry["id"] == "neural")
    assert first["authors"] == ["Ada Lovelace", "Grace Hopper"]
    assert first["url"] == "https://doi.org/10.1000/neural"
    assert {"source": "bm25", "rank": 1}.items() <= first["reasons"]["sources"][0].items()
    assert "passage" in {match["term"] for match in first["reasons"]["matched_terms"]}


def test_a_context_is_answered_with_what_supports_it(client):
    record = client.post("/api/v1/recommend", json={"context": "Neural ranking of passages [CITATION]."}).get_json()
    assert record["query"]["context"] == "Neural ranking of passages [CITATION]."
    entry = next(entry for entry in record["recommendations"] if entry["id"] == "neural")
    assert entry["reasons"]["support"] in entry["abstract"]
    batch = {"queries": [{"id": "a", "context": "Neural ranking [1]"}, {"id": "b", **QUESTION}]}
    answers = client.post("/api/v1/batch", json=batch).get_json()["answers"]
    assert all(answer["recommendations"] for answer in answers)


def test_the_id_of_a_query_of_a_batch_is_that_of_no_paper(client):
    batch = {"queries": [{"id": "neural", **QUESTION}]}
    (answer,) = client.post("/api/v1/batch", json=batch).get_json()["answers"]
    alone = client.post("/api/v1/recommend", json=QUESTION).get_json()["recommendations"]
    assert answer["id"] == "neural"
    assert [one["id"] for one in answer["recommendations"]] == [one["id"] for one in alone]
    assert "neural" in {one["id"] for one in alone}


def test_settings_are_heeded(client):
    by = {"sources": ["graph", "bm25"], "depth": 0, "query_form": "title", "blend": False}
    record = client.post("/api/v1/recommend", json={**QUESTION, **by}).get_json()
    scores = [entry["score"] for entry in record["recommendations"]]
    assert scores == sorted(scores, reverse=True)
    only = client.post("/api/v1/recommend", json={**QUESTION, "sources": ["bm25"]}).get_json()
    assert {found["source"] for entry in only["recommendations"] for found in entry["reasons"]["sources"]} == {"bm25"}


def test_whole_numbers_may_be_written_as_json_schema_lets_them(client):
    plain = {**QUESTION, "k": 2, "year": 2019, "min_citations": 1, "bm25_terms": 10}
    written = b'{"title": "%s", "k": 0.2e1, "year": 2019.0, "min_citations": 1.0, "bm25_terms": 1E1}'
    answer = client.post(
        "/api/v1/recommend", data=written % QUESTION["title"].encode(), content_type="application/json"
    )
    found, same = (one["recommendations"] for one in (answer.json, client.post("/api/v1/recommend", json=plain).json))
    assert [one["id"] for one in found] == [one["id"] for one in same] != []


@pytest.mark.parametrize(
    ("request_body", "message"),
    [
        ({}, "request: the query has neither a title nor an abstract"),
        ({"context": ["x"]}, "request: context must be text"),
        ({"context": "[CITATION]"}, "context holds no words beside the mark"),
        ({"context": "x" * 5001}, "context may have at most 5,000 characters"),
        ({**QUESTION, "id": 7}, "request: id must be text"),
        ({"title": 7}, "request: title must be text"),
        ({**QUESTION, "year": "2019"}, "request: year must be a whole number"),
        ({**QUESTION, "year": -5}, "request: year must be from 1000 to 2200, not -5"),
        ({**QUESTION, "k": True}, "request: k must be a whole number"),
        ({**QUESTION, "k": 10**9}, "k must be from 1 to 1000"),
        ({**QUESTION, "k": 10.5}, "request: k must be a whole number, not 10.5"),
        ({**QUESTION, "min_citations": 10**30}, "min_citations must be from 0 to 1000000000, not 1"),
        ({**QUESTION, "depth": -1}, "depth must be from 0 to 3000"),
        ({**QUESTION, "sources": ["bing"]}, "request: sources[0] must be 'bm25', 'dense' or 'graph', not 'bing'"),
        ({**QUESTION, "sources": [["bm25"]]}, "request: sources[0] must be 'bm25'"),
        (
            {**QUESTION, "query_form": "haiku"},
            "query_form must be 'title+abstract', 'title' or 'key-terms', not 'haiku'",
        ),
        ({**QUESTION, "blend": "no"}, "request: blend must be true or false"),
        ({**QUESTION, "already_cited": "bm25"}, "request: already_cited must be a list"),
        ({**QUESTION, "liked": ["x" * 501]}, "liked[0] may have at most 500 characters, not 501"),
        ({**QUESTION, "already_cited": ["x" * 1001]}, "already_cited[0] may have at most 1,000 characters, not 1,001"),
        ({**QUESTION, "papers": ["bm25"]}, "request: unknown field 'papers'"),
        ({**QUESTION, "tittle": "x"}, "unknown field 'tittle'"),
        ([QUESTION], "the request must be a JSON object"),
    ],
)
def test_wrong_requests_are_named(client, request_body, message):
    answer = client.post("/api/v1/recommend", json=request_body)
    assert answer.status_code == 400
    assert list(answer.get_json()) == ["error", "request_id"]
    assert answer.get_json()["request_id"] == answer.headers["X-Request-ID"]
    assert message in answer.get_json()["error"]
    assert "\n" not in answer.get_json()["error"]


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b'{"title": "\\ud800"}', b"[" * 100_000, b"NaN"])
def test_what_is_not_json_is_refused(client, body):
    answer = client.post("/api/v1/recommend", data=body, content_type="application/json")
    assert answer.status_code == 400
    assert answer.get_json()["error"]


def test_a_byte_order_mark_is_passed_over_and_another_encoding_named(client):
    def sent(text, encoding):
        return client.post("/api/v1/recommend", data=text.encode(encoding), content_type="application/json").get_json()

    assert sent('{"title": "café"}', "utf-8-sig")["query"]["title"] == "café"
    assert "not in UTF-8, as JSON is: byte 15 is none of it" in sent('{"title": "café"}', "latin-1")["error"]


@pytest.mark.parametrize("address", ["recommend", "export/ris", "batch"])
def test_parameters_of_an_address_are_refused_and_not_passed_over(client, address):
    answer = client.post(f"/api/v1/{address}?k=1", json={**QUESTION, "k": 2})
    assert answer.status_code == 400
    assert "the address has a parameter 'k': " in answer.get_json()["error"]


def test_limits_and_methods(client):
    wrong = client.get("/api/v1/recommend")
    assert (wrong.status_code, wrong.get_json()["error"]) == (405, "this address takes POST only")
    wrong = client.post("/api/v1/queries/x")
    assert (wrong.status_code, wrong.get_json()["error"]) == (405, "this address takes DELETE and GET only")
    for kind, text in (("text/plain", "hello"), ("application/x-www-form-urlencoded", '{"title": "a=b&c"}')):
        refused = client.post("/api/v1/recommend", data=text, content_type=kind)
        assert refused.status_code == 415
        assert "Content-Type: application/json" in refused.get_json()["error"]
    large = client.post("/api/v1/recommend", json={"title": "x" * 3_000_000})
    assert large.status_code == 413
    assert "larger than 2 MB" in large.get_json()["error"]
    assert client.post("/api/nothing").get_json()["error"] == "there is no such page"


def test_a_compressed_body_is_refused_with_the_name_of_the_header(client):
    body = {"data": gzip.compress(b'{"title": "passage retrieval"}'), "content_type": "application/json"}
    refused = client.post("/api/v1/recommend", headers={"Content-Encoding": "gzip"}, **body)
    assert (refused.status_code, "no Content-Encoding" in refused.get_json()["error"]) == (415, True)


def test_control_characters_do_no_harm(client):
    assert client.post("/api/v1/recommend", json={"title": "retrieval\0 \u202e\ufffe passage"}).status_code == 200


def test_forms_are_for_the_page_alone(client):
    for address in ("recommend", "batch", "export/csv", "queries"):
        for kind in ("application/x-www-form-urlencoded", "multipart/form-data"):
            sent = client.post(f"/api/v1/{address}", data={**QUESTION, "blend": "false"}, content_type=kind)
            assert sent.status_code in {404, 415}, address
            assert "form" not in sent.get_json()["error"]


def test_html_on_demand(client):
    html = client.post("/api/v1/recommend", json=QUESTION, headers={"Accept": "text/html"})
    assert html.mimetype == "text/html"
    assert html.text.lstrip().startswith("<form")
    assert "<html" not in html.text


def test_export_is_the_list_or_what_is_selected_of_it(client):
    whole = client.post("/api/v1/export/bibtex", json=QUESTION)
    assert whole.mimetype == "application/x-bibtex"
    assert whole.headers["Content-Disposition"] == 'attachment; filename="citescout.bib"'
    assert len(bibtexparser.parse_string(whole.text).entries) == 5
    some = client.post("/export/bibtex", data={**QUESTION, "papers": ["dense", "bm25"]})
    titles = {entry["title"] for entry in bibtexparser.parse_string(some.text).entries}
    assert titles == {"Dense passage retrieval", "The probabilistic relevance framework"}


def test_papers_below_the_list_have_their_own_ranks_and_scores_in_a_file(client):
    ranked = client.post("/api/v1/recommend", json={**QUESTION, "k": 100}).get_json()["recommendations"]
    last, other = ranked[-1], ranked[2]
    some = {**QUESTION, "k": 2, "papers": [last["id"], "cooking", other["id"], ranked[0]["id"]]}
    (exported,) = client.post("/api/v1/export/jsonl", json=some).text.splitlines()
    entries = json.loads(exported)["recommendations"]
    assert entries[:3] == [ranked[0], other, last]
    assert [(one["id"], one["rank"], one["score"]) for one in entries[3:]] == [("cooking", len(ranked) + 1, 0.0)]


def test_a_file_of_papers_that_are_not_there_is_an_error(client):
    some = client.post("/api/v1/export/bibtex", json={**QUESTION, "papers": ["nope", "dense"]})
    assert len(bibtexparser.parse_string(some.text).entries) == 1
    wrong = client.post("/api/v1/export/bibtex", json={**QUESTION, "papers": [3]})
    assert (wrong.status_code, wrong.get_json()["error"]) == (400, "request: papers[0] must be text")
    none = client.post("/api/v1/export/bibtex", json={**QUESTION, "papers": ["nope", "no"]})
    assert (none.status_code, none.get_json()["error"]) == (400, "papers: the index has none of 'nope', 'no'")


def test_export_in_every_format(client):
    from exports import FORMATS

    for name, export in FORMATS.items():
        answer = client.post(f"/api/v1/export/{name}", json=QUESTION)
        assert answer.status_code == 200
        assert answer.mimetype == export.media_type
    assert "choose one of" in client.post("/api/v1/export/word", json=QUESTION).get_json()["error"]


def test_health_tells_what_is_served(client, recommender):
    assert client.get("/health").get_json() == {"status": "ok", **asdict(recommender.info)}


class Broken(StandIn):
    """A recommender whose index fails in a given way."""

    def __init__(self, recommender, error):
        super().__init__(recommender)
        self._error = error

    def answer(self, query, settings):
        raise self._error


@pytest.mark.parametrize("error", [IndexDirectoryError("/private/index is damaged"), ZeroDivisionError("secret")])
def test_failures_inside_are_logged_and_not_shown(recommender, error, caplog):
    client = create_app(Broken(recommender, error)).test_client()
    with caplog.at_level(logging.ERROR):
        answers = [client.post("/api/v1/recommend", json=QUESTION), client.post("/", data=QUESTION)]
    for answer in answers:
        assert answer.status_code == 500
        assert "private" not in answer.text
        assert "secret" not in answer.text
        assert "Traceback" not in answer.text
    assert str(error) in caplog.text


def test_page_and_api_agree_under_load(recommender):
    app = create_app(recommender, limits=Limits(queue=16))
    expected = app.test_client().post("/api/v1/recommend", json=QUESTION).get_json()["recommendations"]

    def ask(number):
        question = {**QUESTION, "abstract": " " * number}  # a question of its own each time, of the same meaning
        return app.test_client().post("/api/v1/recommend", json=question).get_json()["recommendations"]

    with ThreadPoolExecutor(12) as pool:
        assert list(pool.map(ask, range(12))) == [expected] * 12


def test_what_is_cited_may_be_named_by_doi_or_title_and_what_is_unknown_is_reported(client):
    cited = ["https://doi.org/10.1000/NEURAL", "The probabilistic relevance framework.", "nobody2050"]
    record = client.post("/api/v1/recommend", json={**QUESTION, "already_cited": cited}).get_json()
    assert record["query"]["already_cited"] == cited
    assert record["unknown"] == ["nobody2050"]
    assert not {"neural", "bm25"} & {entry["id"] for entry in record["recommendations"]}
    page = client.post("/", data={**QUESTION, "already_cited": "\n".join(cited)}).text
    assert "2 cited already" in page
    assert "1 of the papers that you cite was not found in this index" in page
    assert '<li dir="auto">nobody2050</li>' in page


def test_ids_that_are_liked_or_disliked_and_unknown_are_reported(client):
    rated = {"liked": ["bm25", "nobody2050"], "disliked": ["nobody2051", "nobody2050"]}
    record = client.post("/api/v1/recommend", json={**QUESTION, **rated, "already_cited": ["neural"]}).get_json()
    assert record["unknown"] == ["nobody2050", "nobody2051"]
    asked = {**QUESTION, **rated, "already_cited": ["neural", "A title that is nowhere to be found"]}
    for name in ("bibtex", "jsonl"):
        exported = client.post(f"/api/v1/export/{name}", json=asked)
        assert exported.headers["X-Unknown"] == "3"
    assert json.loads(exported.text)["unknown"] == [asked["already_cited"][1], "nobody2050", "nobody2051"]
    form = {name: "\n".join(ids) for name, ids in rated.items()}
    page = client.post("/", data={**QUESTION, **form, "already_cited": "neural"}).text
    assert "1 cited already" in page
    assert "2 of the papers that you cite, like or dislike were not found in this index" in page
