"""What each source of works is asked and answers, within the limits of its API."""

import json
from dataclasses import replace
from datetime import date

import pytest
import world
from bibliography import IDS

from common.errors import FetchError
from fetch.corpus.agreement import chosen
from fetch.corpus.interface import Work
from indexer.paper import Imprint, Paper


@pytest.mark.parametrize("name", world.ID_OF)
def test_a_work_is_what_the_api_says_of_it(api_options, answers, name):
    source, id_of = api_options.source(name, answers), world.ID_OF[name]
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


@pytest.mark.parametrize("name", world.ID_OF)
def test_only_citing_works_that_are_newer_or_may_be_registered_since_are_listed(api_options, answers, openalex, name):
    source, id_of = api_options.source(name, answers), world.ID_OF[name]
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
