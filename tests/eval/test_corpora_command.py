"""`citescout eval corpora` with an encoder of one's own."""

import json
import shutil
import sys

import orjson
import pytest
from command_line import refused, run

from demo import CORPUS
from eval import corpora, corpora_protocol
from eval.corpora_protocol import evaluate
from indexer.generations import open_generation
from rerank.blend import DEFAULT

CITING = 6  # test papers


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "corpora"
    folder.mkdir()
    shutil.copy(CORPUS, folder / "demo.jsonl")
    papers = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    citing = [paper["id"] for paper in papers if paper["citations"]]
    (folder / "demo.test.ids").write_text("\n".join(citing[:CITING]), encoding="utf-8")
    return folder


def test_indexes_are_built_with_the_encoder_that_is_asked_for(folder, tiny_bert, tmp_path):
    work = tmp_path / "work"
    done = run("eval", "corpora", folder, "--work", work, "--encoder", tiny_bert)
    assert f"| demo | {CITING} | dense |" in done.out
    with open_generation(work / "indexes" / "demo") as generation:
        assert generation.manifest.encoder == str(tiny_bert)
    scores = orjson.loads((work / "scores.json").read_bytes())["demo"]
    assert set(scores) >= {"BM25", "dense", "+ graph"}
    assert [scores[one]["encoder"] for one in ("BM25", "dense")] == [None, str(tiny_bert)]
    table = run("eval", "score", work / "runs" / "demo.qrels", *(work / "runs" / "demo").glob("*.trec")).out
    assert {one: f"| {one} | {found['f1_at_20']:.3f} [" in table for one, found in scores.items()} == dict.fromkeys(
        scores, True
    )


def test_baselines_and_then_systems_ask_one_index_with_any_encoder(folder, tiny_bert, tmp_path):
    systems = ("eval", "corpora", folder, "--encoder", tiny_bert, "--system", "dense", "--work")
    baselines = ("eval", "baselines", folder, "--systems", "random", "--work")
    for work, commands in (("first", (systems, baselines)), ("last", (baselines, systems))):
        for command in commands:
            done = run(*command, tmp_path / work)
            assert done.code == 0, done.err
    first, last = (
        {path.name: path.read_bytes() for path in (tmp_path / work / "runs" / "demo").iterdir()}
        for work in ("first", "last")
    )
    assert first.keys() == {"BM25.trec", "dense.trec", "random.trec"}
    assert first == last


def test_a_corpus_is_read_once_before_its_index_is_built(folder, tmp_path, monkeypatch):
    read, sources = corpora.read_papers, []
    monkeypatch.setattr(corpora, "read_papers", lambda paths, **how: sources.append(paths) or read(paths, **how))
    monkeypatch.setattr(corpora_protocol, "index_of_corpus", lambda *_: sys.exit())
    run("eval", "corpora", folder, "--work", tmp_path / "work", "--encoder", "static", "--system", "BM25")
    assert sources == [[str(folder / "demo.jsonl")]]


def test_an_index_of_another_encoder_is_not_taken_for_it(folder, tiny_bert, demo_index, tmp_path):
    shutil.copytree(demo_index, tmp_path / "work" / "indexes" / "demo")
    said = refused("eval", "corpora", folder, "--work", tmp_path / "work", "--encoder", tiny_bert)
    assert f"was made with the encoder minilm, not {tiny_bert}: ask with --encoder minilm" in said


def test_a_reranker_that_is_not_there_is_reported_before_anything_is_built(folder, tmp_path):
    command = ("eval", "corpora", folder, "--work", tmp_path / "work", "--encoder", "static")
    assert "no model folder at './nowhere'" in refused(*command, "--reranker", "./nowhere")
    assert not (tmp_path / "work").exists()


@pytest.mark.parametrize("command", ["corpora", "baselines"])
@pytest.mark.parametrize(
    ("id_", "citations", "said"),
    [("no one", ["old"], "the id 'no one' cannot stand in a TREC file"), ("one", [], "nothing can be scored")],
)
def test_a_corpus_that_cannot_be_scored_is_reported_before_anything_is_built(
    folder, tmp_path, command, id_, citations, said
):
    papers = [
        {"id": "old", "title": "Passage retrieval", "year": 2000},
        {"id": "test", "title": "Citations", "year": 2001, "citations": citations},
        {"id": id_, "title": "A paper that nobody cites", "year": 1999},
    ]
    (folder / "other.jsonl").write_bytes(b"\n".join(map(orjson.dumps, papers)))
    (folder / "other.test.ids").write_text("test\n")
    error = refused("eval", command, folder, "--work", tmp_path / "work")
    assert f"{folder / 'other.jsonl'}: " in error
    assert said in error
    assert not (tmp_path / "work").exists()


def test_scores_of_other_systems_and_corpora_and_of_another_blend_stay(folder, tmp_path):
    for ending in (".jsonl", ".test.ids"):
        shutil.copy(folder / f"demo{ending}", folder / f"again{ending}")
    shutil.copy(DEFAULT, tmp_path / "mine.json")
    work = tmp_path / "work"
    command = ("eval", "corpora", folder, "--work", work, "--encoder", "static", "--corpus", "demo")
    run(*command, "--system", "dense")
    first = orjson.loads((work / "scores.json").read_bytes())
    run(*command, "--system", "+ blend")
    done = run(*command, "--corpus", "again", "--system", "+ blend", "--blend", tmp_path / "mine.json")
    assert f"| demo | {CITING} | + blend (mine) |" in done.out
    scores = orjson.loads((work / "scores.json").read_bytes())
    assert set(scores["demo"]) == {"BM25", "dense", "+ blend", "+ blend (mine)"}
    assert set(scores["again"]) == {"BM25", "+ blend (mine)"}
    assert scores["demo"]["dense"] == first["demo"]["dense"]
    assert scores["demo"]["+ blend"] == scores["demo"]["+ blend (mine)"], "the file is a copy"
    assert {path.name for path in (work / "runs" / "demo").iterdir()} == {
        f"{name}.trec" for name in ("BM25", "dense", "+_blend", "+_blend_(mine)")
    }


def test_an_evaluation_that_was_killed_asks_only_what_it_had_not_answered(folder, tmp_path, asked):
    for ending in (".jsonl", ".test.ids"):
        shutil.copy(folder / f"demo{ending}", folder / f"later{ending}")
    command = ("eval", "corpora", folder, "--work", tmp_path / "work", "--encoder", "static", "--system", "BM25")
    asked.last = 1 + CITING + 1 + 2  # one more as a corpus is begun
    with pytest.raises(KeyboardInterrupt):
        evaluate(folder, tmp_path / "work", encoder="static", systems=["BM25"])
    asked.begin_again()
    assert f"| later | {CITING} | BM25 |" in run(*command).out
    assert len(asked) == 1 + CITING - 2
    assert not list((tmp_path / "work" / "runs").rglob("*.jsonl"))


def test_a_sample_of_the_queries_has_runs_and_scores_of_its_own(folder, tmp_path):
    work = tmp_path / "work"
    command = ("eval", "corpora", folder, "--work", work, "--encoder", "static")
    run(*command, "--system", "dense")
    first = orjson.loads((work / "scores.json").read_bytes())["demo"]
    assert "| demo | 2 | BM25 |" in run(*command, "--queries", 2, "--seed", 1).out
    scores = orjson.loads((work / "scores.json").read_bytes())
    assert scores["demo"] == first, "what all queries came to stays, and no row of two is beside it"
    assert {one["queries"] for one in scores["demo-2-queries-seed-1"].values()} == {2}
    assert {path.name for path in (work / "runs" / "demo").iterdir()} == {"BM25.trec", "dense.trec"}
    assert (work / "runs" / "demo-2-queries-seed-1" / "dense.trec").is_file()


@pytest.mark.long
def test_records_lack_what_they_are_to_lack(folder, tmp_path):
    def shares(*options):
        """Of the records of an index that have a year, an abstract and a reference list."""
        work = tmp_path / "-".join(options)
        done = run("eval", "corpora", folder, "--work", work, "--encoder", "static", "--system", "BM25", *options)
        assert f"| demo | {CITING} | BM25 |" in done.out  # what the queries cite is known all the same
        with open_generation(work / "indexes" / "demo") as generation:
            papers = list(generation.catalog.all_papers())
        return [sum(map(bool, some)) / len(papers) for some in zip(*map(_known, papers), strict=True)]

    every = shares()
    some = shares("--lacking", "years=0.3", "--lacking", "references=1")
    assert some == [pytest.approx(0.7 * every[0], abs=0.1), every[1], 0]
    assert shares("--lacking", "abstracts=.5") == [every[0], pytest.approx(0.5 * every[1], abs=0.1), every[2]]


def _known(paper):
    return paper.year, paper.abstract, paper.citations


@pytest.mark.parametrize("share", ["years", "years=2", "years=0", "titles=0.5"])
def test_other_shares_are_wrong_usage(folder, tmp_path, share):
    ended = run("eval", "corpora", folder, "--work", tmp_path, "--lacking", share)
    assert ended.code == 2
    assert "with a share such as 0.3 or 1" in " ".join(ended.err.split())
