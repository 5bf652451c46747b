"""What docs/security.md promises; the numbers there are of OWASP ASVS 5.0."""

import ast
import re
import socket
from itertools import product
from pathlib import Path
from urllib.parse import urljoin

import pytest

from cli.serve import _host_name
from exports import FORMATS
from manuscripts.manuscript import Manuscript, Paragraph, Section, Sentence
from webui import create_app
from webui.api_keys import key_line, new_key
from webui.app import STATIC

ROOT = Path(__file__).parents[2]
SESSION = f"/s/{'A' * 22}"
QUESTION = {"title": "Passage retrieval with neural ranking"}
ANSWERED = [
    ("GET", "/", {}),
    ("POST", "/", {"data": QUESTION}),
    ("POST", "/", {"data": {"title": ""}}),
    ("GET", "/nothing", {}),
    ("GET", f"{STATIC}/app.js", {}),
    ("GET", f"{STATIC}/nothing.js", {}),
    ("GET", "/health", {}),
    ("GET", "/metrics", {}),
    ("GET", "/api/docs", {}),
    ("GET", "/api/v1/openapi.json", {}),
    ("GET", "/api/v1/papers/neural", {}),
    ("GET", "/api/v1/papers/nothing", {}),
    ("GET", "/api/v1/recommend", {}),
    ("POST", "/api/v1/recommend", {"json": QUESTION}),
    ("POST", "/api/v1/recommend", {"json": QUESTION, "headers": {"Accept": "text/html"}}),
    ("POST", "/api/v1/recommend", {"data": b"{", "content_type": "application/json"}),
    ("POST", "/api/v1/recommend", {"data": b"x" * 3_000_000, "content_type": "application/json"}),
    ("POST", "/api/v1/recommend", {"data": b"x", "content_type": "text/xml"}),
    ("POST", "/api/v1/recommend", {"json": QUESTION, "headers": {"Origin": "https://evil.example"}}),
    ("POST", "/api/v1/batch", {"json": {"queries": [QUESTION]}}),
    ("POST", "/api/v1/queries", {"json": QUESTION}),
    ("DELETE", "/api/v1/queries/x", {}),
    ("GET", "/q/x", {}),
    ("GET", f"{SESSION}/", {}),
    ("POST", f"{SESSION}/", {"data": QUESTION}),
    ("GET", f"{SESSION}/asked/1", {}),
    ("GET", f"{SESSION}/basket", {}),
    ("POST", f"{SESSION}/basket", {"data": {"papers": "neural"}}),
    ("POST", f"{SESSION}/basket/export/bibtex", {}),
    ("GET", f"{SESSION}/history", {}),
    ("POST", f"{SESSION}/manuscript", {"data": {}}),
    ("GET", f"{SESSION}/manuscript/1", {}),
    ("GET", f"{SESSION}/manuscript/1?sentence=1", {}),
    ("GET", f"{SESSION}/manuscript/1?sentence=1&panel=1", {}),
    ("GET", f"{SESSION}/manuscript/2", {}),
    ("POST", f"{SESSION}/manuscript/1/pick", {"data": {"paper": "neural"}}),
    ("POST", f"{SESSION}/manuscript/1/bibliography", {"data": {"papers": "neural"}}),
    ("POST", f"{SESSION}/manuscript/1/delete", {}),
    ("GET", "/check", {}),
    ("GET", "/similar?id=bm25", {}),
    ("GET", "/api/paper?name=bm25", {}),
    ("GET", "/search?q=passage", {}),
    ("GET", "/api/paper-search?q=passage", {}),
    ("GET", "/health", {"headers": {"Host": "evil.example"}}),
    *(("POST", f"/api/v1/export/{name}", {"json": QUESTION}) for name in FORMATS),
]


@pytest.fixture
def client(recommender, tmp_path):
    app = create_app(
        recommender, trusted_hosts=["localhost"], permalinks=tmp_path / "links", sessions=tmp_path / "kept"
    )
    kept = Manuscript("Reading passages", sections=(Section("", 1, (Paragraph((Sentence("We read."),)),)),))
    app.extensions["citescout"].sessions.manuscripts.keep(SESSION.removeprefix("/s/"), "draft", kept)
    return app.test_client()


@pytest.mark.parametrize(("method", "address", "options"), ANSWERED)
def test_every_answer_has_every_header(client, method, address, options):
    answer = client.open(address, method=method, **options)
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    for directive in ("default-src", "object-src", "base-uri", "frame-ancestors"):
        assert policy[directive] == "'none'"
    assert "unsafe" not in answer.headers["Content-Security-Policy"]
    assert policy["script-src"] == policy["style-src"] == "'self'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains"
    assert answer.headers["X-Request-ID"]
    assert "Access-Control-Allow-Origin" not in answer.headers
    assert "Set-Cookie" not in answer.headers
    assert answer.status_code < 500
    if "/static/" not in address:
        assert answer.headers["Cache-Control"] == "no-store"
    kind = answer.headers["Content-Type"]
    assert not kind.startswith("text/") or kind.endswith("; charset=utf-8")


def test_who_asks_under_another_name_is_told_what_the_operator_can_do(client):
    assert client.get("/", headers={"Host": "localhost:8000"}).status_code == 200
    for address in ("/", "/health"):
        answer = client.get(address, headers={"Host": "other.example"})
        assert (answer.status_code, "--trusted-host NAME" in answer.text) == (400, True)
    assert list(answer.get_json()) == ["error", "request_id"]


@pytest.mark.parametrize("keys", [False, True])
def test_whatever_else_is_wrong_another_name_is_said_first(recommender, tmp_path, caplog, keys):
    file = tmp_path / "keys.txt"
    file.write_text(key_line("ada", new_key()))
    app = create_app(recommender, trusted_hosts=["localhost"], sessions=tmp_path / "kept", keys=file if keys else None)
    addresses = ("/", f"{SESSION}/history", "/health", "/api/v1/recommend", f"{STATIC}/app.css")
    for address, wrong in product(addresses, ({}, {"Sec-Fetch-Site": "cross-site"}, {"Content-Encoding": "gzip"})):
        answer = app.test_client().post(address, data={"text": "a"}, headers={"Host": "www.localhost", **wrong})
        assert (answer.status_code, "--trusted-host NAME" in answer.text) == (400, True), (address, wrong)
        assert "frame-ancestors 'none'" in answer.headers["Content-Security-Policy"]
        assert answer.headers["Strict-Transport-Security"]
        assert answer.headers["X-Request-ID"]
    assert caplog.text == ""


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_files_are_downloads_with_names_of_our_own(client, name):
    answer = client.post(f"/api/v1/export/{name}", json={**QUESTION, "papers": ["dense", 'a"; filename="b.exe']})
    ending = FORMATS[name].ending
    assert answer.headers["Content-Disposition"] == f'attachment; filename="citescout.{ending}"'


CROSS_SITE = [
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site", "Origin": "http://other.localhost"},
    {"Origin": "https://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://[localhost"},
]


CHANGING = (
    *("basket", "basket/edit", "history/empty", "api/stream"),
    *("manuscript/1/pick", "manuscript/1/bibliography", "manuscript/1/delete"),
)
CHANGES = [f"{SESSION}/", *(f"{SESSION}/{page}" for page in CHANGING)]


@pytest.mark.parametrize("headers", CROSS_SITE)
@pytest.mark.parametrize(
    "address",
    [
        *("/", "/export/csv", "/q", "/q/x/delete"),
        *("/api/v1/recommend", "/api/v1/export/csv", "/api/v1/queries"),
        *CHANGES,
    ],
)
def test_pages_of_other_sites_cannot_ask(client, headers, address):
    assert client.post(address, data=QUESTION, headers=headers).status_code == 403
    own = {"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost"}
    body = {"json": QUESTION} if address.startswith("/api/") else {"data": {**QUESTION, "paper": "neural"}}
    assert client.post(address, headers=own, **body).status_code in {200, 201, 303, 404}


def test_names_of_hosts_are_trusted_in_any_case(client, recommender):
    own = create_app(recommender, trusted_hosts=["Cite.Example"]).test_client()
    for origin in ("https://Cite.Example", "https://cite.example"):
        headers = {"Host": "Cite.Example", "Origin": origin}
        assert own.post("/", data=QUESTION, headers=headers).status_code == 200
    assert client.get("/health", headers={"Host": "LocalHost:8080"}).status_code == 200
    headers = {"Host": "LOCALHOST:8080", "Origin": "http://localhost:8080"}
    assert client.post("/", data=QUESTION, headers=headers).status_code == 200


@pytest.mark.parametrize("named", ["[2001:db8::7]", "2001:DB8::7"])
def test_a_proxy_may_be_asked_by_an_ipv6_address(recommender, named):
    own = create_app(recommender, trusted_hosts=[_host_name(named)]).test_client()
    for host, status in (("[2001:db8::7]", 200), ("[2001:db8::7]:8443", 200), ("[2001:db8::8]", 400), ("2001", 400)):
        assert own.get("/health", headers={"Host": host}).status_code == status


def test_who_runs_a_proxy_that_drops_the_port_is_told_so(client):
    for host, status in (("localhost", 403), ("localhost:8080", 200)):
        headers = {"Host": host, "Origin": "http://localhost:8080"}  # as older browsers, or those of a page without TLS
        answer = client.post("/", data=QUESTION, headers=headers)
        assert (answer.status_code, "has to pass on Host, with its port" in answer.text) == (status, status == 403)


def test_nothing_changes_by_a_safe_method(client):
    stored = client.post("/api/v1/queries", json=QUESTION).get_json()
    client.post(f"{SESSION}/basket", data={"papers": "neural"})
    client.post(f"{SESSION}/", data=QUESTION)
    for method in ("GET", "HEAD", "OPTIONS"):
        client.open(f"{SESSION}/?title=Another+retrieval&cite=1&papers=dense", method=method)
        client.open(f"{SESSION}/basket?papers=dense&remove=1", method=method)
        pick = "manuscript/1/pick?paper=dense"
        for page in (
            "basket/edit?empty=1",
            "history/empty",
            pick,
            "manuscript/1/delete",
            "manuscript/1?remove=1",
            "asked/1/watch?remove=1",
            "watched",
        ):
            assert client.open(f"{SESSION}/{page}", method=method).status_code in {200, 405}
    assert client.get(f"{SESSION}/asked/1").status_code == 200
    assert client.get(f"{SESSION}/asked/2").status_code == 404
    assert client.get(f"{SESSION}/basket").text.count("pick-title") == 1
    assert client.get(f"{SESSION}/manuscript/1").status_code == 200
    for address in (f"{stored['path']}/delete", f"/api/v1/queries?title={QUESTION['title']}"):
        for method in ("GET", "HEAD", "OPTIONS"):
            client.open(address, method=method, headers={"X-Deletion-Key": stored["deletion_key"]})
    assert client.get(stored["path"]).status_code == 200


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "INVENTED"])
def test_methods_that_no_view_takes_are_refused(client, method):
    for address in ("/", "/api/v1/recommend", f"{STATIC}/app.js"):
        assert client.open(address, method=method).status_code == 405


@pytest.mark.parametrize(
    "address", ["//evil.example/", "//evil.example/..", "/\\evil.example", "/https://evil.example/"]
)
def test_no_redirect_leads_elsewhere(client, address):
    answer = client.open(address)
    location = urljoin("http://localhost/", answer.headers.get("Location", "/").replace("\\", "/"))
    assert location.startswith("http://localhost/")


@pytest.mark.parametrize(
    "address",
    [f"{STATIC}/", f"{STATIC}/../app.py", f"{STATIC}/%2e%2e/app.py", "/static/app.js", "/.git/config", "/webui/app.py"],
)
def test_only_files_of_the_page_are_served(client, address):
    assert client.get(address).status_code == 404


@pytest.mark.parametrize("text", ["{{ 7 * 7 }} retrieval", "{% raw %}", "%s%n{0}${7*7}#{7*7} retrieval"])
def test_text_is_never_a_template(client, text):
    page = client.post("/", data={"title": text}).text
    assert text in page
    assert client.post("/api/v1/recommend", json={"title": text}).get_json()["query"]["title"] == text


INJECTIONS = ["' OR 1=1 --", '"; DROP TABLE papers; --', "neural' UNION SELECT 1,2 --", "%", "_", "\0", "*", "title:*~"]


@pytest.mark.parametrize("text", INJECTIONS)
def test_ids_and_words_are_never_query_language(client, text):
    assert client.get("/api/v1/papers/" + text.replace("%", "%25")).status_code == 404
    answer = client.post("/api/v1/recommend", json={"title": text + " retrieval", "already_cited": [text]})
    assert answer.status_code == 200
    assert client.get("/api/v1/papers/neural").status_code == 200


def test_headers_of_proxies_are_not_believed(client):
    forged = {"X-Forwarded-Host": "evil.example", "X-Forwarded-For": "1.2.3.4", "X-Forwarded-Proto": "http"}
    answer = client.post("/q", data=QUESTION, headers=forged)
    assert "evil.example" not in answer.text
    assert "https://localhost/q/" in answer.text


def test_repeated_fields_are_not_mixed(client):
    form = {"title": ["Passage retrieval", "Bread"], "k": ["2", "5"]}
    exported = client.post("/export/ris?title=other&k=1", data=form).text
    assert exported == client.post("/export/ris", data={"title": "Passage retrieval", "k": "2"}).text
    assert exported.count("TY  -") == 2
    doubled = client.post(
        "/api/v1/recommend", data=b'{"title": "a", "title": "Bread"}', content_type="application/json"
    ).get_json()
    assert doubled["query"]["title"] == "Bread"  # as JSON parsers do: the last counts


def test_answering_opens_no_connection(client, monkeypatch):
    def refuse(*_arguments):
        pytest.fail("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    cited = ["http://169.254.169.254/latest/meta-data", "https://doi.org/10.1000/neural", "file:///etc/passwd"]
    assert client.post("/api/v1/recommend", json={**QUESTION, "already_cited": cited}).status_code == 200


def called_names(tree):
    """Names of what is called or imported anywhere in a file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            module = getattr(node, "module", None)
            yield from ([module] if module else [alias.name for alias in node.names])


FORBIDDEN = {"eval", "exec", "compile", "os.system", "os.popen", "subprocess", "pickle", "marshal", "shelve", "yaml",
             "render_template_string", "Markup", "markupsafe"}  # fmt: skip


def test_the_server_runs_no_text_and_reads_no_pickles():
    files = [*(ROOT / "webui").glob("**/*.py"), *(ROOT / "exports").glob("**/*.py")]
    assert len(files) > 30
    for file in files:
        names = set(called_names(ast.parse(file.read_text("utf-8"))))
        assert not names & FORBIDDEN, file.name


def test_templates_switch_escaping_off_for_rendered_templates_only():
    unescaped = [
        (file.name, found)
        for file in (ROOT / "webui" / "templates").glob("*.html")
        for found in re.findall(r"\{\{([^}]*)\|\s*safe\b|autoescape", file.read_text("utf-8"))
    ]
    assert unescaped == [("index.html", " answer")]


SCRIPT_DANGERS = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|localStorage|" \
    r"sessionStorage|indexedDB|document\.cookie|postMessage|__proto__|\.html\("  # fmt: skip
# d3's selections can write HTML when they are told to, by .html(); the one script that stores is used by --no-sessions.
EXPECTED_DANGERS = {"d3.js": {"innerHTML"}, "storage.js": {"localStorage"}}


def test_scripts_write_text_and_one_may_store():
    for file in (ROOT / "webui" / "static").glob("*.js"):
        assert set(re.findall(SCRIPT_DANGERS, file.read_text("utf-8"))) == EXPECTED_DANGERS.get(file.name, set()), (
            file.name
        )


def test_the_page_has_no_inline_script_or_style(client):
    for answer in (
        client.post("/", data=QUESTION),
        client.get("/api/docs"),
        client.get("/nothing"),
        client.get(f"{SESSION}/manuscript/1?sentence=1"),
    ):
        assert not re.search(r"<script(?![^>]* src=)|<style|<[^>]*\s(style|on[a-z]+)=|<[^>]*javascript:", answer.text)


def test_debugging_is_off(client):
    app = client.application
    assert not app.debug
    assert not app.testing
    assert app.config["PROPAGATE_EXCEPTIONS"] is None
    assert client.get("/console").status_code == 404


def test_the_checklist_names_tests_that_exist():
    checklist = (ROOT / "docs" / "security.md").read_text("utf-8")
    named = set(re.findall(r"`(test_\w+)`", checklist))
    defined = {
        name
        for file in (ROOT / "tests").glob("**/*.py")
        for name in re.findall(r"^def (test_\w+)", file.read_text("utf-8"), re.MULTILINE)
    }
    assert len(named) > 40
    assert named - defined == set()
    lines = [line for line in checklist.splitlines() if re.match(r"\| [0-9]+\.", line)]
    assert len(lines) > 60
    assert all(len(line.split("|")) == 5 and line.split("|")[3].strip() for line in lines)
