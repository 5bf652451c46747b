"""`citescout cite`, and queries with a context among others in a file."""

import csv
import io
import json

import pytest
from command_line import refused, run

from demo import CORPUS
from exports import FORMATS
from rerank.blend import CONTEXT
from rerank.blend import DEFAULT as BLEND

SENTENCE = "Pretrained transformers encode tokens in both directions [CITATION]."


def written(*arguments: object) -> str:
    ended = run("-q", *arguments)
    assert ended.code == 0, ended.err
    return ended.out


def test_draft_and_bibliography_are_not_recommended_and_change_the_list(demo_index, tmp_path):
    papers = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    cited = [paper for paper in papers if paper["id"] in {"vaswani2017attention", "pennington2014glove"}]
    entries = (
        f"@article{{{paper['id']}, title={{{paper['title']}}}, year={paper['year']}, "
        f"author={{{' and '.join(paper['authors'])}}}}}\n"
        for paper in cited
    )
    (tmp_path / "refs.bib").write_text("".join(entries), encoding="utf-8")
    (tmp_path / "draft.txt").write_text("Models of language\n\nWe train them on text.\n", encoding="utf-8")
    options = ["--index", demo_index, "--format", "jsonl", "-k", 50]
    alone = json.loads(written("cite", SENTENCE, *options))["recommendations"]
    files = ["--draft", tmp_path / "draft.txt", "--cited", tmp_path / "refs.bib"]
    told = json.loads(written("cite", SENTENCE, *files, *options))["recommendations"]
    assert "devlin2019bert" in [entry["id"] for entry in alone[:5]]
    assert not {paper["id"] for paper in cited} & {entry["id"] for entry in told}
    assert [entry["id"] for entry in told] != [entry["id"] for entry in alone]


def test_a_chapter_without_title_and_abstract_is_a_draft_but_no_query(demo_index, tmp_path):
    chapter = tmp_path / "ch.tex"
    claim = "Several studies have shown that word vectors are useful."
    chapter.write_text(f"\\chapter{{Related work}} It is so \\cite{{attention}}. {claim}\n")
    (tmp_path / "refs.bib").write_text("@misc{attention, title={Attention is all you need}, year={2017}}\n")
    options = ["--index", demo_index, "--format", "jsonl", "-k", 50]
    alone = json.loads(written("cite", SENTENCE, *options))["recommendations"]
    told = json.loads(written("cite", SENTENCE, "--draft", chapter, *options))["recommendations"]
    assert "vaswani2017attention" in [entry["id"] for entry in alone]
    assert told
    assert "vaswani2017attention" not in [entry["id"] for entry in told]
    assert claim in written("review", chapter, "--index", demo_index)
    assert f"{chapter}: no title and no abstract found" in refused("recommend", chapter, "--index", demo_index)


def test_a_chapter_that_names_its_main_file_is_read_as_a_part_of_that(demo_index, tmp_path):
    chapter = tmp_path / "chapters" / "ch.tex"
    chapter.parent.mkdir()
    chapter.write_text("% !TEX root = ../main.tex\n\\chapter{Work} Vectors are useful \\cite{attention}.\n")
    begin = "\\documentclass{book}\\title{Models of language}\\begin{document}"
    (tmp_path / "main.tex").write_text(f"{begin}\\include{{chapters/ch}}\\bibliography{{refs}}\\end{{document}}\n")
    (tmp_path / "refs.bib").write_text("@misc{attention, title={Attention is all you need}, year={2017}}\n")
    for command in (["cite", SENTENCE, "--draft", chapter], ["recommend", chapter]):
        ended = run(*command, "--index", demo_index, "-k", 3)
        assert "ch.tex is part of " in ended.err
        assert "Cited in main.tex: 1 of 1 found" in ended.err
    assert "Review of “Models of language”" in written("review", chapter, "--index", demo_index)


def test_several_bibliographies_and_a_sentence_of_standard_input(demo_index, tmp_path):
    titles = {paper["id"]: paper["title"] for paper in map(json.loads, CORPUS.read_text(encoding="utf-8").splitlines())}
    for number, key in enumerate(("vaswani2017attention", "devlin2019bert")):
        (tmp_path / f"{number}.bib").write_text(f"@misc{{{key}, title={{{titles[key]}}}}}", encoding="utf-8")
    files = [one for number in (0, 1) for one in ("--cited", tmp_path / f"{number}.bib")]
    ended = run("-q", "cite", "-", *files, "--index", demo_index, "--format", "jsonl", "-k", 50, stdin=SENTENCE)
    assert ended.code == 0, ended.err
    answer = json.loads(ended.out)
    found = {entry["id"] for entry in answer["recommendations"]}
    assert found and not found & {"vaswani2017attention", "devlin2019bert"}


@pytest.mark.parametrize(
    ("sentence", "named"),
    [
        ("As Karpukhin et al. (2020) showed, this works well [CITATION].", "karpukhin2020dense"),
        ("Robertson and Zaragoza [CITATION] describe the model.", "robertson2009probabilistic"),
        ("Word vectors were proposed by Mikolov et al. (2013).", "mikolov2013"),
    ],
)
def test_a_paper_that_the_sentence_names_by_its_authors_stands_first(demo_index, sentence, named):
    found = written("cite", sentence, "--index", demo_index, "--format", "jsonl", "-k", 5)
    first, *others = json.loads(found)["recommendations"]
    assert first["id"].startswith(named)
    assert first["reasons"]["why"].startswith("Named in the text.")
    assert first["score"] >= max(38, others[0]["score"])
    assert "seems to be about" not in written("cite", sentence, "--index", demo_index, "-k", 1)


def test_a_named_paper_that_the_draft_cites_is_told_by_its_key(demo_index, tmp_path):
    draft = tmp_path / "draft.md"
    draft.write_text("---\ntitle: Models of language\nbibliography: refs.bib\n---\nAs in [@dpr].\n", encoding="utf-8")
    title = "Dense passage retrieval for open-domain question answering"
    (tmp_path / "refs.bib").write_text(f"@misc{{dpr, title={{{title}}}, year={{2020}}}}\n", encoding="utf-8")
    sentence = "As Karpukhin et al. (2020) showed, xylophones resonate [CITATION]."
    command = ["cite", sentence, "--draft", draft, "--index", demo_index, "-k", 5]
    shown = written(*command).splitlines()
    assert shown[1] == "  What the sentence names is cited already: Karpukhin et al. 2020 (dpr)."
    assert not any("seems to be about" in line for line in shown)
    answer = json.loads(written(*command, "--format", "jsonl"))
    assert answer["fit"] is None
    assert answer["named_already"] == ["karpukhin2020dense"]
    assert "karpukhin2020dense" not in [entry["id"] for entry in answer["recommendations"]]


def test_a_year_hides_what_is_newer(demo_index):
    found = json.loads(written("cite", SENTENCE, "--year", 2017, "--index", demo_index, "--format", "jsonl"))
    assert all(entry["year"] <= 2017 for entry in found["recommendations"])


@pytest.mark.parametrize("name", ["table", "markdown", "csv"])
def test_what_is_read_shows_the_sentence_of_the_abstract(demo_index, name):
    shown = written("cite", SENTENCE, "--index", demo_index, "--format", name, "-k", 3)
    assert "Its abstract: “" in shown
    if name == "csv":
        assert len(list(csv.DictReader(io.StringIO(shown)))) == 3


@pytest.mark.parametrize("name", list(FORMATS))
def test_every_format_is_written(demo_index, name):
    assert written("cite", SENTENCE, "--index", demo_index, "--format", name, "-k", 2)


def test_a_file_may_mix_queries_with_and_without_a_context(demo_index, tmp_path):
    title = {"id": "a", "title": "Dense retrieval of passages"}
    alone, mixed = tmp_path / "alone.jsonl", tmp_path / "mixed.jsonl"
    alone.write_text(json.dumps(title) + "\n", encoding="utf-8")
    mixed.write_text(json.dumps({"id": "b", "context": SENTENCE}) + "\n" + json.dumps(title) + "\n", encoding="utf-8")
    options = ["--index", demo_index, "--format", "trec"]
    expected = written("recommend", alone, *options)
    found = written("recommend", mixed, *options)
    assert found.endswith(expected)
    assert found.startswith("b Q0 ")


def test_mistakes_are_one_line(demo_index, tmp_path):
    assert "SENTENCE is empty" in refused("cite", " ", "--index", demo_index)
    assert "SENTENCE holds no words beside the mark" in refused("cite", "[CITATION]", "--index", demo_index)
    two = tmp_path / "two.jsonl"
    two.write_text('{"title": "A"}\n{"title": "B"}\n', encoding="utf-8")
    assert "holds 2 papers" in refused("cite", SENTENCE, "--draft", two, "--index", demo_index)
    bad = tmp_path / "bad.jsonl"
    bad.write_text('{"context": 7}\n', encoding="utf-8")
    assert "line 1: context must be text" in refused("recommend", bad, "--index", demo_index)


def test_a_blend_that_orders_none_of_the_lists_that_are_asked_is_refused(demo_index, tmp_path):
    def asked(*queries):
        (tmp_path / "queries.jsonl").write_text("\n".join(map(json.dumps, queries)), encoding="utf-8")
        return "recommend", tmp_path / "queries.jsonl", "--index", demo_index

    paper, sentence = {"title": "Graphs"}, {"context": SENTENCE}
    for blend, command in ((BLEND, "contexts"), (CONTEXT, "blend")):
        assert run(*asked(paper, sentence), "--blend", blend).code == 0
        said = refused(*asked(paper if command == "blend" else sentence), "--blend", blend)
        assert f"{blend} orders lists for" in said
        assert f"name one that `citescout train {command}` wrote" in said
    assert "sentences are asked" in refused("cite", SENTENCE, "--index", demo_index, "--blend", BLEND)
    (tmp_path / "draft.tex").write_text("\\title{Graphs}\\begin{document}\\maketitle\\end{document}", encoding="utf-8")
    draft = ("--index", demo_index, "--blend")
    assert "whole papers are asked" in refused("recommend", tmp_path / "draft.tex", *draft, CONTEXT)
    assert "sentences are asked" in refused("cite", SENTENCE, "--draft", tmp_path / "draft.tex", *draft, BLEND)
