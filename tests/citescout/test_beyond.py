"""Works outside the index: which are named for a query, and how every output names them."""

import json
from dataclasses import replace

import orjson
import pytest
from command_line import run
from outside_corpus import BUNDLES, DESCRIBED, PAPERS

from citescout import Paper, Query, Recommender, Settings
from cli.main import main
from exports.outside import outside_name
from indexer.builds import build_index
from indexer.changes import add_papers
from indexer.identity.references import Reference

QUERY = Query("Edge bundling of graphs", "How edges of diagrams are bundled in node-link diagrams.")
SETTINGS = Settings(beyond=20)


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    folder = tmp_path_factory.mktemp("outside") / "ix"
    build_index(PAPERS, folder, None)
    return folder


@pytest.fixture(scope="module")
def recommender(directory):
    with Recommender.open(directory) as opened:
        yield opened


def named(recommender, query, settings=SETTINGS):
    return {
        work.paper.id or work.paper.title or work.paper.venue: work
        for work in recommender.answer(query, settings).beyond
    }


def test_works_are_named_with_who_cites_them(recommender):
    found = recommender.answer(QUERY, SETTINGS).beyond
    first = found[0]
    assert (first.paper.doi, first.cited_by_count, first.times_cited) == (BUNDLES, 3, 3)
    assert {paper.id for paper in first.cited_by} == {"p1", "p2", "p3"}
    assert [work.score for work in found] == sorted((work.score for work in found), reverse=True)
    described = next(work for work in found if work.paper.title)
    assert (described.paper.title, described.paper.year, described.cited_by_count) == (DESCRIBED.title, 1999, 2)
    arxiv = next(work for work in found if work.paper.arxiv)
    assert arxiv.paper.arxiv == "1706.03762"
    assert next(work for work in found if work.paper.id == "W9001").paper.url == "https://openalex.org/W9001"
    assert "Small, H (1973), vol. 24, p. 265" in [outside_name(work.paper) for work in found]
    assert outside_name(Paper("W1", r"Of $\alpha$")) == "Of α"


def test_as_many_as_asked_for_and_none_unasked(recommender):
    assert len(recommender.answer(QUERY, Settings(beyond=2)).beyond) == 2
    assert recommender.answer(QUERY).beyond == ()


def test_notices_are_not_named(tmp_path):
    notice = Reference(author="Doe, J", year="2000", title=f"Erratum to: {DESCRIBED.title}")
    build_index([replace(one, citations=(*one.citations, notice.citation())) for one in PAPERS], tmp_path, None)
    with Recommender.open(tmp_path) as opened:
        found = named(opened, QUERY)
        assert DESCRIBED.title in found
        assert notice.title not in found


def test_what_papers_cite_that_share_nothing_with_the_query_comes_last_or_not(recommender):
    assert list(named(recommender, QUERY)).index(BUNDLES) == 0
    assert "W9003" not in named(recommender, Query("Edge bundling", already_cited=("p1",)), Settings(beyond=3))


def test_only_references_of_papers_that_a_draft_can_read_count(recommender):
    # p1 is of 2001, p2 of 2003, p3 of 2010 and p6 of an unknown year.
    found = named(recommender, replace(QUERY, year=2009))
    assert (found[BUNDLES].cited_by_count, found[BUNDLES].times_cited) == (2, 2)
    assert {"W9002", "W9004"}.isdisjoint(found)
    assert named(recommender, replace(QUERY, year=2000)) == {}


def test_what_the_query_cites_was_read_by_its_writer_whatever_its_year(recommender):
    of_the_index = replace(QUERY, id="p2", year=2010)
    assert "W9002" not in named(recommender, of_the_index)
    assert named(recommender, replace(of_the_index, already_cited=("p3",)))["W9002"].cited_by_count == 1


def test_what_the_query_cites_by_its_pmid_is_not_named_by_the_same(tmp_path):
    build_index([Paper("31", "Edge bundling of graphs", citations=("1234567",))], tmp_path / "ix", None)
    with Recommender.open(tmp_path / "ix") as recommender:
        assert list(named(recommender, QUERY)) == ["1234567"]
        assert not named(recommender, replace(QUERY, already_cited=("PMID: 1234567",)))


@pytest.mark.parametrize(
    ("cited", "gone"),
    [
        ("10.1000/BUNDLES", BUNDLES),
        ("https://doi.org/10.1000/bundles", BUNDLES),
        ("doi:10.1000/bundles", BUNDLES),
        ("W9001", "W9001"),
        ("1706.03762", "arXiv:1706.03762"),
        ("https://arxiv.org/abs/1706.03762v3", "arXiv:1706.03762"),
        (DESCRIBED.title.upper(), DESCRIBED.title),
    ],
)
def test_what_the_query_cites_already_is_not_named(recommender, cited, gone):
    before, after = named(recommender, QUERY), named(recommender, replace(QUERY, already_cited=(cited,)))
    assert gone in before
    assert set(before) - set(after) == {gone}


def test_what_is_disliked_and_the_paper_itself_are_not_named(recommender):
    before = set(named(recommender, QUERY))
    assert before - set(named(recommender, replace(QUERY, disliked=("W9001",)))) == {"W9001"}
    assert before - set(named(recommender, replace(QUERY, id="W9002"))) == {"W9002"}
    own = Query(DESCRIBED.title, QUERY.abstract)
    assert DESCRIBED.title not in named(recommender, own)


def test_references_of_the_query_s_own_paper_do_not_count(recommender):
    own = Query(PAPERS[0].title, PAPERS[0].abstract, id="p1")
    assert "W9001" not in named(recommender, own)


def test_a_filter_of_the_list_leaves_the_evidence(recommender):
    from citescout.filters import Filters

    assert (
        named(recommender, QUERY, Settings(beyond=20, filters=Filters(from_year=2100))).keys()
        == named(recommender, QUERY).keys()
    )


def test_a_work_that_is_added_is_a_paper_from_then_on(tmp_path):
    build_index(PAPERS, tmp_path / "ix", None)
    added = [
        Paper("W77", "Force-directed edge bundling of graphs", "Diagrams.", 1998, doi=BUNDLES),
        Paper("local", DESCRIBED.title, "Graphs.", 1999, ("Jane Doe",)),
    ]
    add_papers(added, tmp_path / "ix")
    with Recommender.open(tmp_path / "ix") as recommender:
        found = named(recommender, QUERY)
        assert BUNDLES not in found
        assert DESCRIBED.title not in found  # found by its title, though no record names it by an id
        ids = [entry.paper.id for entry in recommender.answer(QUERY).recommendations]
        assert {"W77", "local"} <= set(ids)
        assert recommender.generation.graph.cited_by.of(recommender.docid_of("W77")).size == 3


def asked(tmp_path, directory, *options):
    (tmp_path / "q.jsonl").write_text(
        json.dumps({"id": "q", "title": QUERY.title, "abstract": QUERY.abstract}), "utf-8"
    )
    return run("recommend", tmp_path / "q.jsonl", "--index", directory, "--beyond", 20, *options).out


def test_table_and_markdown_name_them_below_the_list(tmp_path, directory, recommender):
    table = asked(tmp_path, directory)
    count = len(recommender.answer(QUERY, SETTINGS).beyond)
    assert f"-- {count} works that are not in this index and that the nearest papers cite --" in table
    assert f"{BUNDLES}  https://doi.org/{BUNDLES}" in table
    markdown = asked(tmp_path, directory, "--format", "markdown")
    assert f"- [{BUNDLES}](<https://doi.org/{BUNDLES}>) — Cited by 3 of the nearest papers, such as" in markdown
    assert f"- {DESCRIBED.title} — Cited by" in markdown


def test_json_lines_hold_all_that_is_known(tmp_path, directory):
    (answer,) = map(orjson.loads, asked(tmp_path, directory, "--format", "jsonl").splitlines())
    first = answer["beyond"][0]
    assert (first["doi"], first["url"], first["times_cited"]) == (BUNDLES, f"https://doi.org/{BUNDLES}", 3)
    assert {linked["id"] for linked in first["cited_by"]} == {"p1", "p2", "p3"}


def test_bibtex_has_a_stub_for_what_a_doi_or_arxiv_id_tells(tmp_path, directory):
    text = asked(tmp_path, directory, "--format", "bibtex")
    assert f"  doi = {{{BUNDLES}}}," in text
    assert "  eprint = {1706.03762}," in text
    assert "W9001" not in text


def test_a_batch_in_bibtex_that_was_interrupted_ends_in_the_same_bytes(tmp_path, directory):
    queries = [
        {"id": f"q{n}", "title": QUERY.title, "abstract": QUERY.abstract, "year": 2000 + n} for n in range(2, 16, 3)
    ]
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, queries)), "utf-8")
    command = ["recommend", str(tmp_path / "q.jsonl"), "--index", str(directory), "--beyond", "9", "--format", "bibtex"]
    main([*command, "--out", str(tmp_path / "whole.bib")])
    from exports.resuming import AnswerFile

    write = AnswerFile.write

    def killed(self, export, asked, answers, papers):
        def some():
            for place, answer in enumerate(answers):
                if place == 3:
                    raise KeyboardInterrupt
                yield answer

        write(self, export, asked, some(), papers)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(AnswerFile, "write", killed)
        main([*command, "--out", str(tmp_path / "part.bib")])
    assert not (tmp_path / "part.bib").exists()
    main([*command, "--out", str(tmp_path / "part.bib")])
    assert (tmp_path / "part.bib").read_bytes() == (tmp_path / "whole.bib").read_bytes()
    assert (tmp_path / "whole.bib").read_text("utf-8").count(BUNDLES) == 1


def test_what_a_bibliography_cites_beside_the_index_is_not_named(tmp_path, directory):
    bibliography = tmp_path / "mine.bib"
    bibliography.write_text(f"@article{{a, title={{Something else}}, doi={{{BUNDLES}}}}}\n", "utf-8")
    text = asked(tmp_path, directory, "--cited", str(bibliography))
    assert BUNDLES not in text
    assert "W9001" in text


def test_what_a_manuscript_cites_beside_the_index_is_not_named(tmp_path, directory):
    folder = tmp_path / "draft"
    folder.mkdir()
    (folder / "refs.bib").write_text(f"@article{{a, title={{Something else of note}}, doi={{{BUNDLES}}}}}\n", "utf-8")
    (folder / "main.tex").write_text(
        r"\documentclass{article}\title{Edge bundling of graphs}\begin{document}\maketitle"
        r"\begin{abstract}How edges of diagrams are bundled in node-link diagrams.\end{abstract}"
        r"As \cite{a} says.\bibliography{refs}\end{document}",
        "utf-8",
    )
    text = run("recommend", folder, "--index", directory, "--beyond", 20).out
    assert "W9001" in text
    assert BUNDLES not in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--beyond", "3", "--format", "csv"], "--beyond goes with --format bibtex, jsonl, markdown, table"),
        (["--expand"], "--expand goes with --beyond N"),
        (["--beyond", "1001"], "--beyond"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path, directory, options, message):
    (tmp_path / "q.jsonl").write_text('{"title": "graphs"}', "utf-8")
    ended = run("recommend", tmp_path / "q.jsonl", "--index", directory, *options)
    assert ended.code == 2
    assert message in ended.err
