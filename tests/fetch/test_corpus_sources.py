"""What is asked of each API, within its limits, and how long is waited between requests."""

import json
import time
from dataclasses import replace
from datetime import date
from itertools import chain

import pytest
import world
from bibliography import IDS

from common.errors import FetchError
from fetch.client import RefusedError
from fetch.corpus.agreement import chosen
from fetch.corpus.answers import Answers
from fetch.corpus.apis import APIS, ApiOptions
from fetch.corpus.collecting import collect
from fetch.corpus.interface import BudgetSpent, Page, Work
from fetch.corpus.sources.arxiv import preprints
from fetch.selection import Selection
from indexer.paper import Imprint, Paper
from indexer.readers import read_papers

KEYS = {"openalex": "alex-key", "semantic-scholar": "s2-key", "opencitations": "token"}


@pytest.fixture
def answers(tmp_path):
    with Answers.kept_in(tmp_path / "fetched", 10_000) as kept:
        yield kept


@pytest.fixture
def api_options(openalex, apis):
    urls = {name: f"{apis.url}/{name}" for name in ("crossref", "opencitations", "arxiv")}
    urls |= {"openalex": openalex.url, "semantic-scholar": f"{apis.url}/s2"}
    return ApiOptions({}, base_urls=urls, requests_per_second=1000, backoff=0, tries=3, timeout=5)


ID_OF = {"openalex": world.w, "semantic-scholar": world.sha, "crossref": world.doi}


@pytest.mark.parametrize("name", ID_OF)
def test_a_work_is_what_the_api_says_of_it(api_options, answers, name):
    source, id_of = api_options.source(name, answers), ID_OF[name]
    known = world.BY_ID[IDS[4]]
    doi = world.doi(known["id"])
    work = source.by_doi([doi, "10.5555/unknown"])[doi]
    assert list(source.by_doi([doi, "10.5555/unknown"])) == [doi]
    paper = work.paper
    assert (paper.id, paper.title, paper.year) == (id_of(known["id"]), known["title"], known["year"])
    assert (paper.doi, paper.authors) == (doi, tuple(known["authors"]))
    assert paper.abstract.split() == known["abstract"].split()
    assert set(paper.citations) == set(map(id_of, world.CITED[known["id"]]))
    assert work.times_cited == len(world.CITING[known["id"]])
    assert source.has_id(paper.id)
    assert not source.has_id("vaswani2017attention")
    citing = {citing for one in source.citing([work]) for page in one for citing, _ in page.links}
    assert citing == set(map(id_of, world.CITING[known["id"]]))
    found = source.by_title(replace(paper, title=paper.title.upper()))
    assert paper.id in {one.paper.id for one in found}


@pytest.mark.parametrize("name", ID_OF)
def test_only_citing_works_that_are_newer_or_may_be_registered_since_are_listed(api_options, answers, openalex, name):
    source, id_of = api_options.source(name, answers), ID_OF[name]
    openalex.plan = False
    cited = max(IDS, key=lambda id_: len(world.CITING[id_]))
    work = Work(Paper(id_of(cited), "T"))
    years = sorted(world.BY_ID[other]["year"] for other in world.CITING[cited])
    since = date(years[len(years) // 2] + 1, 1, 1)
    listed = {citing for one in source.citing([work], since) for page in one for citing, _ in page.links}
    newer = {id_of(other) for other in world.CITING[cited] if world.BY_ID[other]["year"] >= since.year}
    assert listed == newer
    assert 0 < len(newer) < len(world.CITING[cited])
    registered_late = date(years[-1], 8, 20)  # what is of June of that year may have been registered since
    listed = {citing for one in source.citing([work], registered_late) for page in one for citing, _ in page.links}
    assert id_of(max(world.CITING[cited], key=lambda id_: world.BY_ID[id_]["year"])) in listed


def test_semantic_scholar_is_asked_for_five_hundred_works_at_a_time(api_options, answers, apis):
    source = api_options.source("semantic-scholar", answers)
    ids = [world.sha(f"unknown {number}") for number in range(700)] + [world.sha(IDS[0])]
    found = list(source.works(ids))
    assert [len(works) for works in found] == [0, 1]
    assert [len(body["ids"]) for *_, body in apis.seen] == [500, 201]


def test_fewer_works_are_asked_for_where_an_answer_would_be_too_long(api_options, answers, apis, monkeypatch):
    whole, dois = world.Handler.s2, [world.doi(id_) for id_ in IDS[:9]]

    def of_three_at_most(self, path, parameters, body):
        too_much = path == "paper/batch" and len(body["ids"]) > 3
        return (400, {"error": "Response would exceed 10 MB"}) if too_much else whole(self, path, parameters, body)

    monkeypatch.setattr(world.Handler, "s2", of_three_at_most)
    found = api_options.source("semantic-scholar", answers).by_doi([*dois, "10.5555/unknown"])
    assert {doi: work.paper.doi for doi, work in found.items()} == {doi: doi for doi in dois}
    monkeypatch.setattr(world.Handler, "s2", lambda *_: (400, {"error": "Unrecognized field"}))
    apis.seen.clear()
    with pytest.raises(FetchError, match="Unrecognized field"):
        api_options.source("semantic-scholar", answers).by_doi([f"10.5555/{number}" for number in range(500)])
    assert len(apis.seen) < 12


def test_semantic_scholar_gives_pmids_journals_volumes_and_pages(api_options, answers, monkeypatch):
    source = api_options.source("semantic-scholar", answers)
    known = next(paper for paper in world.PAPERS if paper.get("venue"))
    ((work,),) = source.works([world.sha(known["id"])])
    assert work.paper.url == f"https://pubmed.ncbi.nlm.nih.gov/{world.pmid(known['id'])}/"
    assert work.paper.venue == known["venue"]
    journals = [{"volume": "40", "pages": "116 - 135\n "}, {"name": "ArXiv", "volume": "abs/1706.03762"}, None]
    records = [{"paperId": world.sha(str(n)), "title": "T", "journal": one} for n, one in enumerate(journals)]
    monkeypatch.setattr(world.Handler, "s2", lambda *_: (200, records))
    (found,) = source.works([one["paperId"] for one in records])
    assert [one.paper.imprint for one in found] == [Imprint(volume="40", page="116-135"), None, None]


def test_a_long_list_of_citing_works_ends_where_semantic_scholar_does(api_options, answers, monkeypatch):
    many = [f"citing {number}" for number in range(12_000)]
    monkeypatch.setitem(world.CITING, IDS[0], many)
    source = api_options.source("semantic-scholar", answers)
    (pages,) = source.citing([Work(Paper(world.sha(IDS[0]), "T"))])
    links = [link for page in pages for link in page.links]
    assert links == [(world.sha(one), world.sha(IDS[0])) for one in many[:9_999]]


def test_openalex_is_asked_for_a_hundred_values_at_a_time_and_for_single_works_free(api_options, answers, openalex):
    source = api_options.source("openalex", answers)
    source.by_doi([world.doi(id_) for id_ in world.BY_ID] + ["10.5555/un,known", "10.5555/unknown"])
    lists = [parameters["filter"] for path, parameters, _ in openalex.seen if path == "/works"]
    assert all(len(one.split("|")) <= 100 for one in lists)
    assert answers.used == len(lists) == len(openalex.seen) - 2
    states = source.as_now([Paper(world.w(id_), "T") for id_ in world.BY_ID])
    assert not any(state.is_retracted for state in states.values())


@pytest.mark.parametrize(
    ("title", "typed"),
    [
        ("Google’s neural system for translation", "Google's neural system for translation"),
        ("Alzheimer's disease", "Alzheimer's disease"),
        ("Growth above 3.5 degrees, and 1,000 more: a study", "Growth above 3.5 degrees, and 1,000 more: a study"),
        ("Lengthy words " * 30, "Lengthy words " * 30),
    ],
)
def test_titles_with_apostrophes_or_decimals_and_long_ones_are_found(api_options, answers, openalex, title, typed):
    openalex.corpus = [{**openalex.corpus[0], "title": title}]
    found = api_options.source("openalex", answers).by_title(Paper("x", typed))
    assert [work.paper.title for work in found] == [title.strip()]


def test_works_that_are_seldom_cited_share_a_list(api_options, answers, openalex):
    source = api_options.source("openalex", answers)
    works = [Work(Paper(f"W{number}", "T"), number * 100) for number in range(1, 12)]
    lists = source.citing(works)
    for one in lists:
        next(one)
    groups = [parameters["filter"].removeprefix("cites:").split("|") for _, parameters, _ in openalex.seen]
    assert groups == [["W1", "W2", "W3", "W4"], ["W5"], ["W6"], ["W7"], ["W8"], ["W9"], ["W10"], ["W11"]]


@pytest.mark.parametrize(("key", "pages"), [("", [100, 100]), ("KEY", [100, 100, 100, 50, 0])])
def test_without_a_key_a_list_of_citing_works_ends_where_openalex_does(
    api_options, answers, openalex, monkeypatch, key, pages
):
    monkeypatch.setattr("fetch.openalex._MOST_PAGES", 2)
    cited = openalex.corpus[0]
    openalex.corpus = [dict(cited, id=f"https://openalex.org/W{n}", referenced_works=["/W1"]) for n in range(2, 352)]
    source = replace(api_options, keys={"openalex": key}).source("openalex", answers)
    (one,) = source.citing([Work(Paper("W1", "T"))])
    assert [len(page.links) for page in one] == pages


def test_who_asks_is_said_as_each_api_wants_it(api_options, answers, apis, openalex):
    polite = replace(api_options, keys=KEYS, email="me@example.org")
    for name in ID_OF:
        source = polite.source(name, answers)
        work = source.by_doi([world.doi(IDS[0])])[world.doi(IDS[0])]
        next(source.citing([work])[0])
    headers = {path.split("/")[1]: sent for path, _, sent, _ in apis.seen}
    assert openalex.seen[0][2]["Authorization"] == "Bearer alex-key"
    assert headers["s2"]["x-api-key"] == "s2-key"
    assert headers["opencitations"]["authorization"] == "token"
    assert "mailto:me@example.org" in headers["crossref"]["User-Agent"]
    assert not any("key" in str(parameters) or "token" in str(parameters) for _, parameters, *_ in apis.seen)


@pytest.mark.parametrize("odd", ["SECRET\u200bKEY", "SECRET\rKEY", "SECRETKEY…"])
def test_a_key_that_cannot_be_sent_is_refused_without_showing_it(api_options, answers, openalex, odd):
    with pytest.raises(FetchError, match=r"^the key in OPENALEX_API_KEY has a character") as error:
        replace(api_options, keys={"openalex": odd}).source("openalex", answers)
    assert "SECRET" not in str(error.value)
    source = replace(api_options, keys={"openalex": " SECRETKEY\r\n"}, email="jörg@example.org").source(
        "openalex", answers
    )
    source.by_doi([world.doi(IDS[0])])
    (*_, headers) = openalex.seen[0]
    assert headers["Authorization"] == "Bearer SECRETKEY"
    assert headers["User-Agent"].endswith("(mailto:j%C3%B6rg@example.org)")


@pytest.mark.parametrize(("name", "hint"), [("semantic-scholar", "SEMANTIC_SCHOLAR_API_KEY"), ("arxiv", "")])
def test_a_refusal_names_the_variable_of_the_key_and_never_the_key(api_options, answers, monkeypatch, name, hint):
    refusal = (403, {"message": "Forbidden: s2-key is no key"})
    for api in ("s2", "arxiv"):
        monkeypatch.setattr(world.Handler, api, lambda *_: refusal)
    with pytest.raises(RefusedError) as error:
        replace(api_options, keys=KEYS).client(name, answers).get("x", {})
    said = str(error.value)
    assert said.endswith(f"; an API key may be missing or wrong ({hint})" if hint else "is no key")
    assert ("s2-key" in said) == (name == "arxiv")  # which has not been given it


@pytest.mark.parametrize(
    ("name", "keys", "email", "seconds"),
    [
        ("openalex", {}, "", 0.2),
        ("semantic-scholar", {}, "", 3),
        ("semantic-scholar", KEYS, "", 1),
        ("crossref", {}, "", 1),
        ("crossref", {}, "me@example.org", 1 / 3),
        ("opencitations", {}, "", 1 / 3),
        ("arxiv", {}, "", 3),
    ],
)
def test_each_api_is_asked_at_the_pace_that_it_wants(api_options, answers, monkeypatch, name, keys, email, seconds):
    slept = []
    monkeypatch.setattr("fetch.client.time.sleep", slept.append)
    client = replace(api_options, keys=keys, email=email, requests_per_second=0).client(name, answers)
    for number in range(2):
        with pytest.raises(FetchError):  # there is no such path; the pace is kept all the same
            client.get(f"nowhere/{number}", {})
    assert set(APIS) >= {name}
    assert max(slept) == pytest.approx(seconds, abs=0.15)


@pytest.mark.parametrize("name", ["semantic-scholar", "crossref"])
def test_a_wait_that_an_api_asks_for_is_kept(api_options, answers, apis, name):
    apis.faults = {1: "429 Retry-After=1", 2: "503"}
    started = time.monotonic()
    assert api_options.source(name, answers).by_doi([world.doi(IDS[0])])
    assert time.monotonic() - started >= 1
    assert len(apis.seen) == 3
    assert answers.used == 1


def test_arxiv_is_asked_for_many_preprints_at_once(api_options, answers, apis):
    ids = [paper["arxiv"] for paper in world.PAPERS if paper.get("arxiv")]
    found = preprints(api_options.client("arxiv", answers), [*ids, "1901.99999"])
    assert found.keys() == set(ids)
    assert len(apis.seen) == -(-(len(ids) + 1) // 100)
    one = next(paper for paper in world.PAPERS if paper.get("arxiv"))
    paper = found[one["arxiv"]]
    assert (paper.title, paper.year, paper.authors) == (one["title"], one["year"], tuple(one["authors"]))


def test_what_arxiv_answers_is_the_paper_that_its_reader_reads_from_a_file(api_options, answers, monkeypatch, tmp_path):
    entry = (
        "<entry><id>http://arxiv.org/abs/0704.0001v2</id><updated>2008-07-24T00:00:00Z</updated>"
        r"<title>At M\"unster</title><summary>A &lt; B.</summary><author><name>C. Bal\'azs</name></author>"
        "<arxiv:doi>10.1000/A</arxiv:doi><arxiv:journal_ref>Phys. Rev. D</arxiv:journal_ref></entry>"
    )
    error = "<entry><id>http://arxiv.org/api/errors#x</id><title>Error</title></entry>"
    feed = (
        '<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">'
        f"<id>http://arxiv.org/api/x</id>{error}{entry}</feed>"
    )
    monkeypatch.setattr(world.Handler, "arxiv", lambda *_: (200, feed))
    (tmp_path / "feed.atom").write_text(feed)
    (of_the_reader,) = read_papers([str(tmp_path / "feed.atom")])
    assert of_the_reader.title == "At Münster"
    for _ in range(2):  # the second answer is the one that was kept
        found = preprints(api_options.client("arxiv", answers), ["0704.0001"])
        assert found == {"0704.0001": replace(of_the_reader, id="arXiv:0704.0001")}


@pytest.mark.parametrize(
    "answer",
    ["<html>busy</html>", "no XML", '<?xml version="1.0"?><feed/>', "<!DOCTYPE x [<!ENTITY a 'b'>]><x>&a;</x>"],
)
def test_what_is_no_feed_is_tried_again_and_said(api_options, answers, monkeypatch, answer):
    monkeypatch.setattr(world.Handler, "arxiv", lambda *_: (200, answer))
    with pytest.raises(FetchError, match=r"no Atom feed.*3 tries"):
        preprints(api_options.client("arxiv", answers), ["1706.03762"])


def test_no_request_is_made_beyond_those_allowed(api_options, tmp_path, openalex):
    with Answers.kept_in(tmp_path / "few", 2) as answers:
        source = api_options.source("openalex", answers)
        with pytest.raises(BudgetSpent):
            list(source.works([world.w(id_) for id_ in world.BY_ID]))
    assert len(openalex.seen) == 2


def test_what_is_not_there_is_remembered_and_other_refusals_are_not(api_options, tmp_path, openalex):
    def ask(path):
        with Answers.kept_in(tmp_path / "kept", 10) as answers, pytest.raises(RefusedError) as error:
            api_options.client("openalex", answers).get(path, {"per_page": "1000"})
        return error.value.status

    assert [ask("works/doi:10.5555/none") for _ in range(2)] == [404, 404]
    assert len(openalex.seen) == 1
    assert [ask("works") for _ in range(2)] == [400, 400]
    assert len(openalex.seen) == 3


def test_crossref_is_asked_singly_for_dois_with_a_comma(api_options, answers, apis, monkeypatch):
    monkeypatch.setattr(world, "doi", lambda id_: f"10.5555/s(03),{id_}" if id_ in IDS[:3] else f"10.5555/{id_}")
    apis.retracted |= {IDS[0], IDS[4]}
    source = api_options.source("crossref", answers)
    dois = [world.doi(id_) for id_ in (*IDS[:2], *IDS[3:6])] + ["10.5555/un,known"]
    assert set(source.by_doi(dois)) == set(dois[:-1])
    states = source.as_now([Paper(doi, "T") for doi in dois])
    assert {id_ for id_, state in states.items() if state.is_retracted} == {world.doi(IDS[0]), world.doi(IDS[4])}
    assert len(apis.seen) == 5  # two lists, and each single one once


def test_where_opencitations_fails_nothing_cites_but_two_failures_in_a_row_end_the_run(
    api_options, answers, apis, caplog, monkeypatch
):
    apis.faults = dict.fromkeys((1, 3, 5, 6), "504")
    source = replace(api_options, tries=1).source("crossref", answers)
    lists = source.citing([Work(Paper(world.doi(id_), "T")) for id_ in IDS[:6]])
    assert [bool(page.links) for one in lists[:4] for page in one] == [False, True, False, True]
    assert f"OpenCitations fails at what cites {world.doi(IDS[0])}, which is left out" in caplog.text
    assert [page.links for page in lists[4]] == [()]
    with pytest.raises(FetchError, match="504"):
        list(lists[5])
    monkeypatch.setattr(world.Handler, "opencitations", lambda *_: (404, "the operation does not exist"))
    source = api_options.source("crossref", answers)
    assert [page.links for one in source.citing([Work(Paper("10.5555/a<b", "T"))]) for page in one] == [()]


def test_crossref_says_how_works_were_published(api_options, answers, monkeypatch):
    item, of_doi, known = world.Handler.item, world.doi(IDS[4]), world.BY_ID[IDS[4]]
    source, told = api_options.source("crossref", answers), {}
    monkeypatch.setattr(world.Handler, "item", lambda self, paper: item(self, paper) | told)
    told = {"type": "book-chapter", "subtitle": ["In short"], "volume": "7", "page": "1-9", "publisher": "Press"}
    told["container-title"] = ["Lecture Notes in Computer Science", "MICCAI 2015"]
    paper = source.by_doi([of_doi])[of_doi].paper
    assert (paper.title, paper.venue) == (f"{known['title']}: In short", "MICCAI 2015")
    series = '{"collection-title":"Lecture Notes in Computer Science"}'
    assert paper.imprint == Imprint("chapter", "7", "", "1-9", "Press", more=series)
    editors = [{"given": "Ann", "family": "Roe"}]
    told = {"type": "edited-book", "author": None, "editor": editors, "ISBN": ["9783161484100\ud83d", "3161484100"]}
    entry = Paper("mine", known["title"], year=known["year"], authors=("Ann Roe",))
    paper = chosen(entry, source.by_title(entry)).paper
    assert paper.authors == ("Ann Roe",), "editors in place of authors"
    more = json.loads(paper.imprint.more)
    assert (more["editor"], more["ISBN"]) == ([{"family": "Roe", "given": "Ann"}], "9783161484100")


@pytest.mark.parametrize("name", ["openalex", "crossref"])
def test_an_answer_of_another_shape_is_tried_again_and_not_kept(api_options, tmp_path, monkeypatch, name):
    def found():
        with Answers.kept_in(tmp_path / "kept", 10) as answers:
            return list(chain.from_iterable(api_options.source(name, answers).works([ID_OF[name](IDS[4])])))

    with monkeypatch.context() as patched:
        patched.setattr(world.Handler, "crossref", lambda *_: (200, {"status": "failed"}))
        patched.setattr("fake_openalex.Handler.result", lambda *_: (200, {"error": "busy"}))
        with pytest.raises(FetchError, match=r"the answer has no .*3 tries"):
            found()
    assert [work.paper.title for work in found()] == [world.BY_ID[IDS[4]]["title"]]


class Played:
    """A source of made-up works: each cites the next ten, and none is found by anything but its id."""

    name, title, works_a_call = "played", "Played", 10

    def __init__(self, missing=()):
        self.missing = set(missing)

    def work(self, number):
        return Work(Paper(f"P{number}", "T", citations=tuple(f"P{n}" for n in range(number + 1, number + 11))))

    def works(self, ids):
        for start in range(0, len(ids), 10):
            yield [self.work(int(id_[1:])) for id_ in ids[start : start + 10] if id_ not in self.missing]

    def citing(self, works, since=None):
        return [iter([Page(tuple((f"P{int(w.paper.id[1:]) - 1}", w.paper.id) for w in works))])]


def test_works_that_are_gone_leave_their_place_to_others():
    corpus = collect(Played(missing={"P101", "P102"}), [Played().work(100)], 6, lambda: 100)
    assert list(corpus.works) == ["P100", "P103", "P104", "P105", "P106", "P107"]
    assert corpus.complete


def test_works_that_are_gone_do_not_end_the_reading_of_lists():
    class Citing(Played):
        """All works cite P1, P2 and a hundred that are gone; P50 cites the two."""

        def work(self, number):
            return Work(Paper(f"P{number}", "T", citations=("P1", "P2", *sorted(self.missing))))

        def citing(self, works, since=None):
            pages = Page((("P50", "P1"),)), Page((("P50", "P2"),))
            return [iter(pages)] if works[0].paper.id == "P1" else []

    source = Citing(missing={f"P{number}" for number in range(100, 200)})
    assert list(collect(source, [source.work(10), source.work(11)], 5, lambda: 100).works)[-1] == "P50"


def test_candidates_are_put_in_order_as_often_for_many_pages_as_for_one(monkeypatch):
    class Citing(Played):
        """P0 is cited by as many works as there are pages."""

        def __init__(self, pages):
            super().__init__()
            self.pages = pages

        def citing(self, works, since=None):
            return [(Page(((f"P{number}", "P0"),)) for number in range(1000, 1000 + self.pages))]

    def counting(found, key):
        ordered.append(len(found))
        return sorted(found, key=key)

    monkeypatch.setattr("fetch.corpus.collecting.sorted", counting, raising=False)
    times = []
    for pages in (1, 300):
        ordered = []
        assert len(collect(Citing(pages), [Played().work(0)], 5000, lambda: 10_000, hops=1).works) == 11 + pages
        times.append(len(ordered))
    assert times[0] == times[1]


def test_a_selection_is_fetched_with_the_fields_that_a_corpus_needs(openalex, tmp_path):
    from fetch.client import Access
    from fetch.download import download

    access = Access(openalex.url, requests_per_second=1000)
    download(Selection(around=(world.doi(IDS[0]),)), tmp_path / "out.jsonl", access)
    assert all({"is_retracted", "cited_by_count"} <= set(p["select"].split(",")) for _, p, _ in openalex.seen)
