"""Zotero's local API, played as documented, and databases with its real tables."""

import json
import re
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import refused, run
from fake_zotero import item
from index_reading import papers_of as indexed
from zotero_database import ATTACHMENT, NOTE, create, put

from common.errors import FetchError, IndexDirectoryError
from fetch.zotero.api import LocalApi
from fetch.zotero.database import Database
from fetch.zotero.library import Part
from fetch.zotero.syncing import Followed, follow, followed_by, papers_of, sync
from indexer.builds import build_index
from indexer.directory import read_current
from indexer.paper import Paper
from indexer.readers import ReadReport

ROOT = Path(__file__).parents[2]


def read(library):
    return {paper.id: paper for paper in papers_of(library, None, ReadReport())}


def followed_index(address, directory, part=Part(), database=""):  # noqa: B008 - frozen
    followed = Followed(part, database, address)
    library = followed.library()
    follow_with = Followed(part, database, address, library.stamps())
    build_index(papers_of(library, None, ReadReport()), directory, None)
    follow(follow_with, directory)


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


def test_sync_of_what_is_unchanged_asks_for_versions_only_and_writes_nothing(zotero, address, tmp_path):
    zotero.put(*(item(f"K{number:07}", f"Paper number {number}", version=7) for number in range(5_000)))
    followed_index(address, tmp_path / "ix")
    before, kept = read_current(tmp_path / "ix"), (tmp_path / "ix" / "zotero.json").stat().st_mtime_ns
    zotero.asked.clear()
    assert not sync(tmp_path / "ix", ReadReport()).anything
    assert zotero.asked == ["/api/users/0/items/top?format=versions"]
    assert read_current(tmp_path / "ix") == before
    assert (tmp_path / "ix" / "zotero.json").stat().st_mtime_ns == kept

    zotero.asked.clear()
    zotero.put(*(item(f"K{number:07}", f"Another title {number}", version=8) for number in range(10)))
    synced = sync(tmp_path / "ix", ReadReport())
    assert (synced.added, synced.changed, synced.removed) == (0, 10, 0)
    assert len(zotero.asked) == 2
    assert "itemKey=" in zotero.asked[1]
    after = read_current(tmp_path / "ix")
    assert int(after.name[4:]) == int(before.name[4:]) + 1
    papers = indexed(tmp_path / "ix")
    assert len(papers) == 5_000
    assert papers["K0000003"].title == "Another title 3"
    assert not sync(tmp_path / "ix", ReadReport()).anything


def test_sync_adds_what_is_new_and_removes_what_is_gone(zotero, address, tmp_path):
    zotero.put(*(item(f"K{number:07}", f"Paper number {number}", version=1) for number in range(120)))
    zotero.put(item("NOTE2222", "", itemType="note"))
    followed_index(address, tmp_path / "ix")
    for number in range(60):
        del zotero.libraries["users/0"][f"K{number:07}"]
    del zotero.libraries["users/0"]["NOTE2222"]
    zotero.put(*(item(f"N{number:07}", f"New {number}", version=2) for number in range(70)))
    synced = sync(tmp_path / "ix", ReadReport())
    assert (synced.added, synced.changed, synced.removed) == (70, 0, 60)
    wanted = {*(f"K{number:07}" for number in range(60, 120)), *(f"N{number:07}" for number in range(70))}
    assert indexed(tmp_path / "ix").keys() == wanted


def test_items_that_were_never_synced_are_followed_by_their_dates(zotero, address, tmp_path):
    zotero.put(*(item(f"K{number:07}", f"Paper {number}", version=0) for number in range(3)))
    followed_index(address, tmp_path / "ix")
    assert not sync(tmp_path / "ix", ReadReport()).anything
    zotero.put(item("K0000001", "Changed", version=0, dateModified="2026-11-22T12:00:00Z"))
    assert sync(tmp_path / "ix", ReadReport()).changed == 1
    assert indexed(tmp_path / "ix")["K0000001"].title == "Changed"


def test_a_sync_that_fails_changes_nothing(zotero, address, tmp_path):
    zotero.put(item("AAAA2222", "One", version=1))
    followed_index(address, tmp_path / "ix")
    before = read_current(tmp_path / "ix")
    zotero.enabled = False
    with pytest.raises(FetchError, match="refuses"):
        sync(tmp_path / "ix", ReadReport())
    assert read_current(tmp_path / "ix") == before


def test_an_index_that_follows_nothing_is_reported(tmp_path):
    with pytest.raises(IndexDirectoryError):
        followed_by(tmp_path / "mistyped")
    (tmp_path / "zotero.json").write_text('{"part": 3}')
    with pytest.raises(FetchError, match=r"zotero.json is damaged"):
        followed_by(tmp_path)


@pytest.fixture
def database(tmp_path):
    path = tmp_path / "Zotero" / "zotero.sqlite"
    path.parent.mkdir()
    with create(path) as connection:
        people = [("editor", "Ed", "Itor", False), ("author", "Jörg", "Müller", False)]
        people.append(("author", "", "The Group", True))
        texts = {"title": "In the <i>thesis</i>", "abstractNote": "Text", "date": "2001-05-03 May 3, 2001"}
        put(connection, "AAAA2222", creators=people, collections=[1], DOI="10.1000/A", publicationTitle="J", **texts)
        put(connection, "BBBB2222", title="In its chapter", collections=[2])
        put(connection, "CCCC2222", title="Elsewhere", collections=[3])
        put(connection, "DDDD2222", title="PDF", kind=ATTACHMENT)
        put(connection, "EEEE2222", kind=NOTE)
        put(connection, "GGGG2222", title="In the group", library=5)
        gone = put(connection, "FFFF2222", title="In the trash")
        connection.execute("INSERT INTO deletedItems (itemID) VALUES (?)", (gone,))
    connection.close()
    return path


def test_the_database_gives_what_the_program_gives(database):
    papers = read(Database(Part(), database))
    assert papers.keys() == {"AAAA2222", "BBBB2222", "CCCC2222"}
    paper = papers["AAAA2222"]
    assert (paper.title, paper.abstract, paper.year, paper.venue) == ("In the thesis", "Text", 2001, "J")
    assert (paper.authors, paper.doi) == (("Jörg Müller", "The Group"), "10.1000/a")
    assert read(Database(Part("Our group"), database)).keys() == {"GGGG2222"}
    assert read(Database(Part("", "Thesis"), database)).keys() == {"AAAA2222", "BBBB2222"}


def test_collections_in_the_trash_of_the_database_are_none(database):
    with sqlite3.connect(database) as connection:
        connection.execute(
            "CREATE TABLE deletedCollections (collectionID INTEGER PRIMARY KEY, "
            "dateDeleted DEFAULT CURRENT_TIMESTAMP NOT NULL)"
        )
        connection.execute("INSERT INTO deletedCollections (collectionID) VALUES (2), (3)")
    connection.close()
    assert read(Database(Part("", "Thesis"), database)).keys() == {"AAAA2222"}
    with pytest.raises(FetchError, match=r"no collection 'Other'; it has Thesis$"):
        Database(Part("", "Other"), database).stamps()


def test_the_database_is_read_while_zotero_locks_it_and_is_left_alone(database):
    before = database.read_bytes()
    running = sqlite3.connect(database, isolation_level=None)
    running.execute("BEGIN EXCLUSIVE")
    assert read(Database(Part(), database))
    running.close()
    assert database.read_bytes() == before


def test_a_database_that_is_none_is_one_clear_error(tmp_path):
    (tmp_path / "zotero.sqlite").write_bytes(b"SQLite format 3\0" + b"\1" * 5_000)
    with pytest.raises(FetchError, match=r"zotero.sqlite is not a database of Zotero 5 or newer"):
        Database(Part(), tmp_path / "zotero.sqlite").stamps()
    with pytest.raises(FetchError, match="No such file"):
        Database(Part(), tmp_path / "none.sqlite").stamps()


def test_sync_follows_the_database(database, tmp_path):
    followed_index("", tmp_path / "ix", database=str(database))
    assert not sync(tmp_path / "ix", ReadReport()).anything
    connection = sqlite3.connect(database)
    put(connection, "NEWW2222", title="New")
    connection.execute("UPDATE items SET dateModified = '2026-11-22' WHERE key = 'BBBB2222'")
    connection.execute("UPDATE itemDataValues SET value = 'Another title' WHERE value = 'In its chapter'")
    connection.execute("DELETE FROM items WHERE key = 'CCCC2222'")
    connection.commit()
    connection.close()
    synced = sync(tmp_path / "ix", ReadReport())
    assert (synced.added, synced.changed, synced.removed) == (1, 1, 1)
    assert indexed(tmp_path / "ix")["BBBB2222"].title == "Another title"


def test_the_commands_index_and_sync_a_library(zotero, address, tmp_path, monkeypatch):
    index = tmp_path / "ix"
    zotero.put(*(item(f"K{number:07}", f"Paper number {number}") for number in range(20)))
    (tmp_path / "more.bib").write_text("@article{own, title={My own}}\n")
    with monkeypatch.context() as once:  # an index knows its library
        once.setenv("CITESCOUT_ZOTERO_URL", address)
        done = run("index", "zotero", tmp_path / "more.bib", "--index", index, "--encoder", "none")
    assert done.code == 0, done.err
    assert "Indexed 21 papers" in done.out
    assert json.loads((index / "zotero.json").read_text())["part"] == {"group": "", "collection": ""}
    assert run("sync", "--index", index).out == f"Nothing changed in Zotero: {index} is up to date\n"
    zotero.put(item("NEWW2222", "New", version=2))
    done = run("sync", "--index", index)
    assert done.out == f"{index} follows Zotero: added 1 paper, replaced 0, removed 0\n", done.err
    assert "own" in indexed(index)
    assert run("index", tmp_path / "more.bib", "--index", index, "--encoder", "none").code == 0
    done = run("sync", "--index", index)
    assert (done.code, "follows no Zotero library" in done.err) == (1, True)


def test_a_group_and_a_collection_are_followed_when_they_are_renamed(zotero, address, tmp_path, monkeypatch):
    monkeypatch.setenv("CITESCOUT_ZOTERO_URL", address)
    group, collection = {"id": 777, "name": "Our group"}, {"key": "COLLTHES", "name": "Thesis"}
    zotero.groups, zotero.collections["groups/777"] = [{"id": 777, "data": group}], [{"key": "x", "data": collection}]
    zotero.put(item("AAAA2222", "In the thesis", collections=["COLLTHES"]), prefix="groups/777")
    index = tmp_path / "ix"
    assert run("index", "zotero:Our group/Thesis", "--index", index, "--encoder", "none").code == 0
    group["name"], collection["name"] = "Their group", "Book"
    zotero.put(item("BBBB2222", "In the book", collections=["COLLTHES"]), prefix="groups/777")
    done = run("sync", "--index", index)
    assert "added 1 paper, replaced 0, removed 0\n" in done.out, done.err


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


def test_an_empty_library_removes_nothing(zotero, address, tmp_path):
    zotero.put(item("AAAA2222", "A"))
    followed = Followed(Part(), "", address)
    build_index([Paper("mine", "Mine"), *read(followed.library()).values()], tmp_path / "ix", None)
    follow(replace(followed, stamps=followed.library().stamps()), tmp_path / "ix")
    zotero.libraries["users/0"].clear()
    with pytest.raises(FetchError, match="shows no item in zotero, where there were 1: is it the right library"):
        sync(tmp_path / "ix", ReadReport())
    assert indexed(tmp_path / "ix").keys() == {"mine", "AAAA2222"}
    zotero.put(item("BBBB2222", "B"))
    sync(tmp_path / "ix", ReadReport())
    assert indexed(tmp_path / "ix").keys() == {"mine", "BBBB2222"}


def test_a_merged_index_stays_merged_and_keeps_what_other_sources_have(zotero, address, tmp_path, monkeypatch):
    monkeypatch.setenv("CITESCOUT_ZOTERO_URL", address)
    entry = "@article{%s, title={Random walks on %s}, author={Doe, Jane}, year=2020%s}\n"
    refs = entry % ("mine", "graphs", "") + entry % ("rich", "trees", ", abstract={At length they walk.}")
    (tmp_path / "refs.bib").write_text(refs)
    graphs = item("AAAA2222", "Random walks on graphs", abstractNote="They walk.")
    trees, again = item("BBBB2222", "Random walks on trees"), item("CCCC2222", "Random walks on trees")
    lattices = [item(key, "Random walks on lattices") for key in ("DDDD2222", "EEEE2222")]
    zotero.put(graphs, trees, again, *lattices)
    index = tmp_path / "ix"
    run("index", "zotero", tmp_path / "refs.bib", "--index", index, "--encoder", "none", "--merge-duplicates")
    assert {id_: set(paper.other_ids) for id_, paper in indexed(index).items()} == {
        "AAAA2222": {"mine"},
        "rich": {"BBBB2222", "CCCC2222"},
        "DDDD2222": {"EEEE2222"},
    }
    zotero.put(item("BBBB2222", "Random walks on trees", version=2, DOI="10.1000/t"))
    assert "added 0 papers, replaced 1, removed 0\n" in run("sync", "--index", index).out
    assert indexed(index).keys() == {"AAAA2222", "rich", "DDDD2222"}
    for key in ("AAAA2222", "CCCC2222", "DDDD2222"):
        del zotero.libraries["users/0"][key]
    assert "removed 0, kept 3 of which there are other records\n" in run("sync", "--index", index).out
    for key in ("BBBB2222", "EEEE2222"):
        del zotero.libraries["users/0"][key]
    zotero.put(item("FFFF2222", "Something new"))
    assert "added 1 paper, replaced 0, removed 1, kept 1 of which" in run("sync", "--index", index).out
    assert indexed(index).keys() == {"AAAA2222", "rich", "FFFF2222"}


def said(index):
    """What the papers of an index say, whatever their ids: title, year and the ids of all their records."""
    return {(paper.title, paper.year, frozenset({id_, *paper.other_ids})) for id_, paper in indexed(index).items()}


def test_after_a_sync_merged_papers_are_what_zotero_has_left(zotero, address, tmp_path, monkeypatch):
    monkeypatch.setenv("CITESCOUT_ZOTERO_URL", address)
    title, index = "Dense passage retrieval for questions", tmp_path / "ix"
    other = item("CCCC2222", "Sparse lexical retrieval with weights", abstractNote="It is sparse.")
    dates = {"AAAA2222": "1999", "BBBB2222": "2005"}
    copies = (item(key, title, DOI="10.1000/a", date=date) for key, date in dates.items())
    zotero.put(*copies, other)
    options = ("--index", index, "--encoder", "none", "--merge-duplicates")
    (tmp_path / "x.jsonl").write_text('{"id": "citing", "title": "Walks on trees", "citations": ["AAAA2222"]}')
    run("index", "zotero", tmp_path / "x.jsonl", *options)
    assert (title, 1999, frozenset({"AAAA2222", "BBBB2222"})) in said(index)

    def synced(*items, gone=None):
        zotero.put(*items)
        zotero.libraries["users/0"].pop(gone, None)
        done = run("sync", "--index", index)
        assert done.code == 0, done.err
        after = said(index)
        run("index", "zotero", tmp_path / "x.jsonl", "--index", tmp_path / "fresh", *options[2:])
        assert after == said(tmp_path / "fresh")
        return done.out

    assert "added 0 papers, replaced 2, removed 0, kept 1 of which" in synced(gone="AAAA2222")  # with what cites it
    assert indexed(index)["citing"].citations == ("BBBB2222",)
    assert "replaced 1" in synced(item("BBBB2222", title, 2, DOI="10.1000/a", date="2007"))
    assert "replaced 1" in synced(item("CCCC2222", "Sparse lexical retrieval with weights", 2, date="2021"))
    assert "added 0 papers, replaced 1" in synced(item("DDDD2222", title, 2, DOI="10.1000/a", abstractNote="Dense."))
    # An item becomes another work: that of the other one is still there.
    assert "added 1 paper, replaced 1" in synced(item("BBBB2222", "Late interaction of words", 3, DOI="10.1000/b"))
    assert "removed 1" in synced(gone="DDDD2222")
