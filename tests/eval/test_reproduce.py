"""What is written down comes out again, and what does not is said."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from command_line import refused, run

from common.errors import SourceError
from demo import CORPUS
from eval.expected import expectations
from eval.reproduce import Outcome, lacking, reproduce
from indexer.generations import served_manifest

pytestmark = pytest.mark.long

KNOWN = expectations()
BM25 = "BM25 (Anserini)"


@pytest.fixture(scope="module")
def work(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("work")


@pytest.fixture(scope="module")
def outcomes(work: Path) -> list[Outcome]:
    return reproduce(KNOWN["demo"], work, [str(CORPUS)])


def test_the_figures_of_the_demo_come_out(outcomes: list[Outcome]) -> None:
    assert len(outcomes) == 15
    assert [outcome for outcome in outcomes if not outcome.holds] == []


def test_the_figures_of_the_experiments_come_out(demo_index: Path, tmp_path: Path) -> None:
    shutil.copytree(demo_index, tmp_path / "index")  # which both take as it is
    outcomes = [
        outcome
        for name in ("demo-query-forms", "demo-sources")
        for outcome in reproduce(KNOWN[name], tmp_path, [str(CORPUS)])
    ]
    assert {outcome.row for outcome in outcomes} >= {"title", "key-terms", "bm25 + dense + graph"}
    assert [outcome for outcome in outcomes if not outcome.holds] == []
    assert served_manifest(tmp_path / "index") == served_manifest(demo_index)
    rows = KNOWN["demo-query-forms"].rows
    wrong = replace(rows["title"], figures={"F1@20": 0.3, "MRR": rows["title"].figures["MRR"]})
    expected = replace(KNOWN["demo-query-forms"], rows={"title": wrong})
    assert [outcome.holds for outcome in reproduce(expected, tmp_path, [str(CORPUS)])] == [False, True]


@pytest.mark.parametrize("name", [one.name for one in KNOWN.values() if one.data])
def test_figures_of_papers_need_their_data(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError, match=r"^[a-z0-9-]+ needs .{20,}--data"):
        reproduce(KNOWN[name], tmp_path, [])


def test_data_that_will_not_do_is_told_from_what_is_needed(tmp_path: Path) -> None:
    said = refused("eval", "reproduce", "dblp", "--data", CORPUS, "--work", tmp_path)
    assert said.startswith("Error: dblp needs Citeomatic's corpus.json of DBLP, or ClusCite's tables, and what is ")
    assert "given will not do: no paper of the test set has enough citations" in said
    assert "choose" not in said
    nothing = tmp_path / "nothing.txt"
    nothing.write_text("Of nothing")
    assert f"will not do: {nothing}: in no known format" in refused("eval", "reproduce", "dblp", "--data", nothing)


def test_rows_of_a_split_are_measured_with_what_is_given(tmp_path: Path) -> None:
    expected = replace(KNOWN["open-research"], tolerance=1.0)
    assert set(lacking(expected, {})) == {"BM25 (Whoosh)", "Citeomatic", "BM25 + SciBERT-Large"}
    alone = reproduce(expected, tmp_path, [str(CORPUS)])
    assert [(one.row, one.figure) for one in alone] == [(BM25, "F1@20"), (BM25, "MRR"), (BM25, "R@1000")]
    run = tmp_path / "open-research" / "runs" / "test" / "BM25.trec"
    both = reproduce(expected, tmp_path, [str(CORPUS)], {"Citeomatic": str(run)})
    assert [(one.figure, one.found) for one in both if one.row == "Citeomatic"] == [
        (one.figure, one.found) for one in alone if one.figure != "R@1000"
    ]
    with pytest.raises(SourceError, match=r"no row .Citeomatics. that takes a model: BM25 .Whoosh.; Citeomatic; BM25"):
        reproduce(expected, tmp_path, [str(CORPUS)], {"Citeomatics": str(run)})
    with pytest.raises(
        SourceError, match="no row of open-research-models can be measured without a model: --model 'NC"
    ):
        reproduce(KNOWN["open-research-models"], tmp_path, [str(CORPUS)])


def test_rows_of_scidocs_are_measured_with_their_embeddings(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    from scidocs_data import make_scidocs, write_embeddings_file

    from eval.scidocs.benchmark import run_benchmark

    (tmp_path / "data").mkdir()
    file = write_embeddings_file(tmp_path / "specter.jsonl", make_scidocs(tmp_path / "data"))
    found = {
        (one.row, one.figure): one.found
        for name, row in (("scidocs-specter", "SPECTER"), ("scidocs-scincl-ablations", "BitFit"))
        for one in reproduce(KNOWN[name], tmp_path, [str(tmp_path / "data")], {row: str(file)})
    }
    result = run_benchmark(tmp_path / "data", [file])
    assert len(found) == 13 + 5
    assert found["SPECTER", "cite MAP"] == result.tasks["cite"].metrics["MAP"]
    assert found["SPECTER", "Avg."] == found["BitFit", "Avg."] == result.mean()
    assert found["BitFit", "CITE"] == result.group_means()["CITE"]


def test_rows_of_a_collection_are_measured_by_their_best_20(tmp_path: Path) -> None:
    pytest.importorskip("sklearn")
    fields = {"star": [f"star{letter}" for letter in "abcde"], "gene": [f"gene{letter}" for letter in "abcde"]}
    papers = [
        {"id": f"{field}{n}", "title": f"{words[n % 5]} {words[n % 3]}", "abstract": " ".join(words), "year": 2000}
        for field, words in fields.items()
        for n in range(30)
    ]
    papers += [
        {
            "id": "t",
            "title": "Overview",
            "abstract": "stara starb starc",
            "year": 2001,
            "citations": [f"star{n}" for n in range(30)],
        }
    ]
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "dblp.jsonl").write_text("".join(json.dumps(paper) + "\n" for paper in papers))
    (tmp_path / "data" / "dblp.test.ids").write_text("t\n")
    own = tmp_path / "own.trec"
    own.write_text("".join(f"t Q0 star{n} {n + 1} {30 - n} own\n" for n in range(30)))
    row = "CTPE-word2vec(full)"
    expected = replace(KNOWN["ctpe-dblp"], rows={name: KNOWN["ctpe-dblp"].rows[name] for name in ("TF-IDF", row)})
    found = {
        (one.row, one.figure): one.found
        for one in reproduce(expected, tmp_path, [str(tmp_path / "data")], {row: str(own)})
    }
    # Of 30 papers to find a list of 20 holds 20 at most: P = 1, R = 2/3.
    assert found[row, "F1@20"] == pytest.approx(0.8)
    assert found[row, "MAP"] == pytest.approx(2 / 3)
    assert 0.5 < found["TF-IDF", "F1@20"] <= 0.8


def test_the_command_lists_what_is_needed() -> None:
    listed = run("eval", "reproduce", "--list").out.splitlines()
    assert len(listed) == len(KNOWN)
    assert any(line.startswith("dblp (Nogueira et al. 2020, Table 2): ") and "Needs" in line for line in listed)
    said = run("eval", "reproduce", "--list", "dblp").out
    assert "  ClusCite: F1@20 0.237, MRR 0.548; needs a TREC run of ClusCite" in said
    assert "  BM25 (Anserini): F1@20 0.194, MRR 0.585, R@1000 0.691\n" in said


def test_what_is_copied_from_the_tables_agrees_with_itself() -> None:
    whole = [row for name in ("scidocs-specter", "scidocs-scincl") for row in KNOWN[name].rows.items()]
    assert len(whole) == 19
    for name, row in whole:
        values = list(row.figures.values())
        assert len(values) == 13
        assert values[-1] == pytest.approx(sum(values[:-1]) / 12, abs=0.0011), name
    groups = {"CLS": 2, "USR": 4, "CITE": 4, "REC": 2}  # metrics of each
    for table in ("scidocs-specter-inputs", "scidocs-specter-signals"):  # SciNCL's table 2 disagrees with its table 1
        for name, row in KNOWN[table].rows.items():
            mean = sum(row.figures[group] * metrics for group, metrics in groups.items()) / 12
            assert row.figures["Avg."] == pytest.approx(mean, abs=0.0021), (table, name)
    for name in ("arxiv", "dblp", "uspto"):
        ctpe = KNOWN[f"ctpe-{name}"].rows["CTPE-word2vec(full)"].figures["F1@20"]
        for table, row in (("words", "CTPE, word2vec(full)"), ("splits", "title"), ("sampling", "CTPE")):
            assert KNOWN[f"ctpe-{name}-{table}"].rows[row].figures["F1@20"] == pytest.approx(ctpe, abs=2e-4)
    for one in KNOWN.values():  # rows of contexts are forms of one question, all asked of the default
        assert one.benchmark == "contexts" or all(row.system or row.model for row in one.rows.values())


def test_lists_for_sentences_are_measured_and_need_both_files(tmp_path: Path) -> None:
    lines = CORPUS.read_text(encoding="utf-8").splitlines(keepends=True)[:150]
    corpus = tmp_path / "papers.jsonl"
    corpus.write_text("".join(lines), encoding="utf-8")
    papers = list(map(json.loads, lines))
    known = {paper["id"]: paper for paper in papers}
    sentences = tmp_path / "sentences.jsonl"
    with sentences.open("w", encoding="utf-8") as file:
        for paper in papers:
            if cited := [one for one in paper.get("citations") or [] if one in known][:1]:
                text = f"See {known[cited[0]]['title']} [CITATION]."
                line = {"id": paper["id"], "citing": paper["id"], "text": text, "cited": cited}
                file.write(json.dumps(line) + "\n")
    expected = replace(KNOWN["contexts"], queries=4, tolerance=1.0)
    outcomes = reproduce(expected, tmp_path / "work", [str(corpus), str(sentences)])
    assert {outcome.row for outcome in outcomes} == set(expected.rows)
    assert all(outcome.found > 0.5 for outcome in outcomes if outcome.figure == "R@10")
    with pytest.raises(SourceError, match="needs two files"):
        reproduce(expected, tmp_path / "work", [str(corpus)])
