"""Papers of Zotero's local API, played as documented: its items, groups and collections."""

import json
import re

import pytest
from command_line import refused, run
from fake_zotero import item
from index_reading import papers_of as indexed
from zotero_indexes import read

from common.errors import FetchError
from fetch.zotero.api import LocalApi
from fetch.zotero.library import Part
from fetch.zotero.syncing import papers_of
from indexer.readers import ReadReport


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("zotero", Part()),
        ("zotero/Thesis", Part("", "Thesis")),
        ("zotero:Our group", Part("Our group")),
        ("zotero:777/A/B", Part("777", "A/B")),
        ("zotero:", None),
        ("zotero.sqlite", None),
        ("zoterox", None),
        ("refs.bib", None),
    ],
)
def test_parts_are_reported_by_their_names(source, part):
    assert Part.named(source) == part
    assert part is None or str(part) == source
    assert Part.named(source.replace("zotero", "Zotero")) == part


def test_items_of_the_library_are_papers_and_attachments_are_not(zotero, address):
    zotero.put(
        item("AAAA2222", "A <i>title</i>", DOI="10.1000/A", abstractNote="Text", extra="PMID: 12", volume="3"),
        item("BBBB2222", "B", itemType="book", creators=[{"creatorType": "author", "name": "The Group"}]),
        item("CCCC2222", "Note", itemType="note"),
        item("DDDD2222", "PDF", itemType="attachment", parentItem="AAAA2222"),
        item("EEEE2222", ""),
    )
    report = ReadReport()
    papers = {paper.id: paper for paper in papers_of(LocalApi(Part(), address), None, report)}
    assert papers.keys() == {"AAAA2222", "BBBB2222"}
    assert (papers["AAAA2222"].title, papers["AAAA2222"].doi, papers["AAAA2222"].year) == ("A title", "10.1000/a", 2020)
    assert papers["AAAA2222"].authors == ("Jane Doe",)
    assert papers["BBBB2222"].authors == ("The Group",)
    assert [str(problem) for problem in report.problems] == ["Zotero: item EEEE2222: neither title nor abstract"]


@pytest.mark.parametrize(
    ("kind", "title", "date"),
    [("patent", "title", "issueDate"), ("case", "caseName", "dateDecided"), ("statute", "nameOfAct", "dateEnacted")],
)
def test_dates_have_the_names_that_zotero_gives_them(zotero, address, kind, title, date):
    work = item("AAAA2222", "", itemType=kind)
    del work["data"]["title"], work["data"]["date"]
    work["data"].update({title: "On walking", date: "1976-11-30"})
    zotero.put(work)
    paper = read(LocalApi(Part(), address))["AAAA2222"]
    assert (paper.title, paper.year) == ("On walking", 1976)


def test_exported_entries_have_the_citation_keys_of_the_items(zotero, address, tmp_path, monkeypatch):
    monkeypatch.setenv("CITESCOUT_ZOTERO_URL", address)
    zotero.put(
        item("AAAA2222", "Walks on graphs", extra="PMID: 12\nCitation Key: walks:graphs\nRead twice"),
        item("BBBB2222", "Walks on trees", citationKey="walksTrees"),
        item("CCCC2222", "Walks on lattices", extra="Citation Key: two words, {x"),
    )
    assert run("index", "zotero", "--index", tmp_path, "--encoder", "none").code == 0
    assert indexed(tmp_path).keys() == {"AAAA2222", "BBBB2222", "CCCC2222"}
    entries = run("cite", "walks", "--index", tmp_path, "--format", "bibtex").out
    assert sorted(re.findall(r"@\w+\{(.*),", entries)) == ["doe2020walks", "walks:graphs", "walksTrees"]


def test_a_record_that_was_merged_with_an_item_has_the_citation_key_of_the_item(zotero, address, tmp_path, monkeypatch):
    monkeypatch.setenv("CITESCOUT_ZOTERO_URL", address)
    zotero.put(item("AAAA2222", "A long walk on many graphs", citationKey="myWalks"))
    work = {"id": "W1", "title": "A long walk on many graphs", "doi": "10.1000/w", "publication_year": 2020}
    work |= {"abstract_inverted_index": {"walking": [0]}, "biblio": {"volume": "3"}, "type": "article"}
    work |= {"authorships": [{"author": {"display_name": "Jane Doe"}}]}
    (tmp_path / "field.jsonl").write_text(json.dumps(work))
    sources = ["zotero", tmp_path / "field.jsonl", "--merge-duplicates"]
    assert run("index", *sources, "--index", tmp_path / "ix", "--encoder", "none").code == 0
    (paper,) = indexed(tmp_path / "ix").values()
    assert (paper.doi, paper.imprint.volume, paper.other_ids) == ("10.1000/w", "3", ("AAAA2222",))
    assert "{myWalks," in run("cite", "walking", "--index", tmp_path / "ix", "--format", "bibtex").out


def test_exports_say_which_university_institution_or_company_published_a_work(zotero, address, tmp_path, monkeypatch):
    monkeypatch.setenv("CITESCOUT_ZOTERO_URL", address)
    report = {"institution": "NASA", "reportNumber": "TR-7", "seriesTitle": "Memos"}
    zotero.put(
        item("AAAA2222", "Walks on graphs", itemType="thesis", university="MIT", thesisType="PhD thesis"),
        item("BBBB2222", "Walks on trees", itemType="report", **report),
        item("CCCC2222", "Walks on lattices", itemType="computerProgram", company="Acme"),
        item("DDDD2222", "Walks on films", itemType="videoRecording", studio="Pixar"),
    )
    assert run("index", "zotero", "--index", tmp_path, "--encoder", "none").code == 0
    entries = run("cite", "walks", "--index", tmp_path, "--format", "bibtex").out
    published = re.findall(r"^  (school|institution|howpublished|series|number) = \{(.*)\}", entries, re.MULTILINE)
    assert sorted(published) == [
        *(("howpublished", "Acme"), ("howpublished", "Pixar"), ("institution", "NASA"), ("number", "TR-7")),
        *(("school", "MIT"), ("series", "Memos")),
    ]


def test_exports_have_tags_days_and_what_stands_in_extra(zotero, address, tmp_path, monkeypatch):
    monkeypatch.setenv("CITESCOUT_ZOTERO_URL", address)
    said = {"tags": [{"tag": "graphs, random"}, {"tag": "walks", "type": 1}], "date": "2019-07-21"}
    zotero.put(
        item("AAAA2222", "Walks", itemType="book", extra="Original Date: 1953\nRead twice", **said),
        item("BBBB2222", "Walks told", itemType="presentation", meetingName="AGU 2010", date="May 2010"),
    )
    assert run("index", "zotero", "--index", tmp_path, "--encoder", "none").code == 0
    items = json.loads(run("cite", "walks", "--index", tmp_path, "--format", "csl-json").out)
    book, talk = sorted(items, key=lambda one: one["title"])
    days = {name: day["date-parts"] for name in ("issued", "original-date") if (day := book[name])}
    assert (book["keyword"], days) == ("graphs, random; walks", {"issued": [[2019, 7, 21]], "original-date": [[1953]]})
    assert (talk["event-title"], talk["issued"]) == ("AGU 2010", {"date-parts": [[2010]]})


def test_large_libraries_come_in_pages(zotero, address):
    zotero.put(*(item(f"K{number:07}", f"Paper {number}") for number in range(1_203)))
    assert len(read(LocalApi(Part(), address))) == 1_203
    assert len(zotero.asked) == 3


def test_groups_and_collections_are_named_or_given_by_key(zotero, address):
    zotero.groups = [{"id": 777, "version": 1, "data": {"id": 777, "name": "Our group"}}]
    zotero.put(item("GGGG2222", "In the group"), prefix="groups/777")
    zotero.put(
        item("AAAA2222", "In the thesis", collections=["COLLTHES"]),
        item("BBBB2222", "In its chapter", collections=["COLLCHAP"]),
        item("CCCC2222", "Elsewhere", collections=[]),
    )
    zotero.collections["users/0"] = [
        {"key": key, "version": 1, "data": {"key": key, "name": name, "parentCollection": parent}}
        for key, name, parent in (("COLLCHAP", "Chapter 1", "COLLTHES"), ("COLLTHES", "Thesis", False))
    ]
    assert read(LocalApi(Part("our GROUP"), address)).keys() == {"GGGG2222"}
    assert read(LocalApi(Part("777"), address)).keys() == {"GGGG2222"}
    for name in ("Thesis", "COLLTHES"):
        assert read(LocalApi(Part("", name), address)).keys() == {"AAAA2222", "BBBB2222"}
        assert LocalApi(Part("", name), address).stamps().keys() == {"AAAA2222", "BBBB2222"}
    with pytest.raises(FetchError, match=r"no collection 'Nothing'; it has Chapter 1, Thesis"):
        LocalApi(Part("", "Nothing"), address).stamps()
    with pytest.raises(FetchError, match=r"no group 'Theirs'; it has Our group"):
        LocalApi(Part("Theirs"), address).stamps()


def test_two_collections_of_one_name_are_reported_apart_by_key(zotero, address):
    zotero.collections["users/0"] = [{"key": key, "data": {"key": key, "name": "Same"}} for key in ("ONE", "TWO")]
    with pytest.raises(FetchError, match=r"several collections of the name 'Same': name one by its key \(ONE, TWO\)"):
        LocalApi(Part("", "Same"), address).stamps()


def test_subcollections_are_named_by_their_path_and_groups_with_a_slash_by_their_number(zotero, address):
    places = {"ONE": ("Part I", "TOP"), "TWO": ("Part I", "ELSE"), "TOP": ("Thesis", False), "ELSE": ("A/B", False)}
    zotero.collections["users/0"] = [
        {"key": key, "data": {"key": key, "name": name, "parentCollection": parent}}
        for key, (name, parent) in places.items()
    ]
    zotero.put(*(item(f"IN{key}", f"In {key}", collections=[key]) for key in places))
    found = {name: read(LocalApi(Part("", name), address)).keys() for name in ("thesis/Part I", "A/B/Part I", "A/B")}
    assert found == {"thesis/Part I": {"INONE"}, "A/B/Part I": {"INTWO"}, "A/B": {"INTWO", "INELSE"}}
    with pytest.raises(FetchError, match=r"several collections .*\(ONE, TWO\)"):
        LocalApi(Part("", "Part I"), address).stamps()
    zotero.groups = [{"id": 777, "data": {"name": "R/D"}}]
    with pytest.raises(FetchError, match=r"no group 'R'; it has R/D \(777\)"):
        LocalApi(Part.named("zotero:R/D"), address).stamps()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"enabled": False}, r"Zotero refuses to be read: switch on Settings > Advanced"),
        ({"api_version": "4"}, r"Zotero uses version 4 of its API, this program version 3"),
        ({"body": b"<html>"}, r"is not Zotero's API \(no valid JSON"),
        ({"libraries": {}}, r"answers http.*/items/top with 404 Not found"),
    ],
)
def test_refusals_are_reported_with_what_to_do(zotero, address, change, message):
    for name, value in change.items():
        setattr(zotero, name, value)
    with pytest.raises(FetchError, match=message):
        LocalApi(Part(), address).stamps()


def test_a_program_that_is_not_running_is_reported():
    with pytest.raises(FetchError, match=r"Zotero cannot be reached at http://127\.0\.0\.1:9/api: start it"):
        LocalApi(Part(), "http://127.0.0.1:9/api").stamps()


def test_the_command_refuses_before_any_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CITESCOUT_ZOTERO_URL", "http://127.0.0.1:9/api")
    said = refused("index", "zotero", "--index", "ix")
    assert re.fullmatch(r"Error: Zotero cannot be reached at .*--zotero-database\n", said)
    assert not (tmp_path / "ix").exists()
    (tmp_path / "z.sqlite").write_bytes(b"")
    (tmp_path / "a.bib").write_text("@article{own, title={My own}}\n")
    done = run("index", "a.bib", "--index", "ix", "--zotero-database", "z.sqlite")
    assert (done.code, "goes with the source zotero" in done.err) == (2, True)
