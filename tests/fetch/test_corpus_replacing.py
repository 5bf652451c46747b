"""`citescout corpus build` over an index: only what `corpus` commands have brought is replaced."""

import json

import pytest
import world
from bibliography import FAST, IDS, entry, of_paper
from command_line import refused, run
from test_corpus import build, papers_of
from test_corpus_kills import Crash, crash_in

from fetch.corpus import building, updating


def add_own(directory, tmp_path, key="mine"):
    """A paper that its owner adds."""
    own = tmp_path / f"{key}.bib"
    own.write_text(entry(key, "Of a thing that nobody else has", ["Ann Own"], 2020))
    assert run("add", own, "--index", directory).code == 0


def build_again(directory, *options):
    command = ["corpus", "build", "--index", directory, "--size", 60, "--encoder", "none", *FAST]
    return refused(*command, *options)


def index_other(directory, tmp_path):
    """300 papers that no API has brought."""
    other = tmp_path / "other.jsonl"
    other.write_text("".join(json.dumps({"id": f"x{n}", "title": f"Paper {n} of others"}) + "\n" for n in range(300)))
    assert run("index", other, "--index", directory, "--encoder", "none").code == 0


def test_a_build_of_nothing_known_leaves_nothing(tmp_path, where):
    assert "nothing is built" in build_again(tmp_path / "index", "--from", "10.5555/nowhere", *where)
    assert not (tmp_path / "index").exists()


def test_nothing_that_was_asked_is_lost_where_requests_ran_out(openalex, tmp_path, where):
    refs = tmp_path / "refs.bib"
    refs.write_text(entry("none", "Of nothing in particular at all", ["Ann Nobody"], 2015) + of_paper(IDS[0], False))
    assert "nothing is built" in build_again(tmp_path / "index", "--from", refs, "--calls", 1, *where)
    asked = len(openalex.seen)
    build(tmp_path / "index", "--from", refs, *where, size=10)
    paths = [(path, str(parameters)) for path, parameters, _ in openalex.seen]
    assert not set(paths[:asked]) & set(paths[asked:])


def test_an_index_of_something_else_is_kept_after_a_build_that_failed_there(openalex, tmp_path, directory, where, refs):
    openalex.faults = {2: "429 Retry-After=15120"}
    assert "to go on in" in build_again(directory, "--from", refs, *where)
    assert (directory / "fetched").exists()
    index_other(directory, tmp_path)
    assert not (directory / "fetched").exists()
    (directory / "fetched").mkdir()  # as a version that did not remove it had left it
    assert "did not make and would replace" in build_again(directory, "--from", refs, *where)
    assert len(papers_of(directory)) == 300


def test_an_index_of_something_else_is_kept_after_an_update_that_failed_there(
    openalex, tmp_path, directory, where, refs
):
    build(directory, "--from", refs, *where, size=60)
    openalex.faults = {len(openalex.seen) + 1: "429 Retry-After=15120"}
    assert "to go on in" in refused("corpus", "update", "--index", directory, *FAST)
    index_other(directory, tmp_path)
    assert "did not make and would replace" in build_again(directory, "--from", refs, *where)
    assert len(papers_of(directory)) == 300


def test_papers_that_were_added_are_not_lost_by_a_second_build(openalex, tmp_path, directory, where, refs):
    build(directory, "--from", refs, *where, size=60)
    add_own(directory, tmp_path)
    asked, before = len(openalex.seen), papers_of(directory)
    said = build_again(directory, "--from", refs, *where)
    assert "1 paper that was added to the corpus and would be lost, such as mine" in said
    assert "citescout corpus update" in said
    assert len(openalex.seen) == asked
    assert papers_of(directory) == before
    assert run("remove", "mine", "--index", directory).code == 0
    build(directory, "--from", refs, *where, size=70)
    assert len(papers_of(directory)) == 70


@pytest.mark.parametrize(("module", "method"), [(building, "build_index"), (updating, "add_papers")])
def test_what_a_killed_command_brought_is_no_paper_of_its_owner(
    tmp_path, monkeypatch, module, method, directory, where
):
    refs = tmp_path / "refs.bib"
    refs.write_text(of_paper(IDS[0]))
    build(directory, "--from", refs, *where, size=20)
    another = next(id_ for id_ in world.BY_ID if world.w(id_) not in papers_of(directory) and world.CITED[id_])
    refs.write_text(refs.read_text() + of_paper(another))
    with monkeypatch.context() as patch, pytest.raises(Crash):
        crash_in(patch, module, method, 1, False)
        if module is building:
            build(directory, "--from", refs, *where, size=40)
        else:
            run("corpus", "update", "--index", directory, *FAST)
    assert world.w(another) in papers_of(directory)
    add_own(directory, tmp_path)
    assert "1 paper that was added" in build_again(directory, "--from", refs, *where)
    assert run("remove", "mine", "--index", directory).code == 0
    build(directory, "--from", refs, *where, size=40)
    assert len(papers_of(directory)) == 40
    assert not (directory / "fetched").exists()


def test_papers_that_are_added_while_works_are_fetched_are_kept(tmp_path, monkeypatch, directory, where, refs):
    build(directory, "--from", refs, *where, size=60)
    collect = building.collect

    def meanwhile(*arguments):
        add_own(directory, tmp_path)
        return collect(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(building, "collect", meanwhile)
        assert "such as mine" in build_again(directory, "--from", refs, *where)
    assert "mine" in papers_of(directory)
