"""`recommend PATH` for a whole manuscript: its citations are evidence, and what it lacks goes into its bibliography."""

import json
import re
import zipfile
from pathlib import Path

import pytest
from command_line import refused, run

from demo import CORPUS
from manuscripts.limits import MAX_BIBTEX

# Of the demo corpus, as a user's own bibliography has them: by DOI, by arXiv id, by title; and one that is not there.
BIB = r"""@inproceedings{spec, title={{SPECTER}: other words}, doi={10.18653/V1/2020.ACL-MAIN.207}, author={Cohan, A.}}
@misc{cbcr, title={Content-based citation recommendation}, year=2018}
@misc{context, title={Context-Aware Citation Recommendation}, author={He, Qi and others}, year=2010}
@article{unknown, title={A work that no corpus holds at all}, year=2001}
@article{uncited, title={Attention Is All You Need}, author={Vaswani, A.}, year=2017}
"""
TEX = r"""\documentclass{article}
\title{Recommending citations with graphs}
\begin{document}
\begin{abstract}We recommend papers to cite, with document representations of citation graphs.\end{abstract}
\section{Introduction}
Citations are recommended \cite{spec,cbcr}, for a context \citep{context}. See \cite{unknown,nowhere}.
\bibliography{refs}
\end{document}
"""
CITED = {"cohan2020specter", "bhagavatula2018content", "he2010context"}


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    folder = tmp_path / "paper"
    folder.mkdir()
    (folder / "main.tex").write_text(TEX)
    (folder / "refs.bib").write_text(BIB)
    return folder


def asked(index: Path, *arguments: object) -> tuple[list[str], str]:
    """Ids of the list, and what is said on standard error."""
    said = run("recommend", *arguments, "--index", index, "--format", "jsonl", "--reranker", "none")
    return [entry["id"] for entry in json.loads(said.out)["recommendations"]], said.err


def test_a_manuscripts_citations_are_evidence_and_not_recommended(demo_index: Path, paper: Path) -> None:
    assert {json.loads(line)["id"] for line in CORPUS.read_text("utf-8").splitlines()} >= CITED
    found, said = asked(demo_index, paper, "-k", 1000)
    assert not CITED & set(found)
    assert "Cited in paper: 3 of 4 found: 1 by DOI, 2 by title" in said
    assert "not found: unknown: A work that no corpus holds at all (2001)" in said
    assert "paper: no entry for the key nowhere" in said
    text = paper / "text.txt"
    title, abstract = re.findall(r"(?:title\{|begin\{abstract\})(.*?)(?:\}$|\\end)", TEX, re.MULTILINE)
    text.write_text(f"{title}\n\n{abstract}")
    alone, _ = asked(demo_index, text, "-k", 1000)
    assert set(alone) >= CITED
    assert [entry for entry in alone if entry not in CITED] != found  # what is cited has a say in the order


def test_json_has_what_a_manuscript_cites_and_the_index_lacks(demo_index: Path, paper: Path) -> None:
    for beyond in ((), ("--beyond", 1)):
        said = run("recommend", paper, "--index", demo_index, "--format", "jsonl", "-k", 1, *beyond)
        assert json.loads(said.out)["unknown"] == ["A work that no corpus holds at all"]


def test_of_the_bibliography_that_a_manuscript_names_outside_its_folder_only_what_it_cites_counts(
    tmp_path: Path, demo_index: Path, paper: Path
) -> None:
    beside, said = asked(demo_index, paper, "-k", 1000)
    (paper / "refs.bib").rename(tmp_path / "refs.bib")
    (paper / "main.tex").write_text(TEX.replace("{refs}", "{../refs}"))
    for cited in ((), ("--cited", tmp_path / "refs.bib")):
        assert asked(demo_index, paper, "-k", 1000, *cited) == (beside, said)
    refused = run("recommend", paper, "--index", demo_index, "--format", "bibtex", "--out", tmp_path / "refs.bib")
    assert (refused.code, "one of the files that are read" in refused.err) == (1, True)
    (tmp_path / "elsewhere").mkdir()
    elsewhere = (tmp_path / "refs.bib").rename(tmp_path / "elsewhere/refs.bib")
    assert "paper: --cited FILE gives it a bibliography" in asked(demo_index, paper)[1]
    assert asked(demo_index, paper, "-k", 1000, "--cited", elsewhere) == (beside, said)
    # Any other file is cited as a whole, as it is for every query.
    others = elsewhere.rename(tmp_path / "others.bib")
    assert "vaswani2017attention" in beside
    assert "vaswani2017attention" not in asked(demo_index, paper, "-k", 1000, "--cited", others)[0]


def test_a_library_in_csl_json_outside_of_the_folder_is_neither_cited_as_a_whole_nor_written_over(
    tmp_path: Path, demo_index: Path, paper: Path
) -> None:
    (paper / "main.tex").write_text(TEX.replace(r"\bibliography{refs}", r"\addbibresource{../library.json}"))
    library = tmp_path / "library.json"
    library.write_text('[{"id": "uncited", "type": "book", "title": "Attention Is All You Need"}]')
    alone = asked(demo_index, paper, "-k", 1000)
    assert "vaswani2017attention" in alone[0]
    assert asked(demo_index, paper, "-k", 1000, "--cited", library) == alone
    said = run("recommend", paper, "--index", demo_index, "--format", "jsonl", "--out", library)
    assert (said.code, "one of the files that are read" in said.err) == (1, True)


def test_works_of_few_words_and_no_author_are_found_by_their_keys_in_an_index_of_the_same_bibliography(
    tmp_path: Path,
) -> None:
    shared = "@legislation{bgb, title={Graph Act}, date={1896}}\n@misc{a1, title={Citations in law}, year={2001}}\n"
    (tmp_path / "refs.bib").write_text(shared + "@misc{b2, title={Graphs of laws}, year={2003}}\n")
    run("index", tmp_path / "refs.bib", "--index", tmp_path / "index", "--encoder", "none")
    draft = tmp_path / "draft"
    draft.mkdir()
    (draft / "main.tex").write_text(TEX.replace("unknown,nowhere", "bgb,a1,b2").replace("spec,cbcr", "a1"))
    (draft / "refs.bib").write_text(shared + "@misc{b2, title={Graphs of laws in force}, year={2003}}\n")
    found, said = asked(tmp_path / "index", draft)
    assert "Cited in draft: 2 of 3 found: 2 by id" in said
    assert "not found: b2: Graphs of laws in force (2003)" in said
    assert found == ["b2"]


def test_an_entry_of_a_typed_list_that_is_not_found_is_shown_as_it_is_printed(demo_index: Path, tmp_path: Path) -> None:
    entry = "Garg, K. C., & Padhi, P. (2001). Of lasers and patents. Acta, 52, 1-9. https://doi.org/10.1000/garg"
    paper = tmp_path / "paper.md"
    paper.write_text(f"# On lasers\n\nThey shine (Garg & Padhi, 2001).\n\n## References\n\n{entry}\n")
    _, said = asked(demo_index, paper)
    assert f"  not found: Garg & Padhi 2001: {entry}" in said.splitlines()


def test_that_a_bibliography_is_too_large_to_add_to_is_not_said_where_nothing_is_added(
    demo_index: Path, tmp_path: Path
) -> None:
    (tmp_path / "main.tex").write_text(re.sub(r"(?m)^(Cit|\\bib).*\n", "", TEX))
    (tmp_path / "open.bib").write_text("% a long library\n" * (MAX_BIBTEX // 16))
    _, said = asked(demo_index, tmp_path / "main.tex")
    assert said == "main.tex: no citation was found in it\n"


def test_of_a_text_without_citations_nothing_is_said_to_be_unreadable(demo_index: Path, tmp_path: Path) -> None:
    (tmp_path / "abstract.txt").write_text("Dense retrieval\n\nWe study the retrieval of passages.\n")
    _, said = asked(demo_index, tmp_path / "abstract.txt")
    assert said == "abstract.txt: no citation was found in it\n"
    (tmp_path / "main.tex").write_text(TEX)
    _, said = asked(demo_index, tmp_path / "main.tex")
    assert said.endswith("Cited in main.tex: nothing that could be read\n"), "its bibliography is not there"


def test_of_a_chapter_without_bibliography_it_is_said_that_the_main_file_helps(demo_index: Path, paper: Path) -> None:
    chapter = paper / "chapters" / "02.tex"
    chapter.parent.mkdir()
    chapter.write_text(r"\chapter{Graphs}Citations are recommended \cite{spec}.")
    helps = "02.tex: no bibliography was found: give the main file that it is part of, or --cited FILE\n"
    cite = ("cite", "Graphs help.", "--draft", chapter, "--index", demo_index)
    assert helps in run(*cite).err
    assert helps not in run(*cite, "--cited", paper / "refs.bib").err
    assert helps in run("review", chapter, "--index", demo_index).err
    assert "such as a chapter, give the main file" in refused("recommend", chapter, "--index", demo_index)


def test_a_folder_its_main_file_and_its_archive_give_one_list(demo_index: Path, paper: Path) -> None:
    archive = paper.parent / "paper.zip"
    with zipfile.ZipFile(archive, "w") as packed:
        for file in paper.iterdir():
            packed.write(file, f"paper/{file.name}")
    lists = [asked(demo_index, source)[0] for source in (paper, paper / "main.tex", archive)]
    assert lists[0] == lists[1] == lists[2]


@pytest.mark.long
def test_what_is_new_is_added_to_the_manuscripts_bibliography(demo_index: Path, paper: Path) -> None:
    refs = paper / "refs.bib"
    found, said = asked(demo_index, paper, "-k", 1000, "--append-to", refs)
    assert f"{refs}: {len(found) - 1} of {len(found)} added; the file had the others" in said  # it had one, uncited
    assert refs.read_text("utf-8").startswith(BIB + "\n@")
    assert refs.read_text("utf-8").count("Attention Is All You Need") == 1
    size = refs.stat().st_size
    _, said = asked(demo_index, paper, "-k", 1000, "--append-to", refs)
    assert ": 0 of " in said
    assert refs.stat().st_size == size


@pytest.mark.parametrize(
    ("content", "message"), [(b"\xff\xfe bad", "not in UTF-8"), (b"TY  - JOUR\nTI  - x\nER  - \n", "in the format ris")]
)
def test_a_file_that_cannot_be_added_to_ends_the_command_before_its_work(
    demo_index: Path, paper: Path, content: bytes, message: str
) -> None:
    (paper / "refs.bib").write_bytes(content)
    options = ("--index", demo_index, "--append-to", paper / "refs.bib")
    assert message in refused("recommend", paper / "main.tex", *options)


def test_a_folder_of_papers_is_still_one_of_papers(demo_index: Path, tmp_path: Path) -> None:
    (tmp_path / "a.bib").write_text("@article{a, title={Citation recommendation with graphs}}")
    (tmp_path / "README.md").write_text("# My papers\n")
    found, said = asked(demo_index, tmp_path)
    assert found
    assert "Cited in" not in said


@pytest.mark.long
@pytest.mark.parametrize("read", ["refs.bib", "main.tex"])
def test_a_list_is_never_written_over_the_paper_that_it_is_for(paper: Path, demo_index: Path, read: str) -> None:
    before = (paper / read).read_bytes()
    sentence = "Citations are recommended [CITATION]."
    for command in (["recommend", paper], ["recommend", paper / "main.tex"], ["cite", sentence, "--draft", paper]):
        said = refused(*command, "--index", demo_index, "--out", paper / read, "--format", "bibtex")
        assert f"cannot write {paper / read}: it is one of the files that are read" in said
    refused("review", paper, "--index", demo_index, "--out", paper / read)
    assert (paper / read).read_bytes() == before
    for _ in range(2):  # what an earlier run wrote beside it may be replaced
        assert run("recommend", paper, "--index", demo_index, "--out", paper / "new.bib", "-k", 1).code == 0


@pytest.mark.parametrize("read", ["queries.jsonl", "cited.bib"])
def test_a_list_is_never_written_over_queries_or_what_is_cited(tmp_path: Path, demo_index: Path, read: str) -> None:
    queries, cited = tmp_path / "queries.jsonl", tmp_path / "cited.bib"
    queries.write_text('{"title": "Dense retrieval"}\n')
    cited.write_text(BIB)
    before = (tmp_path / read).read_bytes()
    said = refused("recommend", queries, "--cited", cited, "--index", demo_index, "--out", tmp_path / read)
    assert "it is one of the files that are read; choose another" in said
    assert (tmp_path / read).read_bytes() == before
