"""The API as its OpenAPI document has it."""

import json
from urllib.parse import quote

import pytest
from command_line import refused
from jsonschema import Draft202012Validator, ValidationError

from citescout.settings import Settings
from common.errors import QueryError
from exports import FORMATS
from webui import create_app
from webui.inputs import from_json

QUESTION = {"title": "Passage retrieval with neural ranking"}


@pytest.fixture
def document(client):
    return client.get("/api/v1/openapi.json").get_json()


def valid(document, record, name):
    """Raises where a record is not as the document says, or has a field that it does not know."""
    schemas = json.loads(json.dumps(document["components"]["schemas"]))
    for schema in schemas.values():
        schema["additionalProperties"] = False
    Draft202012Validator({"$ref": f"#/components/schemas/{name}", "components": {"schemas": schemas}}).validate(record)


def test_document_has_every_versioned_address_and_no_other(client, document):
    served = {
        rule.rule.replace("<id:", "<").replace("<", "{").replace(">", "}")
        for rule in client.application.url_map.iter_rules()
        if rule.rule.startswith("/api/v1/") and not rule.rule.endswith("openapi.json")
    }
    assert set(document["paths"]) == served | {"/health"}
    assert document["openapi"].startswith("3.1")
    for schema in document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)
        assert schema["description"]


def test_document_names_the_fields_that_are_read(document):
    with pytest.raises(QueryError, match="unknown field 'x'; there are ") as refused:
        from_json({"x": 1}, lambda _: Settings())
    read = str(refused.value).partition("there are ")[2].split(", ")
    assert sorted(document["components"]["schemas"]["RecommendRequest"]["properties"]) == read


def test_a_request_is_one_type_of_which_some_text_is_required(document):
    schema = document["components"]["schemas"]["RecommendRequest"]
    assert not {"anyOf", "oneOf"} & set(schema)  # of whose parts clients are generated that lack the other fields
    for right in ({"title": "x"}, {"title": None, "abstract": "x"}, {"context": "x", "title": " "}):
        valid(document, right, "RecommendRequest")
    for wrong in ({}, {"title": " "}, {"k": 3, "title": None}):
        with pytest.raises(ValidationError):
            valid(document, wrong, "RecommendRequest")


def test_files_are_text_to_whoever_generates_a_client(document):
    """Generators take the first media type, and all but one format are no JSON."""
    exported = document["paths"]["/api/v1/export/{format_name}"]["post"]["responses"]["200"]["content"]
    assert next(iter(exported)).startswith("text/")
    assert set(exported) == {export.media_type for export in FORMATS.values()}
    plain = {name for name, content in exported.items() if content["schema"] == {"type": "string"}}
    assert set(exported) - plain == {FORMATS["csl-json"].media_type}


def test_operations_are_called_by_what_they_do_to_what(document):
    called = {one["operationId"] for methods in document["paths"].values() for one in methods.values()}
    assert called == {
        *("post_recommend", "post_batch", "post_export", "get_papers", "get_indexes", "get_health"),
        *("post_queries", "get_queries", "delete_queries"),
    }


def test_headers_that_hold_more_than_the_body_are_described(client, document):
    exported = document["paths"]["/api/v1/export/{format_name}"]["post"]["responses"]["200"]["headers"]
    given = client.post("/api/v1/export/ris", json={**QUESTION, "already_cited": ["?", "?"]}).headers
    assert exported["X-Unknown"]["schema"]["type"] == "integer" and given["X-Unknown"] == "1"
    assert set(exported) <= set(given.keys())
    assert "Location" in document["paths"]["/api/v1/queries"]["post"]["responses"]["201"]["headers"]


def test_answers_are_as_the_document_says(client, document):
    answer = client.post("/api/v1/recommend", json={**QUESTION, "already_cited": ["bm25", "?"]}).get_json()
    assert answer["recommendations"]
    valid(document, answer, "RecommendAnswer")
    valid(document, client.get("/api/v1/papers/neural").get_json(), "PaperRecord")
    valid(document, client.get("/health").get_json(), "HealthAnswer")
    batch = {"queries": [{**QUESTION, "id": "mine"}, {"abstract": "Bread and flour"}]}
    valid(document, client.post("/api/v1/batch", json=batch).get_json(), "BatchAnswers")
    error = client.post("/api/v1/recommend", json={}).get_json()
    valid(document, error, "ErrorAnswer")
    with pytest.raises(ValidationError):
        valid(document, error, "RecommendAnswer")


def test_a_batch_answers_each_query_as_if_it_were_alone(client):
    queries = [{**QUESTION, "id": "mine", "k": 2}, {"abstract": "How flour becomes bread"}]
    first, second = client.post("/api/v1/batch", json={"queries": queries}).get_json()["answers"]
    assert (first["id"], second["id"]) == ("mine", "query-2")
    for answer, alone in ((first, {**QUESTION, "k": 2}), (second, {"abstract": queries[1]["abstract"]})):
        assert answer["recommendations"] == client.post("/api/v1/recommend", json=alone).get_json()["recommendations"]
    assert first["recommendations"] != second["recommendations"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ([], 'a list "queries" and nothing else'),
        ({"queries": [], "k": 3}, 'a list "queries" and nothing else'),
        ({"queries": []}, "1 to 100 queries, not 0"),
        ({"queries": [QUESTION] * 101}, "1 to 100 queries, not 101"),
        ({"queries": [QUESTION, 7]}, "query-2: the query must be a JSON object"),
        ({"queries": [QUESTION, {**QUESTION, "system": "x"}]}, "query-2: no system 'x': there are BM25; "),
        ({"queries": [QUESTION, {}]}, "query-2: the query has neither"),
        ({"queries": [{**QUESTION, "id": 3}]}, "query-1: id must be text"),
        ({"queries": [QUESTION, {**QUESTION, "k": 0}]}, "query-2: k must be from 1 to 1000"),
    ],
)
def test_wrong_batches_are_named(client, body, message):
    answer = client.post("/api/v1/batch", json=body)
    assert answer.status_code == 400
    assert message in answer.get_json()["error"]


def test_a_paper_comes_with_the_line_that_cites_it(client):
    record = client.get("/api/v1/papers/neural").get_json()
    assert record["citation"] == (
        "Lovelace, A., & Hopper, G. (2019). Neural ranking models for passage retrieval. SIGIR. "
        "https://doi.org/10.1000/neural"
    )
    strange = client.get('/api/v1/papers/id"><script>alert(5)</script>')
    assert strange.get_json()["id"] == 'id"><script>alert(5)</script>'
    missing = client.get("/api/v1/papers/10.1/none")
    assert missing.status_code == 404
    assert missing.get_json()["error"] == "the index has no paper '10.1/none'"
    for address in ("/a//b/", "%2Fa%2F%2Fb%2F"):
        slashes = client.get(f"/api/v1/papers/{address}")
        assert slashes.get_json()["error"] == "the index has no paper '/a//b/'"


@pytest.mark.parametrize(
    "name", ["10.1000/neural", "https://doi.org/10.1000/NEURAL", "neural ranking MODELS for passage retrieval"]
)
def test_a_paper_is_found_as_requests_may_name_it(client, name):
    assert client.get(f"/api/v1/papers/{name}").get_json()["id"] == "neural"
    assert client.get(f"/api/v1/papers/{quote(name, safe='')}").get_json()["id"] == "neural"
    assert client.get(f"/api/v1/papers/{'x' * 600}").status_code == 404


def test_errors_are_worded_as_on_the_command_line(client, tmp_path):
    queries = tmp_path / "q.jsonl"
    queries.write_text('{"title": "x", "year": "soon"}\n', encoding="utf-8")
    line = refused("recommend", queries, "--index", tmp_path).strip()
    answer = client.post("/api/v1/recommend", json={"title": "x", "year": "soon"}).get_json()["error"]
    assert (
        line.partition("line 1: ")[2] == answer.partition("request: ")[2] == "year must be a whole number, not 'soon'"
    )
    line = refused("recommend", queries, "--index", tmp_path, "--sources", "bing").strip()
    answer = client.post("/api/v1/recommend", json={"title": "x", "sources": ["bing"]}).get_json()["error"]
    assert line.replace("Error: --sources", "request: sources[0]") == answer


def test_every_whole_number_of_a_request_has_both_bounds(document):
    fields = document["components"]["schemas"]["RecommendRequest"]["properties"]
    numbers = {name: kind for name, one in fields.items() for kind in one["anyOf"] if kind["type"] == "integer"}
    assert {"k", "year", "min_citations", "bm25_terms"} <= set(numbers)
    assert [name for name, kind in numbers.items() if not {"minimum", "maximum"} <= set(kind)] == []
    assert numbers["min_citations"]["maximum"] == 1_000_000_000


def test_the_page_of_the_api_names_every_address_and_loads_no_script(client, document):
    page = client.get("/api/docs").text
    for path, methods in document["paths"].items():
        for method in methods:
            assert f"<code>{method.upper()} {path}</code>" in page
    assert "<script" not in page
    assert "at most 50,000 characters" in page


def test_figures_are_shown_only_where_asked_for(client, recommender):
    assert client.get("/metrics").status_code == 404
    shown = create_app(recommender, show_metrics=True).test_client()
    shown.post("/api/v1/recommend", json=QUESTION)
    shown.get(f"/{'x' * 30}")
    text = shown.get("/metrics").text
    samples = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert samples['citescout_requests_total{method="POST",route="/api/v1/recommend",status="200"}'] == "1.0"
    assert samples['citescout_requests_total{method="GET",route="unknown",status="404"}'] == "1.0"
    for stage in ("queue", "bm25", "graph", "blend", "reasons", "answer"):
        assert samples[f'citescout_stage_seconds_count{{stage="{stage}"}}'] == "1.0"
    assert samples["citescout_index_papers"] == "6.0"
    assert samples["citescout_questions_running"] == samples["citescout_questions_waiting"] == "0.0"
    assert QUESTION["title"] not in text
