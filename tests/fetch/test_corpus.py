"""`citescout corpus`: one command from a bibliography to an index that recommends, and another to keep it so."""

import json

import pytest
import world
from bibliography import FAST, IDS, MADE_UP, of_paper
from command_line import refused, run
from fake_zotero import FakeZotero, item, running
from index_reading import papers_of

from citescout import Query, Recommender, Settings
from fetch.corpus.recipe import recipe_of
from indexer.changes import compact_index
from indexer.generations import served_manifest

SOURCES = ["openalex", "semantic-scholar", "crossref"]


def build(directory, *options, size=150):
    return run("corpus", "build", "--index", directory, "--size", size, "--encoder", "none", *FAST, *options)


ID_OF = {"openalex": world.w, "semantic-scholar": world.sha, "crossref": world.doi}


@pytest.mark.long
@pytest.mark.parametrize("source", SOURCES)
def test_one_command_makes_an_index_of_a_bibliography_and_names_what_does_not_exist(
    tmp_path, source, refs, directory, where
):
    report = tmp_path / "report.jsonl"
    told = build(directory, "--from", refs, "--source", source, "--report", report, *where)
    assert "Found 35 of 40 entries" in told.out
    assert "25 by DOI, 10 by title" in told.out
    named = [line.split(":")[0].strip() for line in told.err.splitlines() if line.startswith("  ")]
    assert named == list(MADE_UP)
    assert "10.5555/nowhere1" in told.err
    records = [json.loads(line) for line in report.read_text().splitlines()]
    assert [record["key"] for record in records] == [*IDS, *MADE_UP]
    assert [record["id"] for record in records[:35]] == [ID_OF[source](id_) for id_ in IDS]
    assert all(record["why"] and not record["found"] for record in records[35:])
    assert records[-1]["why"] == "a search for its title finds no work that agrees with it, first author and year"
    papers = papers_of(directory)
    assert len(papers) == 150
    assert papers["none3"].title == MADE_UP["none3"][0]  # not found, and kept all the same
    assert not list(directory.glob("fetched/*"))


@pytest.mark.long
@pytest.mark.parametrize("source", SOURCES)
def test_the_most_connected_works_are_brought(source, refs, directory, where):
    build(directory, "--from", refs, "--source", source, *where)
    name = {ID_OF[source](id_): id_ for id_ in world.BY_ID}
    brought = {name[id_] for id_ in papers_of(directory) if id_ in name} - set(IDS)
    # Brute force: how many of the entries a paper cites, or is cited by.
    links = {
        id_: len({own for own in IDS if own in world.CITED[id_] or id_ in world.CITED[own]})
        for id_ in world.BY_ID
        if id_ not in IDS
    }
    connected = {id_ for id_ in links if links[id_]}
    assert len(brought) == 110 < len(connected)
    assert min(links[id_] for id_ in brought) >= max(links[id_] for id_ in connected - brought)


def test_the_second_hop_is_used_where_there_is_room(tmp_path, where):
    refs = tmp_path / "one.bib"
    refs.write_text(of_paper(IDS[3]))
    told = build(tmp_path / "index", "--from", refs, *where, size=300)
    around = {IDS[3], *world.CITED[IDS[3]], *world.CITING[IDS[3]]}
    brought = papers_of(tmp_path / "index")
    assert {world.w(id_) for id_ in around} < brought.keys()
    further = {id_ for id_ in world.BY_ID if world.w(id_) in brought} - around
    for id_ in further:  # two links at least with the papers before it
        assert len({*world.CITED[id_], *world.CITING[id_]} & around) >= 2
    assert "1 of the bibliography" in told.out


def test_the_index_recommends_and_gives_back_entries_as_they_were(refs, directory, where):
    build(directory, "--from", refs, *where)
    own = papers_of(directory)[world.w(IDS[0])]
    assert own.original.text.startswith(f"@article{{{IDS[0]},")
    asked = world.BY_ID[IDS[1]]
    found = Recommender.open(directory, reranker="none").recommend(
        Query("Another " + asked["title"], asked["abstract"]), Settings(k=10)
    )
    gold = {world.w(id_) for id_ in (*world.CITED[IDS[1]], IDS[1])}
    assert len(found) == 10
    assert gold & {entry.paper.id for entry in found}


def test_requests_are_bounded_and_what_they_brought_is_indexed(openalex, refs, directory, where):
    told = build(directory, "--from", refs, "--calls", 17, *where, size=300)
    counted = [path for path, *_ in openalex.seen if not path.startswith("/works/doi:")]
    assert len(counted) == 17
    assert "17 requests were used up" in told.err
    assert 40 < served_manifest(directory)[1].papers < 300


def test_entries_that_no_request_is_left_for_are_said_to_be_not_looked_up(tmp_path, refs, where):
    told = build(tmp_path / "index", "--from", refs, "--calls", 5, *where)
    assert "not looked up further, since no request is left" in told.err
    assert "Found 29 of 40" in told.out  # the DOIs are one request, and four titles


@pytest.mark.long
def test_an_update_is_told_where_its_bibliography_was_moved(tmp_path, refs, directory, where):
    build(directory, "--from", refs, *where)
    before = papers_of(directory)
    moved = refs.rename(tmp_path / "moved.bib")
    error = refused("corpus", "update", "--index", directory)
    assert f"{refs}: no such file or folder; if it was moved, name all sources with --from" in error
    for told in (["--from", moved], []):  # and it is kept
        assert "0 papers added" in run("corpus", "update", "--index", directory, *told, *FAST).out
        assert recipe_of(directory).origins == (str(moved),)
    assert papers_of(directory) == before


@pytest.mark.long
def test_an_update_brings_new_citing_works_new_entries_and_retractions(openalex, refs, directory, where):
    openalex.corpus, late = openalex.corpus[:-1], openalex.corpus[-1]
    build(directory, "--from", refs, *where)
    before, day = papers_of(directory), recipe_of(directory).updated
    newest = {**late, "id": "https://openalex.org/W9999", "doi": "https://doi.org/10.5555/new", "title": "The newest"}
    newest |= {"referenced_works": [f"https://openalex.org/{world.w(IDS[0])}"], "created_date": day}
    retracted = next(work for work in openalex.corpus if work["id"].endswith("/" + world.w(IDS[5])))
    retracted["is_retracted"] = True
    openalex.corpus.append(newest)
    another = next(id_ for id_ in world.BY_ID if world.w(id_) not in before and world.CITED[id_])
    refs.write_text(refs.read_text() + of_paper(another, with_doi=False))
    told = run("corpus", "update", "--index", directory, *FAST)
    after = papers_of(directory)
    assert "Found 1 of 6 entries" in told.out  # five are tried again
    assert {"W9999", world.w(another)} <= after.keys()
    assert [id_ for id_, paper in after.items() if paper.retracted] == [world.w(IDS[5])]
    assert f"retracted: {world.BY_ID[IDS[5]]['title']}" in told.err
    assert {id_: paper for id_, paper in after.items() if id_ in before and not paper.retracted} == {
        id_: paper for id_, paper in before.items() if id_ != world.w(IDS[5])
    }
    generation = served_manifest(directory)[0]
    retracted["is_retracted"] = False
    told = run("corpus", "update", "--index", directory, *FAST)
    assert not any(paper.retracted for paper in papers_of(directory).values())
    told = run("corpus", "update", "--index", directory, *FAST)
    assert "0 papers added" in told.out
    assert served_manifest(directory)[0] == "gen-000003" > generation


def test_a_paper_whose_title_says_so_stays_marked_as_retracted(openalex, refs, directory, where):
    work = next(work for work in openalex.corpus if work["id"].endswith("/" + world.w(IDS[0])))
    work["title"] = work["display_name"] = f"RETRACTED: {work['title']}"
    build(directory, "--from", refs, *where)
    run("corpus", "update", "--index", directory, *FAST)
    assert [id_ for id_, paper in papers_of(directory).items() if paper.retracted] == [world.w(IDS[0])]


def test_without_a_plan_what_is_new_is_told_by_its_day_of_publication(openalex, refs, directory, where):
    build(directory, "--from", refs, *where)
    openalex.plan = False
    seen = len(openalex.seen)
    run("corpus", "update", "--index", directory, *FAST)
    lists = [parameters["filter"] for path, parameters, _ in openalex.seen[seen:] if path == "/works"]
    assert [part for part in lists if "from_created_date" in part][1:] == []
    assert any("from_publication_date" in part for part in lists)


def test_an_entry_that_is_found_later_is_no_longer_there_under_its_key(openalex, refs, directory, where):
    build(directory, "--from", refs, *where)
    work = dict(openalex.corpus[0], id="https://openalex.org/W8888", doi="https://doi.org/10.5555/nowhere1")
    work |= {"title": MADE_UP["none1"][0], "authorships": [{"author": {"display_name": "A. Nobody"}}]}
    openalex.corpus.append(work | {"publication_year": 2015})
    run("corpus", "update", "--index", directory, *FAST)
    papers = papers_of(directory)
    assert "none1" not in papers
    assert papers["W8888"].original.text.startswith("@article{none1,")
    assert {known.key: known.id for known in recipe_of(directory).entries}["none1"] == "W8888"


@pytest.mark.long
@pytest.mark.parametrize("source", ["crossref", "semantic-scholar"])
def test_other_sources_update_too(apis, source, refs, directory, where):
    build(directory, "--from", refs, "--source", source, *where)
    apis.retracted.add(IDS[0])
    told = run("corpus", "update", "--index", directory, *FAST)
    retracted = [id_ for id_, paper in papers_of(directory).items() if paper.retracted]
    assert retracted == ([world.doi(IDS[0])] if source == "crossref" else [])
    assert ("has no retractions" in told.err) is (source != "crossref")


def test_the_recipe_survives_a_compaction_and_ends_with_another_index(openalex, monkeypatch, refs, directory, where):
    monkeypatch.setenv("OPENALEX_API_KEY", "secret-key")
    build(directory, "--from", refs, "--email", "me@example.org", *where)
    assert any(headers.get("Authorization") == "Bearer secret-key" for *_, headers in openalex.seen)
    compact_index(directory)
    recipe = recipe_of(directory)
    assert recipe.origins == (str(refs),)
    assert (recipe.source, recipe.size, recipe.encoder) == ("openalex", 150, None)
    assert [known.id for known in recipe.entries[:35]] == [world.w(id_) for id_ in IDS]
    text = (directory / "corpus.json").read_text()
    assert "secret" not in text
    assert "me@example.org" not in text
    assert run("index", refs, "--index", directory, "--encoder", "none").code == 0
    assert "was not made by `citescout corpus build`" in refused("corpus", "update", "--index", directory)


def test_sources_of_entries(tmp_path, where):
    """A manuscript's folder, DOIs, arXiv ids and a file of DOIs, in one command."""
    paper = tmp_path / "paper"
    paper.mkdir()
    (paper / "main.tex").write_text(
        r"\documentclass{article}\begin{document}\title{Of things}\begin{abstract}Things.\end{abstract}"
        rf"We cite \cite{{{IDS[0]}}}.\bibliography{{refs}}\end{{document}}"
    )
    (paper / "refs.bib").write_text(of_paper(IDS[0]))
    listed = tmp_path / "dois.txt"
    listed.write_text(f"# mine\n{world.doi(IDS[1])}\nhttps://doi.org/{world.doi(IDS[2])}\n")
    arxiv = next(paper for paper in world.PAPERS if paper.get("arxiv") and paper["id"] not in IDS)
    sources = ["--from", paper, listed, world.doi(IDS[3]), f"arXiv:{arxiv['arxiv']}", world.doi(IDS[3])]
    told = build(tmp_path / "index", *sources, *where, size=20)
    assert "Found 5 of 5 entries at OpenAlex: 4 by DOI, 1 by arXiv id" in told.out
    wanted = {world.w(id_) for id_ in (*IDS[:4], arxiv["id"])}
    assert wanted <= papers_of(tmp_path / "index").keys()


def test_a_zotero_library_is_looked_up_and_followed(tmp_path, where):
    zotero = FakeZotero()
    with running(zotero) as address:
        zotero.put(item("KEY00001", world.BY_ID[IDS[0]]["title"], DOI=world.doi(IDS[0])))
        where = [*where, "--zotero-url", address]
        build(tmp_path / "index", "--from", "zotero", *where, size=10)
        assert world.w(IDS[0]) in papers_of(tmp_path / "index")
        assert recipe_of(tmp_path / "index").origins == ("zotero",)
        zotero.put(item("KEY00002", world.BY_ID[IDS[7]]["title"], DOI=world.doi(IDS[7])))
        told = run("corpus", "update", "--index", tmp_path / "index", *FAST)
    assert "Found 1 of 1 entry" in told.out
    assert world.w(IDS[7]) in papers_of(tmp_path / "index")
    assert not (tmp_path / "index" / "zotero.json").exists()


def test_works_of_zotero_keep_the_citation_keys_that_they_have_there(tmp_path, where):
    zotero = FakeZotero()
    with running(zotero) as address:
        zotero.put(item("KEY00001", world.BY_ID[IDS[0]]["title"], DOI=world.doi(IDS[0]), citationKey="mine"))
        where = [*where, "--zotero-url", address]
        build(tmp_path / "index", "--from", "zotero", *where, size=2)
        cite = ["cite", world.BY_ID[IDS[0]]["title"], "--index", tmp_path / "index", "--format", "bibtex"]
        assert "{mine," in run(*cite).out
        zotero.put(item("KEY00001", world.BY_ID[IDS[0]]["title"], DOI=world.doi(IDS[0]), citationKey="ours"))
        run("corpus", "update", "--index", tmp_path / "index", *FAST)
        assert "{ours," in run(*cite).out


def test_a_preprint_that_the_source_lacks_comes_from_arxiv(openalex, tmp_path, where):
    arxiv = next(paper for paper in world.PAPERS if paper.get("arxiv") and paper["id"] not in IDS)
    openalex.corpus = [work for work in openalex.corpus if work["title"] != arxiv["title"]]
    refs = tmp_path / "refs.bib"
    preprint = f"@misc{{mine, title={{{arxiv['title']}}}, eprint={{{arxiv['arxiv']}}}, archiveprefix={{arXiv}}}}\n"
    lost = "@misc{lost, title={Of nothing that is known}, eprint={1901.99999}, archiveprefix={arXiv}}\n"
    refs.write_text(preprint + lost + of_paper(IDS[0]))
    told = build(tmp_path / "index", "--from", refs, *where, size=20)
    assert "1 by arXiv id at arXiv alone" in told.out
    assert "arXiv has no 1901.99999" in told.err
    paper = papers_of(tmp_path / "index")[f"arXiv:{arxiv['arxiv']}"]
    assert (paper.abstract, paper.authors) == (arxiv["abstract"], tuple(arxiv["authors"]))
    assert paper.original.text.startswith("@misc{mine,")


def test_a_doi_of_another_work_is_not_believed(tmp_path, where):
    wrong = of_paper(IDS[0]).replace(world.doi(IDS[0]), world.doi(IDS[7]))
    refs = tmp_path / "refs.bib"
    refs.write_text(wrong)
    told = build(tmp_path / "index", "--from", refs, *where, size=10)
    assert "Found 1 of 1 entry at OpenAlex: 1 by title" in told.out
    assert world.w(IDS[0]) in papers_of(tmp_path / "index")


def test_what_is_wrong_is_said_in_one_line_before_anything_is_asked(openalex, tmp_path, refs, where):
    where = [*FAST, *where]
    other = tmp_path / "other"
    other.mkdir()
    (other / "letter.txt").write_text("Dear …")
    index = ["--index", tmp_path / "index"]
    assert "no such file" in refused("corpus", "build", "--from", tmp_path / "none.bib", *index, *where)
    assert "other content" in refused("corpus", "build", "--from", refs, "--index", other, *where)
    assert "nonesuch" in refused("corpus", "build", "--from", refs, "--encoder", "nonesuch", *index, *where)
    assert f"no index directory {index[1]}" in refused("corpus", "update", *index)
    assert openalex.seen == []
    (tmp_path / "index" / "corpus.json").parent.mkdir(exist_ok=True)
    (tmp_path / "index" / "corpus.json").write_text("{")
    assert "damaged" in refused("corpus", "update", *index)


def test_a_bibliography_of_nothing_known_builds_nothing(tmp_path, where):
    refs = tmp_path / "refs.bib"
    refs.write_text("@article{x, title={Nothing that anybody ever wrote down}, author={No Body}, year=2001}")
    error = refused("corpus", "build", "--from", refs, "--index", tmp_path / "index", *FAST, *where)
    assert "OpenAlex has nothing of the bibliography (1 entry); nothing is built" in error


def test_an_index_of_something_else_is_not_replaced(tmp_path, refs):
    assert run("index", refs, "--index", tmp_path / "index", "--encoder", "none").code == 0
    before = sorted((tmp_path / "index").rglob("*"))
    said = refused("corpus", "build", "--from", refs, "--index", tmp_path / "index", *FAST)
    assert "did not make and would replace: choose another folder" in said
    assert sorted((tmp_path / "index").rglob("*")) == before
