"""Keys of bibliographies, which are not unique across files: no paper of another work is lost by one unnoticed."""

import json

import pytest
import world
from bibliography import FAST, IDS, MADE_UP, entry, of_paper
from command_line import refused, run
from index_reading import papers_of
from test_corpus import build

from fetch.corpus.recipe import recipe_of
from indexer.changes import add_papers
from indexer.paper import Paper

FIRST, SECOND = (MADE_UP[key][0] for key in ("none1", "none3"))


def test_two_entries_of_one_key_are_named(tmp_path, caplog, where):
    (tmp_path / "a.bib").write_text(of_paper(IDS[0]) + entry("same", FIRST, ["Ann Nobody"], 2015))
    (tmp_path / "b.bib").write_text(entry("same", SECOND, ["Ben Nobody"], 2016))
    build(tmp_path / "index", "--from", tmp_path / "a.bib", tmp_path / "b.bib", *where)
    assert papers_of(tmp_path / "index")["same"].title == SECOND
    assert [record.getMessage() for record in caplog.records] == [
        "two entries have the key same: the last one counts; give each its own"
    ]


@pytest.mark.parametrize(("title", "left"), [(FIRST, True), (None, False)])
def test_a_new_entry_takes_away_what_has_its_key_only_if_that_is_the_same_work(tmp_path, title, left, where):
    refs, index = tmp_path / "refs.bib", tmp_path / "index"
    refs.write_text(of_paper(IDS[0]))
    build(index, "--from", refs, *where, size=1)
    refs.write_text(of_paper(IDS[0]) + of_paper(IDS[1]))
    there = Paper(IDS[1], title or world.BY_ID[IDS[1]]["title"])
    add_papers([there], index)
    run("corpus", "update", "--index", index, *FAST)
    assert papers_of(index).get(IDS[1]) == (there if left else None)


def test_a_bibliography_that_cannot_be_read_is_named(tmp_path, monkeypatch, where):
    refs = tmp_path / "refs.bib"
    refs.write_text(of_paper(IDS[0]))

    def forbidden(self, *_arguments, **_options):
        raise PermissionError(13, "Permission denied", str(self))

    monkeypatch.setattr("pathlib.Path.open", forbidden)
    assert "Permission denied" in refused(
        "corpus", "build", "--from", refs, "--index", tmp_path / "index", *FAST, *where
    )


def test_entries_of_one_title_or_one_doi_are_one_only_if_they_name_one_work(tmp_path, where):
    title = world.BY_ID[IDS[1]]["title"]
    different = [
        of_paper(IDS[0]),
        entry("shared", title, world.BY_ID[IDS[1]]["authors"], world.BY_ID[IDS[1]]["year"], world.doi(IDS[0])),
        entry("lee", "Introduction", ["Ann Lee"], 1999),
        entry("roe", "Introduction", ["Ben Roe"], 2005),
        entry("miller", "Research methods", ["Ann Miller"], 2011),
        entry("nguyen", "Research methods", ["Ben Nguyen"], 2011),
        "@misc{one, author={Ann Lee}, note={One}}\n@misc{two, author={Ann Lee}, note={Two}}\n",
    ]
    again = [entry("nguyen2", "Research Methods", ["Nguyen, B."], 2011), of_paper(IDS[0]).replace(IDS[0], "again", 1)]
    refs, index = tmp_path / "refs.bib", tmp_path / "index"
    refs.write_text("".join((*different, *again)))
    build(index, "--from", refs, *where, size=8)
    known = {one.key: one.id for one in recipe_of(index).entries}
    assert {"lee", "roe", "miller", "nguyen"} <= papers_of(index).keys()
    assert {key for key in known if known[key]} == {IDS[0], "shared"}
    assert (known[IDS[0]], known["shared"]) == (world.w(IDS[0]), world.w(IDS[1]))
    assert not {"nguyen2", "again"} & known.keys()


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("with_doi", [True, False])
def test_of_two_entries_of_one_work_the_nearest_is_given_back(tmp_path, order, with_doi, where):
    paper = world.BY_ID[IDS[0]]
    preprint = entry("preprint", paper["title"], paper["authors"], paper["year"] - 1)
    entries = [of_paper(IDS[0], with_doi), preprint]
    refs, index = tmp_path / "refs.bib", tmp_path / "index"
    refs.write_text("".join(entries[::order]))
    build(index, "--from", refs, *where, size=1)
    assert papers_of(index)[world.w(IDS[0])].original.text.startswith(f"@article{{{IDS[0]},")


@pytest.mark.parametrize("late", [False, True])
def test_a_misspelt_entry_of_a_work_that_was_brought_is_that_work(tmp_path, late, where):
    """Searches by title want each word as it is."""
    cited = next(id_ for id_ in world.CITED[IDS[3]] if id_ not in IDS)
    paper = world.BY_ID[cited]
    longest = max(paper["title"].split(), key=len)
    misspelt = paper["title"].replace(longest, longest[:3] + longest[4:])
    wrong = entry("wrong", misspelt, paper["authors"], paper["year"], "10.5555/nowhere")
    refs, index = tmp_path / "refs.bib", tmp_path / "index"
    refs.write_text(of_paper(IDS[3]) + ("" if late else wrong))
    told = build(index, "--from", refs, *where, size=300)
    if late:
        refs.write_text(of_paper(IDS[3]) + wrong)
        told = run("corpus", "update", "--index", index, *FAST)
    assert "1 by title" in told.out
    assert "wrong" not in papers_of(index)
    assert papers_of(index)[world.w(cited)].original.text.startswith("@article{wrong,")
    assert {known.key: known.id for known in recipe_of(index).entries}["wrong"] == world.w(cited)


@pytest.mark.parametrize("status", ["400", "414"])
def test_a_title_that_the_search_refuses_does_not_end_the_rest(apis, tmp_path, where, status):
    apis.faults = {1: status}
    (tmp_path / "refs.bib").write_text("".join(of_paper(id_, False) for id_ in IDS[:2]))
    told = build(tmp_path / "index", "--from", tmp_path / "refs.bib", "--source", "crossref", *where, size=5)
    assert "Found 1 of 2" in told.out
    assert f"{IDS[0]}: " in told.err and f"Crossref refuses to search for its title (HTTP {status})" in told.err


def test_an_identifier_of_another_work_of_the_same_author_is_doubted(openalex, tmp_path, where):
    """Where the title is found, that is the work; else it may be a translation, but no entry of another is given."""
    scibert, longformer = "beltagy2019scibert", "beltagy2020longformer"
    wrong = of_paper(scibert).replace(world.doi(scibert), world.doi(longformer))
    arxiv = world.BY_ID[longformer]["arxiv"]
    preprint = entry("preprint", "Of Hedgehogs", ["Iz Beltagy"], 2020).replace("title", f"eprint = {{{arxiv}}}, title")
    for lacking, how in (("", "title"), (scibert, "doi")):
        openalex.corpus = [work for work in openalex.corpus if not lacking or not work["id"].endswith(world.w(lacking))]
        refs, index, report = tmp_path / "refs.bib", tmp_path / how, tmp_path / f"{how}.jsonl"
        refs.write_text(wrong)
        told = build(index, "--from", refs, "--report", report, *where, size=1)
        record = json.loads(report.read_text())
        (paper,) = papers_of(index).values()
        assert (record["found"], paper.id) == (how, world.w(longformer if lacking else scibert))
        assert (paper.original is None, bool(record["why"])) == (bool(lacking), bool(lacking))
        assert (f"its DOI is that of {world.BY_ID[longformer]['title']}" in told.err) == bool(lacking)
    openalex.corpus = [work for work in openalex.corpus if not work["id"].endswith(world.w(longformer))]
    refs.write_text(preprint.replace("title", "archiveprefix = {arXiv}, title") + of_paper(IDS[0]))
    told = build(tmp_path / "preprint", "--from", refs, *where, size=2)
    assert "its arXiv id is that of Longformer" in told.err
    assert papers_of(tmp_path / "preprint")[f"arXiv:{arxiv}"].original is None
