"""The feed of watched drafts, which keeps to the rules of Atom."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from urllib.parse import urlsplit

from command_line import run
from defusedxml import ElementTree
from watched_drafts import newcomer

from citescout import Recommender
from citescout.watches import Watches
from indexer.changes import add_papers, remove_papers
from indexer.layout import WATCHES

ATOM = "{http://www.w3.org/2005/Atom}"


def checked(text):
    """The feed, after a look at what RFC 4287 asks of one (4.1.1, 4.1.2, 4.2.6, 3.3)."""
    root = ElementTree.fromstring(text)
    assert root.tag == f"{ATOM}feed"
    for node, needed in [(root, {"id", "title", "updated", "author"})] + [
        (entry, {"id", "title", "updated"}) for entry in root.iter(f"{ATOM}entry")
    ]:
        for name in needed:
            assert len(node.findall(ATOM + name)) == 1, name
        for name in ("id", "title", "updated"):
            assert node.findtext(ATOM + name).strip()
        assert urlsplit(node.findtext(f"{ATOM}id")).scheme
        assert datetime.fromisoformat(node.findtext(f"{ATOM}updated")).tzinfo
        if node is not root:
            assert node.findtext(f"{ATOM}content") or node.find(f"{ATOM}link") is not None
        for link in node.findall(f"{ATOM}link"):
            assert link.get("rel") == "alternate"
            assert urlsplit(link.get("href")).scheme in {"http", "https"}
            assert link.get("href").isascii()
            assert " " not in link.get("href")
    entries = root.findall(f"{ATOM}entry")
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(set(ids)) == len(ids)
    dates = [entry.findtext(f"{ATOM}updated") for entry in entries]
    assert dates == sorted(dates, reverse=True)
    assert root.findtext(f"{ATOM}updated") >= max(dates, default="")
    return root, {entry.findtext(f"{ATOM}id"): entry.findtext(f"{ATOM}title") for entry in entries}


def test_a_draft_that_cannot_be_asked_does_not_keep_the_others_from_it(index, watch, tmp_path):
    watch("add", tmp_path / "draft.jsonl", "--name", "a")
    watch("add", tmp_path / "draft.jsonl", "--name", "b")
    add_papers([newcomer(1)], index)
    watch("run")
    with closing(sqlite3.connect(index / WATCHES)) as watches, watches:  # as where the index had vectors before
        watches.execute("UPDATE watches SET settings = '{\"diversity\": 0.3}', asked = '2020' WHERE name = 'a'")
    add_papers([newcomer(2)], index)
    told = watch("run", "--exit-code", "--format", "atom", code=1)
    assert told.err.splitlines() == [
        "a: not asked: diversity needs an index with vectors: `citescout re-encode` adds them",
        "b: 1 new paper",
    ]
    titles = sorted(checked(told.out)[1].values())
    assert titles == ["Edge bundling of graphs 1", "Edge bundling of graphs 1", "Edge bundling of graphs 2"]
    assert watch("run", code=1).err.splitlines()[1] == "Nothing new"
    assert "asked last 2020)" in watch("list").out.splitlines()[0]


def test_the_feed_keeps_what_was_new_and_is_a_feed_of_atom(index, watched, tmp_path):
    out = tmp_path / "feed.xml"
    watched("run", "--format", "atom", "--out", out)
    empty, entries = checked(out.read_text("utf-8"))
    assert entries == {}
    add_papers([newcomer(1, "Edges & <b>bundles</b> \u0007of ]]> graphs")], index)
    watched("run")  # what is told in another format is in the feed, too
    watched("run", "--format", "atom", "--out", out)
    root, first = checked(out.read_text("utf-8"))
    assert list(first.values()) == ["Edges & <b>bundles</b> of ]]> graphs 1"]
    assert root.findtext(f"{ATOM}id") == empty.findtext(f"{ATOM}id")
    add_papers([replace(newcomer(2), retracted=True)], index)
    watched("run", "--format", "atom", "--out", out)
    root, both = checked(out.read_text("utf-8"))
    said = {entry.findtext(f"{ATOM}title")[-1]: entry.findtext(f"{ATOM}summary") for entry in root.iter(f"{ATOM}entry")}
    assert {number: "Retracted." in summary for number, summary in said.items()} == {"1": False, "2": True}
    assert both.items() >= first.items()  # an entry keeps its id
    assert len(both) == 2
    remove_papers(["new1"], index)
    watched("run", "--format", "atom", "--out", out)
    assert checked(out.read_text("utf-8"))[1].items() == both.items() - first.items()


def test_a_paper_whose_key_changed_stays_in_the_feed_as_the_same_entry(index, watched, tmp_path):
    entry = "@article{%s, title = {Edge bundling of graphs}, author = {Roe, Ann}, year = 2020}\n"
    library = tmp_path / "library.bib"
    feeds = []
    for key in ("roe20", "roe2020edge"):
        library.write_text(entry % key, "utf-8")
        run("add", library, "--index", index)
        feeds.append(checked(watched("run", "--format", "atom").out)[1])
    with Recommender.open(index) as recommender:
        assert recommender.paper("roe20").id == "roe2020edge"
    assert feeds[0] == feeds[1] != {}


def test_nothing_that_is_new_is_cut_off_from_the_feed(index, watch, tmp_path):
    for name in ("first", "second"):
        watch("add", tmp_path / "draft.jsonl", "--name", name, "-k", 100)
    add_papers([newcomer(number) for number in range(60)], index)
    told = watch("run", "--format", "atom")
    assert told.err.count("60 new papers") == 2
    assert len(checked(told.out)[1]) == 120
    add_papers([newcomer(number) for number in range(60, 65)], index)
    _, later = checked(watch("run", "--format", "atom").out)
    assert len(later) == 100
    assert {f"Edge bundling of graphs {number}" for number in range(60, 65)} <= set(later.values())


def test_entries_without_an_address_have_content_and_keep_their_order(index, watched):
    titles = ("Graphs", "Edge bundling", "Edge bundling of graphs")  # the likelier, the later by name
    add_papers([replace(newcomer(number, title), doi="") for number, title in enumerate(titles)], index)
    first, later = (list(checked(watched("run", "--format", "atom").out)[1].values()) for _ in range(2))
    assert len(first) == 3
    assert first == later


def test_what_is_forgotten_during_a_run_stays_forgotten(index, watch, tmp_path, monkeypatch):
    """The feed had failed from then on, and ids of the forgotten draft's papers were kept."""
    watch("add", tmp_path / "draft.jsonl", "--name", "gone")
    watch("add", tmp_path / "draft.jsonl", "--name", "kept")
    add_papers([newcomer(1)], index)
    record = Watches.record

    def meanwhile(watches, *arguments):
        if len(watches.all()) == 2:
            watches.remove(["gone"])
        record(watches, *arguments)

    monkeypatch.setattr(Watches, "record", meanwhile)
    watch("run")
    assert {one.watch for one in Watches(index).latest(10)} == {"kept"}
    assert Watches(index).shown("gone") == frozenset()
    monkeypatch.setattr(Watches, "record", record)
    assert len(checked(watch("run", "--format", "atom").out)[1]) == 1
