"""Generated requests, and corpora that are out to break the page.

`FUZZ_REQUESTS` and `FUZZ_PAPERS` change how many, for a quick look.
"""

import io
import json
import os
import re
from collections import Counter
from dataclasses import asdict, replace
from pathlib import Path
from urllib.parse import quote

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, example, given, settings
from hypothesis import strategies as st
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from small_index import recommender_of
from web_pages import Text

from exports import FORMATS
from indexer.paper import Paper
from indexer.readers import read_papers
from webui import create_app
from webui.app import STATIC

REQUESTS = int(os.environ.get("FUZZ_REQUESTS", "10000"))
PAPERS = int(os.environ.get("FUZZ_PAPERS", "1000"))
CHECKS = [
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
]
HEADERS = ("Content-Security-Policy", "X-Content-Type-Options", "Referrer-Policy", "X-Request-ID", "Cache-Control")
ANY_NUMBER = settings(
    database=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.mark.slow
def test_generated_requests_are_answered_as_the_document_says(recommender, tmp_path):
    app = create_app(recommender, permalinks=tmp_path / "links")
    right = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", app)
    wrong = schemathesis.openapi.from_dict(without_patterns(right.raw_schema))
    wrong.app = app
    seen: Counter[tuple[str, int]] = Counter()

    def ask(operation, mode, count):
        @settings(ANY_NUMBER, max_examples=count)
        @given(operation.as_strategy(generation_mode=mode))
        def one(case):
            response = case.call()
            seen[operation.label, response.status_code] += 1
            assert response.status_code < 500, case.as_curl_command()
            assert all(name.lower() in response.headers for name in HEADERS), case.as_curl_command()
            if response.status_code not in {405, 308}:  # of a path that is another one when decoded
                case.validate_response(response, checks=CHECKS)

        one()

    operations = [found.ok() for found in right.get_all_operations()]
    asked = [(operation, GenerationMode.POSITIVE) for operation in operations]
    # Where there is no body nothing can be of the wrong type.
    asked += [(found.ok(), GenerationMode.NEGATIVE) for found in wrong.get_all_operations() if found.ok().body]
    while sum(seen.values()) < REQUESTS:
        for operation, mode in asked:
            ask(operation, mode, max(REQUESTS // len(asked), 20))
    answered = {label for label, status in seen if status < 300}
    assert {"POST /api/v1/recommend", "POST /api/v1/batch", "POST /api/v1/export/{format_name}"} <= answered
    assert len({label for label, _ in seen}) == len(operations)
    print(sum(seen.values()), "requests:", dict(sorted(seen.items())))  # noqa: T201


def without_patterns(document):
    """The document without the rule that there is some text: Hypothesis cannot break it together with a length."""
    schemas = {
        name: {key: value for key, value in schema.items() if key != "not"}
        for name, schema in document["components"]["schemas"].items()
    }
    return {**document, "components": {**document["components"], "schemas": schemas}}


ATTACKS = [
    "<script>alert(1)</script>", "</script><script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "<!--", "-->",
    "<svg/onload=alert(1)>", "javascript:alert(1)", "JaVaScRiPt:alert(1)", "data:text/html,<script>alert(1)</script>",
    "{{7*7}}", "{% include 'x' %}", "]]>", "&lt;script&gt;", "&#60;script&#62;", "\u202e", "\x00", "\x1b[2J", "\ud800",
    "\ufeff", "'", '"', "`", "=cmd|' /C calc'!A0", "\\input{/etc/passwd}", "@article{", "ER  - \n", "</title>",
    "%0d%0aSet-Cookie: a=b", "\r\nSet-Cookie: a=b", "<a href='javascript:alert(1)'>", "https://a/\"onmouseover=",
    "<math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>", "<base href=//evil.example>",
    "<meta http-equiv=refresh content=0;url=//evil.example>", "<textarea>", "<plaintext>",
]  # fmt: skip
HOSTILE = st.lists(st.sampled_from(ATTACKS) | st.text(max_size=20), max_size=5).map(" ".join)
PLAIN = "retrieval of passages"
HOSTILE_PAPERS = st.builds(
    Paper,
    id=HOSTILE,
    title=HOSTILE.map(lambda text: f"{PLAIN} {text}"),
    abstract=HOSTILE,
    year=st.none() | st.integers(-9999, 9999),
    authors=st.lists(HOSTILE, max_size=3).map(tuple),
    venue=HOSTILE,
    doi=HOSTILE,
    arxiv=HOSTILE,
    url=HOSTILE | HOSTILE.map("https://example.org/{}".format),
)


SESSION = "A" * 22
VALUES = HOSTILE | st.sampled_from(["", "neural", "/neural", "1", "year", "from_year=2000", "k=-1", "9" * 40, PLAIN])
NAMES = (
    *(
        "text",
        "title",
        "abstract",
        "id",
        "year",
        "k",
        "already_cited",
        "from_year",
        "venues",
        "min_citations",
        "not_by",
    ),
    *("hide_known", "diversity", "recency", "liked", "disliked", "system", "papers", "cite", "steer", "shown", "like"),
    *("dislike", "forget", "sort", "filter", "of", "remove", "cited", "pick", "note", "empty", "save", "q", "example"),
    *("context", "gold", "sentence", "at", "part", "panel", "note", "paper", "path", "claims", "review"),
)
PAGES = ("/", "/asked/1", "/asked/{}", "/basket", "/basket/edit", "/basket/export/csv", "/basket/export/{}", "/history",
         "/history/empty", "/session/delete", "/api/map", "/search", "/api/paper-search", "/api/paper", "/api/file",
         "/api/stream", "/similar", "/check", "/checked/1", "/checked/{}", "/manuscript", "/manuscript/1",
         "/manuscript/{}", "/manuscript/1/pick", "/manuscript/1/bibliography", "/manuscript/1/delete",
         "/manuscript/1/review", "/manuscript/1/review/html", "/manuscript/1/review/{}", "/asked/1/watch",
         "/asked/{}/watch", "/watched")  # fmt: skip
FORMS = st.lists(st.tuples(st.sampled_from(NAMES), VALUES), max_size=6)
ROOTS = st.sampled_from(["", f"/s/{SESSION}", f"/s/{'B' * 22}", f"/s/{SESSION}/i/other", "/i/other", "/i/x", "/s/x"])


def manuscript(text):
    return f"\\title{{{PLAIN}}}\\section{{{text}}}{PLAIN} {text} \\cite{{{text}}}".encode("utf-8", "replace")


@pytest.mark.long
@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("count", [200, pytest.param(REQUESTS, marks=pytest.mark.slow)])
def test_no_form_breaks_the_page(recommender, tmp_path, count, keeps):
    indexes = {"": recommender, "other": recommender}
    client = create_app(indexes, sessions=tmp_path if keeps else None, browser_storage=True).test_client()
    seen: Counter[int] = Counter()
    kept = {"file": (io.BytesIO(manuscript(ATTACKS[2])), "a.tex")}
    assert client.post(f"/s/{SESSION}/manuscript", data=kept).status_code == (303 if keeps else 404)

    # A few hundred draws need not hold a question that leads to an address, nor one that is refused.
    @example(f"/s/{SESSION}", "/", "", [("text", PLAIN)], "POST", False)
    @example("", "/", "", [("text", PLAIN), ("year", "x")], "POST", False)
    @settings(ANY_NUMBER, phases=[Phase.explicit, Phase.generate], max_examples=count)
    @given(ROOTS, st.sampled_from(PAGES), VALUES, FORMS, st.sampled_from(["GET", "POST"]), st.booleans())
    def ask(root, page, value, form, method, as_file):
        fields: dict[str, list[object]] = {}
        for name, text in form:
            fields.setdefault(name, []).append(text.encode("utf-8", "replace").decode())
        if as_file and method == "POST":
            fields["file"] = [(io.BytesIO(value.encode("utf-8", "replace")), "a.bib")]
            if page in {"/manuscript", "/api/file"}:
                name = f"{value[:20]}/a.tex".encode("utf-8", "replace").decode()  # as a browser can send it
                fields["file"].append((io.BytesIO(manuscript(value)), name))
        sent = {"data": fields} if method == "POST" else {"query_string": fields}
        answer = client.open(root + quote(page.format(value[:20]), errors="replace"), method=method, **sent)
        seen[answer.status_code] += 1
        assert answer.status_code < 500, (root, page, form)
        assert all(name in answer.headers for name in HEADERS)

    ask()
    assert {200, 400, 404, *([303] if keeps else [])} <= set(seen)


TEMPLATES = Path(__file__).parents[2] / "webui" / "templates"
OF_THE_PAGE = {tag for file in TEMPLATES.glob("*.html") for tag in re.findall(r"<([a-z]\w*)", file.read_text("utf-8"))}


def harmless(html):
    for tag, attributes in Text(html).elements:
        assert tag in OF_THE_PAGE, tag
        for name, value in attributes.items():
            assert not name.startswith("on"), (tag, name)
            assert name != "style", tag
            if name in {"href", "src", "action", "formaction"}:
                assert value.startswith(("/", "#", "http://", "https://")), value
            if name == "src":
                assert value.startswith(f"{STATIC}/"), value


@pytest.mark.slow
def test_hostile_corpora_are_only_text(tmp_path):
    kept: list[Paper] = []

    @settings(ANY_NUMBER, max_examples=PAPERS)
    @given(st.lists(HOSTILE_PAPERS, min_size=1, max_size=4))
    def collect(some):
        # Each example counts only if it is kept: no id may come twice, and a list has papers of one title only once.
        for number, paper in enumerate(some, len(kept)):
            kept.append(replace(paper, id=f"{paper.id}{number}", title=f"{paper.title} {number}"))

    collect()
    source = tmp_path / "papers.jsonl"
    source.write_text("".join(json.dumps(asdict(paper)) + "\n" for paper in kept), encoding="utf-8")
    kept = list(read_papers([str(source)]))[:PAPERS]  # without those that are no Unicode
    assert len(kept) == PAPERS
    recommender = recommender_of(kept, tmp_path / "index")
    client = create_app(recommender).test_client()
    ids: set[str] = set()
    for start in range(0, len(kept), 100):
        words = " ".join(paper.title for paper in kept[start : start + 100])[:1500]
        question = {"title": f"{PLAIN} {words}".encode("utf-8", "replace").decode(), "k": 1000}
        answer = client.post("/api/v1/recommend", json=question)
        assert answer.status_code == 200, answer.text
        ids |= {entry["id"] for entry in answer.get_json()["recommendations"]}
        page = client.post("/api/v1/recommend", json=question, headers={"Accept": "text/html"})
        harmless(page.text)
    assert len(ids) > 0.9 * recommender.info.papers
    page = client.post("/", data={"title": PLAIN, "k": "1000"})
    harmless(page.text)
    assert [script["src"] for script in Text(page.text).named("script")] == [f"{STATIC}/app.js"]
    for name in FORMATS:
        exported = client.post(f"/api/v1/export/{name}", json={"title": PLAIN, "k": 1000})
        assert exported.status_code == 200
        assert "\x1b" not in exported.text
        assert "Set-Cookie" not in exported.headers
    for identity in sorted(ids)[:200]:
        assert client.get("/api/v1/papers/" + quote(identity, safe="")).status_code in {200, 308, 404}
