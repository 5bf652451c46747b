"""Which systems are rows of an evaluation, and that a new one needs one entry."""

from shutil import rmtree

import pytest
from command_line import refused, run

from citescout.settings import Settings
from citescout.systems import SYSTEMS, System
from cli.main import main
from common.errors import QueryError, SourceError
from eval.protocols import PROTOCOLS
from eval.report.content import make_report
from eval.report.measured import read_measured
from eval.report.wording import rules
from eval.split import write_split
from eval.systems import rows_of, run_split
from eval.trec import read_run
from indexer.generations import served_manifest
from rerank.cross_encoder import CrossEncoder

BM25 = {"BM25", "BM25 by title", "BM25 by key terms", "BM25, k1 2, b .9"}


def names(*arguments, **given):
    return {row.name for row in rows_of(*arguments, **given)}


def test_deep_systems_are_rows_only_where_they_are_asked_for():
    cheap = names()
    assert cheap >= {*BM25, "dense", "fused", "+ graph", "+ blend"}
    assert not any(row.reads for row in rows_of())
    assert names(cross_encoder=True) == cheap | {"default", "ordered", "nogueira"}
    assert names(vectors=False) == {*BM25, "+ graph", "+ blend"}
    assert names(["nogueira"], cross_encoder=True, vectors=False) == {"nogueira"}


def test_a_depth_is_of_the_systems_that_read():
    depths = {row.name: row.settings.depth for row in rows_of(cross_encoder=True, depth=7)}
    assert {name for name, depth in depths.items() if depth == 7} == {"default", "ordered", "nogueira"}
    own = {row.name: row.settings.depth for row in rows_of(cross_encoder=True)}
    assert (own["nogueira"], own["ordered"], own["+ blend"]) == (1000, 2000, 0)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"names": ["nogueira"]}, "the system nogueira needs a cross-encoder"),
        ({"names": ["dense"], "vectors": False}, "the system dense needs vectors"),
        ({"names": ["bm25"]}, "no system 'bm25': there are BM25; "),
    ],
)
def test_a_named_system_that_cannot_answer_is_an_error(arguments, message):
    with pytest.raises(QueryError, match=message):
        rows_of(**arguments)


@pytest.fixture
def split(sixty_papers, tmp_path):
    write_split(sixty_papers, PROTOCOLS["open-research"], tmp_path / "split")
    return tmp_path / "split"


@pytest.mark.long
def test_the_papers_system_is_a_row_of_eval_run(split, judge, monkeypatch):
    command = ["eval", "run", str(split), "--part", "test", "--encoder", "none"]
    runs = split / "runs" / "test"
    main(command)
    assert {path.stem.replace("_", " ") for path in runs.glob("*.trec")} == {*BM25, "+ graph", "+ blend"}
    said = run(*command, "--system", "nogueira", "--system", "BM25", "--reranker", judge).err
    assert f"nogueira: the cross-encoder {judge} reads up to 1,000 candidates" in said
    reranked, first = (read_run(runs / f"{name}.trec") for name in ("nogueira", "BM25"))
    assert {query: set(found) for query, found in reranked.items()} == {
        query: set(found) for query, found in first.items()
    }
    assert reranked != first
    load, loaded = CrossEncoder.load, []
    monkeypatch.setattr(CrossEncoder, "load", lambda *given: loaded.append(given) or load(*given))
    (runs / "nogueira.trec").unlink()  # a run of another depth is not written over
    main([*command, "--reranker", judge, "--depth", "3"])
    assert len(loaded) == 1
    shallow = read_run(runs / "nogueira.trec")
    assert all(set(shallow[query][:3]) == set(found[:3]) for query, found in first.items())
    assert (runs / "default.trec").exists() and not (runs / "ordered.trec").exists()


def test_vectors_are_made_when_a_system_needs_them(split):
    command, index = ["eval", "run", str(split), "--part", "test"], split / "index-test"
    main([*command, "--system", "BM25"])
    assert served_manifest(index)[1].encoder is None
    main([*command, "--system", "dense"])
    assert served_manifest(index)[1].encoder == "minilm"
    assert ("Encoder of the vectors", "minilm") in rules(make_report(read_measured(split, "test")))
    generation = served_manifest(index)[0]
    main([*command, "--system", "BM25 by title"])
    assert served_manifest(index)[0] == generation
    with pytest.raises(SourceError, match="made with the encoder minilm, not none"):
        run_split(split, "test", encoder=None)
    (index / generation / "manifest.json").write_text("{")  # the runs can be reported all the same
    assert read_measured(split, "test").encoder is None


def test_lists_without_vectors_do_not_stand_beside_those_with_them(split):
    command, index, runs = ["eval", "run", str(split), "--part", "test"], split / "index-test", split / "runs" / "test"
    main([*command, "--system", "BM25", "--system", "+ graph", "--encoder", "none"])
    said = refused(*command, "--system", "dense")
    assert f"{runs / '+_graph.trec'} holds a run without vectors" in said
    assert served_manifest(index)[1].encoder is None
    main([*command, "--system", "dense", "--system", "+ graph"])
    assert served_manifest(index)[1].encoder == "minilm"


def test_lists_by_two_encoders_do_not_stand_beside_each_other(split, tiny_bert):
    command, index, runs = ["eval", "run", str(split), "--part", "test"], split / "index-test", split / "runs" / "test"
    main([*command, "--system", "BM25", "--system", "dense", "--system", "fused", "--encoder", "static"])
    rmtree(index)
    other = [*command, "--encoder", str(tiny_bert)]
    assert f"{runs / 'dense.trec'} holds a run of other settings" in refused(*other, "--system", "dense")
    (runs / "dense.trec").rename(runs / "static.trec")
    said = refused(*other, "--system", "dense")
    assert f"{runs / 'fused.trec'} holds a run with the vectors of another encoder" in said
    assert not index.exists()
    (runs / "fused.trec").unlink()
    main([*other, "--system", "dense", "--system", "BM25"])
    main([*other, "--system", "fused"])


def test_lists_that_were_written_before_runs_named_their_encoder_are_of_that_of_the_index(split):
    command, dense = ["eval", "run", str(split), "--part", "test", "--system"], split / "runs" / "test" / "dense.trec"
    main([*command, "dense", "--encoder", "static"])
    named = dense.read_text()
    dense.write_text(named.replace("citescout+static", "citescout"))
    main([*command, "fused", "--encoder", "static"])
    main([*command, "dense", "--encoder", "static"])
    assert dense.read_text() == named
    dense.write_text(named.replace("citescout+static", "citescout"))
    rmtree(split / "index-test")
    assert "holds a run of other settings" in refused(*command, "dense", "--encoder", "static")


def test_a_new_system_is_one_entry(monkeypatch, split):
    two_terms = Settings(sources=("bm25",), bm25_terms=2, blend=False, depth=0)
    monkeypatch.setitem(SYSTEMS, "BM25 of two terms", System("BM25 of two terms", "a test's", two_terms))
    assert "BM25 of two terms" in names(vectors=False)
    main(["eval", "run", str(split), "--part", "test", "--encoder", "none", "--system", "BM25 of two terms"])
    assert (split / "runs" / "test" / "BM25_of_two_terms.trec").exists()
