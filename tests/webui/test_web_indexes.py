"""Several indexes on one server, each under addresses of its own."""

import re

import pytest
from flask import Flask
from small_index import recommender_of
from web_pages import listed
from web_sessions import ONE

from citescout.recommender import Recommender
from cli.main import main
from indexer.builds import build_index
from indexer.paper import Paper
from webui import create_app
from webui.answers import Limits
from webui.app import STATIC

COOKING = (
    Paper("bread", "Baking bread with a slow dough", year=2001),
    Paper("cake", "A cake without a dough", year=2011),
)


@pytest.fixture(scope="module")
def cooking(tmp_path_factory):
    return recommender_of(COOKING, tmp_path_factory.mktemp("cooking"))


@pytest.fixture
def client(recommender, cooking, tmp_path):
    return create_app({"search": recommender, "cooking": cooking}, sessions=tmp_path / "sessions").test_client()


def test_each_index_answers_under_its_name_and_the_first_without(client):
    text = {"text": "Slow dough for passage retrieval"}
    assert listed(client.post("/i/cooking/", data=text).text) == ["bread", "cake"]
    assert "neural" in listed(client.post("/i/search/", data=text).text)
    assert listed(client.post("/", data=text).text) == listed(client.post("/i/search/", data=text).text)
    assert client.get("/i/nothing/").status_code == 404
    record = client.post("/i/cooking/api/v1/recommend", json={"title": "dough"}).get_json()
    assert {paper["id"] for paper in record["recommendations"]} == {"bread", "cake"}
    assert client.get("/i/cooking/health").get_json()["papers"] == 2


def test_an_index_may_have_a_name_in_any_script(recommender, cooking, tmp_path):
    client = create_app({"search": recommender, "bäckerei": cooking}, sessions=tmp_path / "sessions").test_client()
    assert client.get("/i/b%C3%A4ckerei/health").get_json()["papers"] == 2
    for page in ("/", "/i/bäckerei/", f"/s/{ONE}/i/bäckerei/basket"):
        links = re.findall(r'(?:href|formaction)="((?:/s/[^/]+)?/i/bäckerei/)"', client.get(page).text)
        assert links
        assert "2 papers" in client.get(links[0]).text
    asked = client.post(f"/s/{ONE}/i/bäckerei/", data={"text": "slow dough"})
    assert "bread" in listed(client.get(asked.headers["Location"]).text)
    page = client.get("/i/bäckerei/").text
    assert re.search(r'action="/s/[^/]{22}/i/bäckerei/', page)
    assert "/s//" not in page


def test_addresses_that_are_passed_on_are_encoded(recommender, cooking, tmp_path):
    client = create_app({"search": recommender, "bäckerei": cooking}, permalinks=tmp_path).test_client()
    encoded = "/i/b%C3%A4ckerei"  # by RFC 3986
    made = client.post("/i/bäckerei/api/v1/queries", json={"title": "dough"})
    path = made.get_json()["path"]
    assert path.startswith(f"{encoded}/q/")
    assert made.headers["Location"] == f"{encoded}/api/v1/queries/{path.rpartition('/')[2]}"
    assert "bread" in listed(client.get(path).text)
    assert f">http://localhost{encoded}/q/" in client.post("/i/bäckerei/q", data={"title": "dough"}).text
    assert client.get("/i/bäckerei/api/v1/openapi.json").get_json()["servers"] == [{"url": encoded}]


def test_a_question_goes_along_to_another_index_and_is_not_asked_yet(client):
    typed = {"text": "Slow dough\n\nfor <passages>", "authors": "Ada Lovelace", "already_cited": "10.1/x", "k": "50"}
    page = client.post(f"/s/{ONE}/i/cooking/", data={**typed, "moved": "1"})
    assert page.status_code == 200
    assert listed(page.text) == []
    for shown in ("\nSlow dough\n\nfor &lt;passages&gt;</textarea>", 'value="Ada Lovelace"', "\n10.1/x</textarea>"):
        assert shown in page.text
    assert '<option value="50" selected>50' in page.text
    assert "asked nothing" in client.get(f"/s/{ONE}/history").text
    assert client.post(f"/s/{ONE}/i/cooking/", data={"text": "", "moved": "1"}).status_code == 200
    doi = {"text": "10.1000/neural", "moved": "1"}
    assert "10.1000/neural</textarea>" in client.post(f"/s/{ONE}/i/cooking/", data=doi).text


def test_ids_of_one_index_mean_nothing_in_another(recommender, tmp_path):
    build_index(
        (Paper("neural", "Baking bread"), Paper("x", "Other words", doi="10.1000/neural")), tmp_path, encoder=None
    )
    client = create_app({"search": recommender, "other": Recommender.open(tmp_path, reranker="none")}).test_client()
    assert 'name="moved" value="search"' in client.get("/i/search/").text
    cited = "neural, dense\r\nbm25\r\nstranger\r\nA title of some work"
    fields = {"text": "dough", "id": "neural", "liked": "neural", "disliked": "neural", "already_cited": cited}
    page = client.post("/i/other/", data={**fields, "moved": "search"}).text
    field = re.search(r'name="already_cited"[^>]*>\n(.*?)</textarea>', page, re.DOTALL)[1]
    names = ["x", "arXiv:2004.00001", "The probabilistic relevance framework", "stranger", "A title of some work"]
    assert field.lower().splitlines() == [name.lower() for name in names]
    for name in ("id", "liked", "disliked"):
        assert f'name="{name}" value=""' in page
    assert "steers nothing here" in page
    bibtex = "@book{neural,\n  title = {Bread},\n}"
    for pasted, before, carried in (
        (f"{bibtex}\nneural 10.1/x", "search", f"{bibtex}\nx\n10.1/x"),
        (f"dense\n{bibtex}", "search", f"{bibtex}\narxiv:2004.00001"),
        (f"{bibtex}\nneural 10.1/x", "nothing", f"{bibtex}\nneural 10.1/x"),
        (bibtex, "search", bibtex),
    ):
        moved = client.post("/i/other/", data={"text": "dough", "already_cited": pasted, "moved": before}).text
        assert f">\n{carried}</textarea>".lower() in moved.lower()


def test_a_paper_whose_id_has_spaces_is_cited_like_others(tmp_path):
    build_index(
        (Paper("Doe 2001", "Slow dough"), Paper("Roe 2002, b", "Slow bread"), COOKING[1]), tmp_path, encoder=None
    )
    client = create_app(Recommender.open(tmp_path, reranker="none")).test_client()
    asked = {"text": "slow dough cake bread", "k": "100"}
    shown = listed(client.post("/", data=asked).text)
    assert set(shown) == {"Doe 2001", "Roe 2002, b", "cake"}
    assert listed(client.post("/", data={**asked, "cite": "1", "papers": shown[:2]}).text) == shown[2:]
    cited = "\n".join(shown[:2])
    exported = client.post("/export/ris", data={"title": asked["text"], "already_cited": cited}).text
    assert exported.count("TY  -") == 1


def test_a_program_learns_which_indexes_there_are(recommender, cooking):
    client = create_app({"search": recommender, "bäckerei & co": cooking}).test_client()
    served = client.get("/api/v1/indexes").get_json()["indexes"]
    assert [(one["name"], one["papers"]) for one in served] == [("search", 6), ("bäckerei & co", 2)]
    for one, found in zip(served, ("neural", "bread"), strict=True):
        answer = client.get(f"{one['address']}/papers/{found}")
        assert (answer.status_code, one["address"].isascii()) == (200, True)
    assert client.get(f"{served[1]['address']}/indexes").get_json() == {"indexes": served}
    (only,) = create_app(cooking).test_client().get("/api/v1/indexes").get_json()["indexes"]
    assert only == {"name": "", "papers": 2, "address": "/api/v1"}


def test_a_programs_errors_are_json_under_the_address_of_an_index(client):
    for missing in ("/i/nothing/api/v1/recommend", "/i/cooking/api/v1/nothing", "/i/nothing/health"):
        assert client.post(missing, json={"title": "dough"}).get_json()["error"] == "there is no such page"
    assert client.get("/i/nothing/").mimetype == client.get("/api-of-ours").mimetype == "text/html"


def test_the_document_of_an_index_names_its_address(client):
    servers = [client.get(f"{root}/api/v1/openapi.json").get_json()["servers"] for root in ("/i/cooking", "")]
    assert servers == [[{"url": "/i/cooking"}], [{"url": "/"}]]


def test_the_same_question_to_two_indexes_of_one_generation_is_not_mixed_up(client):
    # The names of the generations are the same, and so are the question and the settings.
    for _ in range(2):
        assert "bread" in listed(client.post("/i/cooking/", data={"text": "dough of bread passage"}).text)
        assert "bread" not in listed(client.post("/i/search/", data={"text": "dough of bread passage"}).text)


def test_the_header_offers_them_with_size_and_age(client):
    page = client.get("/i/cooking/search").text
    assert re.search(r'href="/i/cooking/" aria-current="true">cooking</a> <span class="hint">2 papers', page)
    assert 'href="/i/search/">search' in page
    assert "2 papers, updated today" in page
    addresses = re.findall(r'(?:href|action)="(/[^"#]*)', page)
    own = [address for address in addresses if not address.startswith(("/i/search/", STATIC))]
    assert all(address.startswith("/i/cooking/") for address in own), own


def test_a_session_spans_indexes(client):
    client.post(f"/s/{ONE}/i/cooking/basket", data={"papers": "bread"})
    client.post(f"/s/{ONE}/i/search/basket", data={"papers": "neural"})
    basket = client.get(f"/s/{ONE}/basket").text
    assert "Baking bread" in basket
    assert "Neural ranking models" in basket
    asked = client.post(f"/s/{ONE}/i/cooking/", data={"text": "slow dough"}).headers["Location"]
    assert asked == f"/s/{ONE}/i/cooking/asked/1"
    moved = client.get(f"/s/{ONE}/asked/1")
    assert (moved.status_code, moved.headers["Location"]) == (303, asked)
    assert f'href="{asked}#results"' in client.get(f"/s/{ONE}/i/search/history").text


def test_indexes_share_one_queue(recommender, cooking):
    site = create_app({"a": recommender, "b": cooking}, limits=Limits(at_once=1)).extensions["citescout"]
    assert site.indexes["a"]._load is site.indexes["b"]._load


def test_a_single_index_has_no_choice(recommender):
    assert 'class="corpus indexes"' not in create_app(recommender).test_client().get("/").text


@pytest.fixture
def served(tmp_path, monkeypatch, capsys):
    """Runs `citescout serve` up to the point at which it would listen: exit code, output, application."""
    for name, papers in (("a", COOKING), ("b", COOKING[:1])):
        build_index(papers, tmp_path / name, encoder=None)
    apps: list[Flask] = []
    monkeypatch.setattr("webui.serve", lambda app, *_: apps.append(app))
    monkeypatch.setattr("webui.logs.configure", lambda *_: None)
    monkeypatch.setenv("CITESCOUT_DATA", str(tmp_path / "data"))

    def run(*arguments):
        code = 0
        try:
            main(["serve", "--port", "0", *arguments])
        except SystemExit as end:
            code = end.code
        return code, capsys.readouterr().err, apps[-1] if apps else None

    return run


def test_the_command_serves_several_indexes_with_sessions(served, tmp_path):
    code, output, app = served("--index", f"one={tmp_path / 'a'}", "--index", f"two={tmp_path / 'b'}")
    assert code == 0, output
    client = app.test_client()
    assert client.get("/i/one/health").get_json()["papers"] == 2
    assert client.get("/i/two/health").get_json()["papers"] == 1
    assert client.post(f"/s/{ONE}/i/two/basket", data={"papers": "bread"}).status_code == 303
    assert (tmp_path / "data" / "sessions" / "sessions.sqlite").exists()


def test_one_option_switches_sessions_off(served, tmp_path):
    code, output, app = served("--index", str(tmp_path / "a"), "--no-sessions")
    assert code == 0, output
    assert app.test_client().get(f"/s/{ONE}/basket").status_code == 404
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--index", "a", "--index", "b"], "several indexes need names that differ"),
        (["--index", "x=a", "--index", "x=b"], "several indexes need names that differ"),
        (["--index", "x/y=a", "--index", "z=b"], "'x/y' is not a name for an index"),
        (["--index", "a", "--no-sessions", "--sessions", "kept"], "exclude each other"),
        (["--index", "a", "--trusted-host", "https://a.example"], "'https://a.example' is not the name of a host"),
        (["--index", "a", "--prefix", "https://a.example/cite"], "is not a path such as /cite"),
        (["--index", "a", "--trusted-host", "*.example"], "'*.example' is not the name of a host"),
        (["--index", "a", "--trusted-host", "[2001:db8::7"], "'[2001:db8::7' is not the name of a host"),
    ],
)
def test_options_that_cannot_be_are_refused_before_anything_is_opened(served, arguments, message):
    code, output, app = served(*arguments)
    assert (code, app) == (2, None)
    assert message in output


@pytest.mark.parametrize("before", ["", "main"])
@pytest.mark.parametrize("after", [[""], ["main"], ["search", "cooking"]])
def test_questions_are_found_after_a_restart_with_and_without_names(recommender, cooking, tmp_path, before, after):
    served = {name: one for name, one in zip(after, (recommender, cooking), strict=False)}
    first = create_app({before: recommender}, sessions=tmp_path).test_client()
    first.post(f"/s/{ONE}/", data={"text": "Passage retrieval"})
    for client in (first, create_app(served, sessions=tmp_path).test_client()):
        address = re.search(r'href="([^"]*/asked/1)#results"', client.get(f"/s/{ONE}/history").text)[1]
        assert "neural" in listed(client.get(address, follow_redirects=True).text)
        assert "neural" in listed(client.get(f"/s/{ONE}/asked/1", follow_redirects=True).text)
        client.post(f"/s/{ONE}/asked/1/watch")
        assert "Stop watching" in client.get(f"/s/{ONE}/history").text


@pytest.mark.parametrize(("before", "after"), [("", ["search", "cooking"]), ("", ["main"]), ("main", [""])])
def test_the_basket_goes_on_after_a_restart_with_and_without_names(recommender, cooking, tmp_path, before, after):
    basket = f"/s/{ONE}/basket"
    first = create_app({before: recommender}, sessions=tmp_path).test_client()
    first.post(f"/s/{ONE}/", data={"text": "Passage retrieval"})
    first.post(basket, data={"papers": ["neural", "dense", "bm25"]})
    for paper in ("neural", "bm25"):
        first.post(f"{basket}/edit", data={f"note:{before}/{paper}": f"on {paper}"})
    keys = re.findall(r"@.*", first.post(f"{basket}/export/bibtex").text)
    first.post(f"{basket}/edit", data={"remove": f"{before}/bm25"})

    served = {name: one for name, one in zip(after, (recommender, cooking), strict=False)}
    client = create_app(served, sessions=tmp_path).test_client()
    page = client.get(f"/s/{ONE}/asked/1", follow_redirects=True).text
    assert set(re.findall(r'name="papers" value="(\w+)"[^>]* checked', page)) == {"neural", "dense"}
    client.post(basket, data={"papers": ["dense", "bm25"]})
    assert re.findall(r'name="pick" value="(.*?)"', client.get(basket).text) == [
        f"{after[0]}/{paper}" for paper in ("neural", "dense", "bm25")
    ]
    assert re.findall(r"@.*", client.post(f"{basket}/export/bibtex").text) == keys
    assert client.post(f"{basket}/export/bibtex").text.count("annote = {on ") == 2
    client.post(f"{basket}/edit", data={"remove": f"{before}/dense", f"note:{before}/neural": "of an old tab"})
    assert client.post(f"{basket}/export/bibtex").text.count("of an old tab") == 1
    cited = client.post(f"{basket}/edit", data={"cite": "1"}, follow_redirects=True).text
    assert not {"neural", "bm25"} & {*listed(cited)}
    assert "dense" in listed(cited)


def test_a_basket_waits_for_its_index_while_another_one_comes_first(recommender, cooking, tmp_path):
    """What was picked of the only index was that of the other from then on, also once its own came first."""
    basket = f"/s/{ONE}/basket"
    first = create_app(recommender, sessions=tmp_path).test_client()
    first.post(basket, data={"papers": ["neural", "dense", "bm25"]})
    first.post(f"{basket}/edit", data={"remove": "/bm25", "note:/dense": "on dense"})
    other = create_app({"cooking": cooking, "search": recommender}, sessions=tmp_path).test_client()
    assert other.get(basket).text.count("not in the index any more") == 2
    other.post(f"{basket}/edit", data={"remove": "/neural", "note:/dense": "on dense, changed"})
    again = create_app({"search": recommender, "cooking": cooking}, sessions=tmp_path).test_client()
    assert re.findall(r'name="pick" value="(.*?)"', again.get(basket).text) == ["search/dense"]
    assert again.post(f"{basket}/export/bibtex").text.count("annote = {on dense, changed}") == 1


@pytest.mark.parametrize("after", [[""], ["papers"], ["papers", "cooking"]])
def test_a_question_stays_when_its_index_is_not_served_any_more(recommender, cooking, tmp_path, after):
    """Its address was none, though the history linked there and had the whole text."""
    first = create_app({"lab": recommender, "cooking": cooking}, sessions=tmp_path).test_client()
    asked = {"text": "Passage retrieval", "k": "50", "liked": "dense", "already_cited": "10.1/x"}
    first.post(f"/s/{ONE}/i/lab/", data=asked)
    served = {name: one for name, one in zip(after, (recommender, cooking), strict=False)}
    client = create_app(served, sessions=tmp_path).test_client()
    address = re.search(r'href="([^"]*/asked/1)#results"', client.get(f"/s/{ONE}/history").text)[1]
    page = client.get(address).text
    assert "This was asked of the index lab, which is not served any more" in page
    for kept in ("\nPassage retrieval</textarea>", '<option value="50" selected>50', "\n10.1/x</textarea>"):
        assert kept in page
    assert listed(page) == []
    assert "neural" in listed(client.post(f"/s/{ONE}/", data={**asked, "liked": ""}, follow_redirects=True).text)
    bookmarked = client.get(f"/s/{ONE}/i/lab/asked/1")
    assert bookmarked.status_code == 404
    assert "No index of this name is served here, or not any more" in bookmarked.text


def test_the_basket_is_cited_by_a_question_whose_index_is_not_served_any_more(recommender, cooking, tmp_path):
    first = create_app({"lab": recommender, "cooking": cooking}, sessions=tmp_path).test_client()
    first.post(f"/s/{ONE}/i/lab/", data={"text": "Passage retrieval"})
    first.post(f"/s/{ONE}/i/lab/basket", data={"papers": ["neural"]})
    client = create_app({"papers": recommender}, sessions=tmp_path).test_client()
    answer = client.post(f"/s/{ONE}/basket/edit", data={"cite": "1"}, follow_redirects=True)
    assert (answer.status_code, "which is not served any more" in answer.text) == (200, True)
    assert "\nneural</textarea>" in answer.text
