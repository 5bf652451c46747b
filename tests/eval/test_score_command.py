"""`citescout eval score`: the table that people quote, against pytrec_eval, and what it refuses."""

import gzip
import random
import re
import shutil
from pathlib import Path

import pytest
import pytrec_eval
from command_line import refused, run

QUERIES, PAPERS = 30, 60
MEASURES = {"R@100": "recall_100", "R@1000": "recall_1000", "nDCG@20": "ndcg_cut_20", "MAP": "map"}


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, dict[str, Path], dict[str, dict[str, float]]]:
    """Qrels, two runs by name, and pytrec_eval's means of each; `weak_run` leaves a query unanswered."""
    rng = random.Random(5)
    papers = [f"p{number}" for number in range(PAPERS)]
    gold = {f"q{number}": rng.sample(papers, 5) for number in range(QUERIES)}
    others = {query: sorted(set(papers) - set(cited)) for query, cited in gold.items()}
    lists = {
        "BM25": {query: [*cited[:3], *rng.sample(others[query], 20)] for query, cited in gold.items()},
        "weak_run": {query: rng.sample(papers, 25) for query in sorted(gold)[1:]},
    }
    qrels = tmp_path / "test.qrels"
    qrels.write_text("".join(f"{query} 0 {paper} 1\n" for query, cited in gold.items() for paper in cited))
    judge = pytrec_eval.RelevanceEvaluator(
        {query: dict.fromkeys(cited, 1) for query, cited in gold.items()},
        {"recall.100,1000", "ndcg_cut.20", "map", "P.20", "recall.20", "recip_rank"},
    )
    paths, means = {}, {}
    for name, answered in lists.items():
        paths[name] = tmp_path / f"{name}.trec"
        paths[name].write_text(
            "".join(f"{query} Q0 {paper} {rank} {1000 - rank} x\n" for query, found in answered.items()
                    for rank, paper in enumerate(found, start=1))
        )  # fmt: skip
        judged = judge.evaluate({q: {paper: 1000.0 - rank for rank, paper in enumerate(answered[q])} for q in answered})

        def mean(measure: str, judged: dict = judged) -> float:
            return sum(values[measure] for values in judged.values()) / QUERIES

        precision, recall = mean("P_20"), mean("recall_20")
        means[name] = {column: mean(measure) for column, measure in MEASURES.items()}
        means[name] |= {"MRR": mean("recip_rank"), "F1@20": 2 * precision * recall / (precision + recall)}
    return qrels, paths, means


def test_the_table_has_the_means_of_trec_eval(runs):
    qrels, paths, means = runs
    shown = run("eval", "score", qrels, *paths.values())
    header, _, *rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in shown.out.splitlines()]
    for name, row in zip(paths, rows, strict=True):
        figures = dict(zip(header, row, strict=True))
        assert figures["system"] == name.replace("_", " ")
        for column, value in means[name].items():
            point, low, high = map(float, re.findall(r"[0-9.]+", figures[column]))
            assert point == pytest.approx(value, abs=5.1e-4)
            assert low <= point <= high
    assert "weak run leaves 1 of 30 queries unanswered: zero each" in shown.err


def test_latex_has_the_same_figures_and_the_best_in_bold(runs):
    qrels, paths, means = runs
    shown = run("eval", "score", qrels, *paths.values(), "--baseline", "weak_run", "--format", "latex")
    lines = shown.out.splitlines()
    names = [cell.strip() for cell in lines[2].removesuffix(r"\\").split("&")][1:-1]
    strong, weak = (line.removesuffix(r" \\").split(" & ") for line in lines[4:6])
    for cells, name in ((strong, "BM25"), (weak, "weak_run")):
        expected = [f"{means[name][column]:.3f}" for column in names]
        assert [re.sub(r"\\textbf\{(.*)\}", r"\1", cell) for cell in cells[1:-1]] == expected
    assert all(cell.startswith(r"\textbf{") for cell in strong[1:-1])
    assert not any("textbf" in cell for cell in weak)
    assert strong[-1].strip() == "$<$ .001"  # the baseline has no p-value of its own
    assert weak[-1].strip() == ""
    table = run("eval", "score", qrels, *paths.values(), "--baseline", "weak_run").out.splitlines()
    ranged = [line.split(" | ")[1 : len(names) + 1] for line in table[2:]]
    assert [line.partition(": ")[2] for line in lines[-3:-1]] == [
        ", ".join(f"{name} {cell}" for name, cell in zip(names, cells, strict=True)) for cells in ranged
    ]
    assert lines[-1].startswith("% Means over 30 queries. p: difference of F1@20 to weak run, two-sided")


def test_latex_compiles_whatever_a_run_is_called(runs, tmp_path):
    qrels, paths, _ = runs
    mine = tmp_path / r"50%~a\b^2{c}&d$#<|>.trec"
    shutil.copy(paths["BM25"], mine)
    row = run("eval", "score", qrels, mine, "--format", "latex").out.splitlines()[4]
    name = r"50\%\textasciitilde{}a\textbackslash{}b\textasciicircum{}2\{c\}\&d\$\#$<$$|$$>$"
    assert row.startswith(f"{name} & ")


def test_names_of_runs_are_those_of_files_without_endings_and_break_no_table(runs, tmp_path):
    qrels, paths, _ = runs
    mine = tmp_path / "mine|k_1.5.trec.gz"
    mine.write_bytes(gzip.compress(paths["BM25"].read_bytes()))
    shown = run("eval", "score", qrels, paths["weak_run"], mine, "--baseline", "mine|k_1.5")
    header, _, _, row = shown.out.splitlines()
    assert row.startswith(r"| mine\|k 1.5 | ")
    assert row.replace(r"\|", "").count("|") == header.count("|")


def test_a_run_may_answer_queries_that_the_qrels_leave_without_gold(runs):
    qrels, paths, means = runs
    qrels.write_text(qrels.read_text() + "unjudged 0 p1 0\nunjudged 0 p2 0\n")
    paths["BM25"].write_text(paths["BM25"].read_text() + "unjudged Q0 p1 1 5.0 x\n")
    shown = run("eval", "score", qrels, paths["BM25"])
    assert f"| BM25 | {means['BM25']['F1@20']:.3f} [" in shown.out
    assert f"1 query of {qrels} has no gold citation and is left out" in shown.err


def test_runs_that_cannot_be_told_apart_or_do_not_belong_are_refused(runs, tmp_path):
    qrels, paths, _ = runs
    again = tmp_path / "again" / "BM25.trec"
    again.parent.mkdir()
    again.write_text(paths["BM25"].read_text())
    assert "two runs are called 'BM25': rename one" in refused("eval", "score", qrels, paths["BM25"], again)
    foreign = tmp_path / "foreign.trec"
    foreign.write_text("q1 Q0 elsewhere 1 1.0 x\n")
    assert "foreign.trec: no list holds a single gold paper" in refused("eval", "score", qrels, paths["BM25"], foreign)
    message = refused("eval", "score", qrels, paths["BM25"], "--baseline", "dense")
    assert "no run is called 'dense': there are BM25" in message
