"""Watched drafts: what is told as new, and once, and what is kept."""

import json
import os
import sqlite3
import stat
import threading
from contextlib import closing
from dataclasses import replace
from unicodedata import normalize

import pytest
from command_line import full_disk, refused
from outside_corpus import PAPERS
from watched_drafts import DRAFT, newcomer

from citescout import Paper, Recommender
from indexer.builds import build_index
from indexer.changes import add_papers, remove_papers
from indexer.layout import WATCHES


def test_where_nothing_is_watched_nothing_is_written(index, watch):
    """Somebody else's index may be read-only."""
    listed = watch("list")
    assert listed.out == ""
    assert "Nothing is watched" in listed.err
    assert "Nothing is watched" in watch("run").err
    assert "nothing is watched under the name" in watch("remove", "mine", code=1).err
    assert not (index / WATCHES).exists()


def test_what_enters_the_list_is_told_once(index, watch, tmp_path):
    assert "Watching draft.jsonl: 6 papers in its list now" in watch("add", tmp_path / "draft.jsonl").out
    assert watch("run").err.strip() == "Nothing new"
    add_papers([newcomer(1)], index)
    told = watch("run", "--exit-code", code=3)
    assert "## Papers to cite in “Edge bundling of graphs”" in told.out
    assert "Edge bundling of graphs 1" in told.out
    assert "in node-link diagrams of graphs" not in told.out.lower().replace("edge bundling in", "")
    assert told.err.strip() == "draft.jsonl: 1 new paper"
    again = watch("run", "--exit-code")
    assert (again.out, again.err.strip()) == ("", "Nothing new")


def test_a_paper_that_was_shown_is_no_news_if_it_comes_back_or_under_another_id(index, watched):
    add_papers([newcomer(1)], index)
    assert "1 new paper" in watched("run").err
    richer = replace(newcomer(1), id="zotero", abstract="Edges of node-link diagrams are bundled, edge by edge.")
    for change in (
        lambda: remove_papers(["p4"], index),
        lambda: add_papers([PAPERS[3]], index),
        lambda: add_papers([richer], index),
        lambda: remove_papers(["new1"], index),
    ):
        change()
        assert watched("run").err.strip() == "Nothing new"


def test_settings_of_a_watch_are_kept(index, watch, tmp_path):
    watch("add", tmp_path / "draft.jsonl", "--name", "few", "-k", "2", "--from-year", "2015")
    watch("add", tmp_path / "draft.jsonl", "--name", "old", "--to-year", "2012")
    add_papers([newcomer(1)], index)
    assert watch("run").err.splitlines() == ["few: 1 new paper"]


def test_the_draft_is_read_anew_as_long_as_it_is_there(index, watch, tmp_path):
    draft = tmp_path / "draft.jsonl"
    watch("add", draft, "-k", "1", "--name", "mine")
    draft.write_text(json.dumps({"title": "Bread", "abstract": "How dough becomes bread"}), "utf-8")
    assert "How dough becomes bread 5" in watch("run").out
    draft.write_text("{", "utf-8")
    told = watch("run")
    assert "mine: the copy is asked, because the draft cannot be read" in told.err
    assert "Nothing new" in told.err
    draft.rename(tmp_path / "moved.jsonl")
    told = watch("run").err.splitlines()
    gone = f"there is no {draft} any more"
    assert told == [f"mine: the copy is asked, because the draft cannot be read: {gone}", "Nothing new"]
    assert "mine: Bread (2 papers shown" in watch("list").out


def test_a_draft_from_a_pipe_is_not_waited_for_again(index, watch, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    threading.Thread(target=(tmp_path / "pipe").write_text, args=(json.dumps(DRAFT),)).start()
    watch("add", tmp_path / "pipe")  # which reads until all is written
    assert "Nothing new" in watch("run").err


def test_what_a_manuscript_cites_is_not_news(index, watch, tmp_path):
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "refs.bib").write_text(
        "@article{a, title={Edge bundling of graphs 1}, doi={10.1000/new1}}\n"
        "@article{b, title={Another one}, doi={10.1000/elsewhere}}\n",
        "utf-8",
    )
    (folder / "main.tex").write_text(
        r"\documentclass{article}\title{Edge bundling of graphs}\begin{document}\maketitle"
        r"\begin{abstract}How edges are bundled.\end{abstract}As \cite{a,b} say.\bibliography{refs}\end{document}",
        "utf-8",
    )
    watch("add", folder)
    cited = Paper("W1", "Edge bundling of graphs 1", "Edges.", 2001, doi="10.1000/new1")
    add_papers([cited, newcomer(2)], index)
    assert watch("run").err.strip() == "paper: 1 new paper"


def test_nothing_is_remembered_as_told_before_the_output_is_written(index, watched, tmp_path, monkeypatch):
    add_papers([newcomer(1)], index)
    monkeypatch.setattr("common.files.os.fsync", full_disk)
    told = watched("run", "--out", tmp_path / "full.md", code=1)
    assert "cannot write" in told.err
    monkeypatch.undo()
    watched("run", "--out", tmp_path / "new.md")
    assert "Edge bundling of graphs 1" in (tmp_path / "new.md").read_text("utf-8")
    (tmp_path / "new.md").write_text("mine", "utf-8")
    watched("run", "--out", tmp_path / "new.md")
    assert (tmp_path / "new.md").read_text("utf-8") == "mine"  # nothing new: not touched


def test_no_name_of_an_author_is_stored_and_only_the_owner_reads_the_file(index, watched, tmp_path):
    file = index / WATCHES
    assert b"Ada Example" not in file.read_bytes()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    watched("add", tmp_path / "draft.jsonl", "--not-by", "Ada Example", code=2)


def test_a_draft_that_is_a_sentence_is_shown_by_it(watch, tmp_path):
    (tmp_path / "sentence.jsonl").write_text('{"context": "Edges are bundled [CITATION]."}')
    watch("add", tmp_path / "sentence.jsonl")
    assert "sentence.jsonl: Edges are bundled" in watch("list").out


def test_removed_watches_are_forgotten(index, watched):
    told = watched("remove", "draft.jsonl", "other", code=1)
    assert "nothing is watched under the name 'other'" in told.err
    assert "draft.jsonl" in watched("list").out  # all or none
    assert "Forgot draft.jsonl" in watched("remove", "draft.jsonl").out
    assert watched("list").out == ""
    assert b"node-link diagrams" not in (index / WATCHES).read_bytes()
    assert "Nothing is watched" in watched("run").err


@pytest.mark.parametrize(("stored", "typed"), [("NFD", "NFC"), ("NFC", "NFD"), ("NFD", "NFD")])
def test_a_name_with_accents_is_the_same_however_it_is_written(watch, tmp_path, stored, typed):
    draft = (tmp_path / "draft.jsonl").rename(tmp_path / normalize(stored, "été.jsonl"))
    watch("add", draft)
    watch("remove", normalize(typed, "été.jsonl"))
    assert watch("list").out == ""


def test_a_name_is_one_line(watch, tmp_path):
    """A part of it had looked like another watch, which could not be removed."""
    assert "Watching a b: " in watch("add", tmp_path / "draft.jsonl", "--name", "a\nb\x1b").out
    assert watch("list").out.startswith("a b: Edge bundling")
    watch("remove", "a\nb")
    assert watch("list").out == ""


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('{"title": "a graph"}\n{"title": "another"}\n', "holds 2 queries: a watch is of one draft"),
        ("{", "not JSON"),
    ],
)
def test_a_draft_that_is_none_is_refused(watch, tmp_path, content, message):
    (tmp_path / "bad.jsonl").write_text(content, "utf-8")
    assert message in watch("add", tmp_path / "bad.jsonl", code=1).err
    assert watch("list").out == ""


def test_a_name_that_is_taken_a_folder_without_an_index_and_a_damaged_file_are_refused(index, watched, tmp_path):
    assert "is watched already: choose another --name" in watched("add", tmp_path / "draft.jsonl", code=1).err
    refused("watch", "list", "--index", tmp_path)
    assert not (tmp_path / WATCHES).exists()
    (index / WATCHES).write_bytes(b"no database" * 1000)
    assert "where it is damaged, delete it" in watched("run", code=1).err


@pytest.mark.parametrize(("lock", "command"), [("EXCLUSIVE", "list"), ("IMMEDIATE", "run")])
def test_what_another_process_is_writing_is_called_locked_before_drafts_are_asked(
    index, watched, monkeypatch, lock, command
):
    monkeypatch.setattr("citescout.watches._PATIENCE", 0.0)
    monkeypatch.setattr(Recommender, "open", None)
    with closing(sqlite3.connect(index / WATCHES)) as connection:
        connection.execute(f"BEGIN {lock}")
        error = watched(command, code=1).err
    assert "locked" in error
    assert "damaged" not in error, "nobody is told to delete it"


def test_watches_of_another_user_are_called_so(index, watched, tmp_path):
    (index / WATCHES).chmod(0)
    if os.access(index / WATCHES, os.R_OK):
        pytest.skip("root may read everything")
    for command in (("list",), ("run",), ("add", tmp_path / "draft.jsonl")):
        assert "another user, who alone can read it" in watched(*command, code=1).err


def test_the_index_can_be_built_anew_beside_its_watches(index, watched):
    build_index([*PAPERS, newcomer(1)], index, None)
    assert "1 new paper" in watched("run").err


def test_two_runs_at_once_leave_one_memory(index, watched):
    with sqlite3.connect(index / WATCHES) as reading:
        assert reading.execute("SELECT count(*) FROM shown").fetchone()[0] == len(PAPERS)
        add_papers([newcomer(1)], index)
        watched("run")  # another process that reads does not stop it
    assert watched("run").err.strip() == "Nothing new"


def test_a_report_names_each_draft_as_it_is_watched(index, watch, tmp_path):
    for name in ("one", "two"):  # both are called line-1 within their files
        (tmp_path / f"{name}.jsonl").write_text('{"abstract": "Edge bundling of graphs in node-link diagrams."}\n')
        watch("add", tmp_path / f"{name}.jsonl", "--name", name)
    add_papers([newcomer(1)], index)
    told = watch("run", "--out", tmp_path / "new.trec", "--format", "trec")
    assert told.out == "one: 1 new paper\ntwo: 1 new paper\n"
    assert [line.split()[0] for line in (tmp_path / "new.trec").read_text().splitlines()] == ["one", "two"]
    add_papers([newcomer(2)], index)
    report = watch("run").out
    assert report.index("## Papers to cite in “one”") < report.index("## Papers to cite in “two”")


def test_news_are_never_written_over_a_draft(index, watch, tmp_path):
    paper = tmp_path / "paper"
    paper.mkdir()
    text = r"\documentclass{article}\title{Edge bundling of graphs}\begin{document}Edges. \cite{a}.\bibliography{refs}"
    (paper / "main.tex").write_text(text + r"\end{document}")
    (paper / "refs.bib").write_text("@misc{a, title={Bundles of edges in diagrams}}")
    (paper / "feed.xml").write_text("of an earlier run")
    for draft in (paper, tmp_path / "draft.jsonl"):
        watch("add", draft)
    add_papers([newcomer(1)], index)
    for read in (paper / "main.tex", paper / "refs.bib", tmp_path / "draft.jsonl"):
        before = read.read_bytes()
        assert f"cannot write {read}: it is one of the files that are read" in watch("run", "--out", read, code=1).err
        assert read.read_bytes() == before
    assert "1 new paper" in watch("run", "--format", "atom", "--out", paper / "feed.xml").out


def test_cron_mails_nothing_but_what_is_wrong(index, watch, tmp_path):
    """As it does of a command with `> /dev/null`: what standard error has."""
    feed = ("--format", "atom", "--out", tmp_path / "feed.xml")
    assert watch("run", *feed).err == ""
    watch("add", tmp_path / "draft.jsonl", "--name", "mine")
    assert watch("run", *feed).err == ""
    add_papers([newcomer(1)], index)
    assert watch("run", *feed).err == ""
    (tmp_path / "draft.jsonl").unlink()
    assert "mine: the copy is asked" in watch("run", *feed).err
