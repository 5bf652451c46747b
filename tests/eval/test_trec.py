"""Run and qrels files: read as trec_eval reads them, and nothing wrong passes."""

import gzip
from pathlib import Path

import numpy as np
import pytest
import pytrec_eval

from common.errors import SourceError
from eval.metrics import score_queries
from eval.trec import read_qrels, read_run, write_qrels, write_run


def test_ties_and_disordered_lines_are_scored_as_trec_eval_does(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    lines = [
        # The last digits are lost in the single precision of trec_eval.
        f"q{query} Q0 d{paper} {rng.integers(1, 99)} {rng.integers(2, 6) / 2 + paper * 1e-9:.9f} tag"
        for query in range(20)
        for paper in rng.permutation(60)[: rng.integers(1, 60)]
    ]
    rng.shuffle(lines)
    (tmp_path / "run").write_text("\n".join(lines))
    judged = {(f"q{query}", f"d{paper}") for query in range(25) for paper in rng.permutation(70)[:9]}
    (tmp_path / "qrels").write_text("".join(f"{query}\t0\t{paper}\t1\n" for query, paper in sorted(judged)))
    qrels, empty = read_qrels(tmp_path / "qrels")
    assert not empty
    found = score_queries(qrels, read_run(tmp_path / "run"))
    with (tmp_path / "run").open() as run, (tmp_path / "qrels").open() as gold:
        names = {"P_20": "P@20", "map": "AP", "ndcg_cut_20": "nDCG@20", "P_1": "P@1", "bpref": "Bpref"}
        theirs = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(gold), set(names)).evaluate(
            pytrec_eval.parse_run(run)
        )
    for place, query in enumerate(found.queries):
        for name, ours in names.items():
            expected = theirs.get(query, {}).get(name, 0.0)
            assert found.values[ours][place] == pytest.approx(expected, abs=1e-6), (query, name)


def test_grades_are_scored_as_trec_eval_does(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    run = {f"q{query}": [f"d{paper}" for paper in rng.permutation(60)[:30]] for query in range(20)}
    grades = {query: {f"d{paper}": int(rng.integers(-1, 4)) for paper in rng.permutation(60)[:25]} for query in run}
    lines = [f"{query} 0 {paper} {grade}\n" for query, papers in grades.items() for paper, grade in papers.items()]
    (tmp_path / "qrels").write_text("".join(lines))
    found = score_queries(read_qrels(tmp_path / "qrels")[0], run)
    names = {"P_20": "P@20", "recall_100": "R@100", "map": "AP", "ndcg_cut_20": "nDCG@20", "bpref": "Bpref"}
    ranked = {query: {paper: -float(rank) for rank, paper in enumerate(papers)} for query, papers in run.items()}
    theirs = pytrec_eval.RelevanceEvaluator(grades, set(names)).evaluate(ranked)
    for place, query in enumerate(found.queries):
        for name, ours in names.items():
            assert found.values[ours][place] == pytest.approx(theirs[query][name], abs=1e-6), (query, name)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    run = {"q1": ["b", "a", "ü"], "q2": ["a"]}
    qrels = {"q1": frozenset({"a"}), "q2": frozenset({"b", "c"})}
    write_run(tmp_path / "deep" / "run", run)
    write_qrels(tmp_path / "qrels", qrels)
    assert read_run(tmp_path / "deep" / "run") == run
    assert read_qrels(tmp_path / "qrels") == (qrels, frozenset())


def test_queries_without_gold_are_counted(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("a 0 p inf\nb 0 p 0\nb 0 q -1\n\n")
    assert read_qrels(tmp_path / "qrels") == ({"a": frozenset({"p"})}, {"b"})


def test_judgements_of_a_collection_of_beir_are_read(tmp_path: Path) -> None:
    (tmp_path / "test.tsv").write_text("query-id\tcorpus-id\tscore\r\na\tp\t1\r\na\tq\t0\r\nb\tp\t0\r\n")
    (tmp_path / "test.qrels").write_text("a 0 p 1\na 0 q 0\nb 0 p 0\n")
    assert read_qrels(tmp_path / "test.tsv") == read_qrels(tmp_path / "test.qrels") == ({"a": {"p"}}, {"b"})
    (tmp_path / "test.tsv").write_text("query-id\tcorpus-id\tscore\na\t0\tp\t1\n")
    with pytest.raises(SourceError, match="line 2: not of the form"):
        read_qrels(tmp_path / "test.tsv")


def test_a_byte_order_mark_is_no_part_of_the_first_query(tmp_path: Path) -> None:
    for encoding in ("utf-8-sig", "utf-16"):
        (tmp_path / "run").write_text("a Q0 p 1 1.0 t\n", encoding=encoding)
        (tmp_path / "qrels").write_text("a 0 p 1\n", encoding=encoding)
        assert list(read_run(tmp_path / "run")) == list(read_qrels(tmp_path / "qrels")[0]) == ["a"]


def test_compressed_runs_are_read(tmp_path: Path) -> None:
    (tmp_path / "run.gz").write_bytes(gzip.compress(b"a Q0 p 1 1.0 t\n"))
    assert read_run(tmp_path / "run.gz") == {"a": ["p"]}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a Q0 p 1 1.0 t\na Q0 p 2 0.5 t\n", "line 2: paper p stands twice"),
        ("a Q0 p 1 1.0\n", "line 1: not of the form"),
        ("a Q0 p 1 high t\n", "'high' is not a number"),
        ("a Q0 p 1 nan t\n", "'nan' is not a number"),
        ("", "is empty"),
        (b"\x1f\x8b\x08", "truncated or damaged"),
        (b"PK\x03\x04\xff", "unpack it"),
        (None, "cannot read"),
    ],
)
def test_damaged_runs_are_one_clear_error(tmp_path: Path, content: str | bytes | None, message: str) -> None:
    path = tmp_path / "run"
    if content is not None:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(SourceError, match=message) as caught:
        read_run(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a 0 p 1\na 0 p 1\n", "line 2: paper p is judged twice"),
        ("a Q0 p 1 1.0 t\n", "line 1: not of the form"),  # a run in place of the qrels
        ("a 0 p 0\n", "no query has a gold citation"),
        ("a 0 p yes\n", "'yes' is not a number"),
        ("a 0 p 1.0\na 0 q 0.7\n", "line 2: the relevance 0.7 is no whole number"),
    ],
)
def test_damaged_qrels_are_one_clear_error(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "qrels").write_text(content)
    with pytest.raises(SourceError, match=message):
        read_qrels(tmp_path / "qrels")


@pytest.mark.parametrize("run", [{"a b": ["p"]}, {"a": ["p\u00a0q"]}, {"a": [""]}])
def test_ids_that_the_format_cannot_hold_are_refused(tmp_path: Path, run: dict[str, list[str]]) -> None:
    with pytest.raises(SourceError, match="white space"):
        write_run(tmp_path / "run", run)
