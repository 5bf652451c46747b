"""An index that follows a Zotero library: what is new, changed, gone or renamed there."""

import json
from dataclasses import replace

import pytest
from command_line import run
from fake_zotero import item
from index_reading import papers_of as indexed
from zotero_indexes import followed_index, read

from common.errors import FetchError, IndexDirectoryError
from fetch.zotero.library import Part
from fetch.zotero.syncing import Followed, follow, followed_by, sync
from indexer.builds import build_index
from indexer.directory import read_current
from indexer.paper import Paper
from indexer.readers import ReadReport


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


@pytest.mark.parametrize("merge", [False, True])
def test_an_item_that_lost_its_title_is_no_paper_any_more(zotero, address, tmp_path, monkeypatch, merge):
    monkeypatch.setenv("CITESCOUT_ZOTERO_URL", address)
    zotero.put(item("AAAA2222", "One of them", version=1), item("BBBB2222", "Another one", version=1))
    options = ["--merge-duplicates"] if merge else []
    assert run("index", "zotero", "--index", tmp_path / "ix", "--encoder", "none", *options).code == 0
    zotero.put(item("AAAA2222", "", version=2))
    synced = sync(tmp_path / "ix", ReadReport())
    assert (synced.added, synced.changed, synced.removed) == (0, 0, 1)
    assert indexed(tmp_path / "ix").keys() == {"BBBB2222"}


def test_an_item_that_moves_while_pages_are_read_is_in_the_index(zotero, address, tmp_path, monkeypatch):
    monkeypatch.setenv("CITESCOUT_ZOTERO_URL", address)
    zotero.put(*(item(f"K{number:07}", f"Paper number {number}") for number in range(1_200)))
    answer = zotero.answer

    def deleting_one_meanwhile(path, query, headers):
        answered = answer(path, query, headers)
        if query.get("start") == ["0"]:
            zotero.libraries["users/0"].pop("K0000003", None)
        return answered

    monkeypatch.setattr(zotero, "answer", deleting_one_meanwhile)
    assert run("index", "zotero", "--index", tmp_path / "ix", "--encoder", "none").code == 0
    sync(tmp_path / "ix", ReadReport())
    assert indexed(tmp_path / "ix").keys() == zotero.libraries["users/0"].keys()


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
