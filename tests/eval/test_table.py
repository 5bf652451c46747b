"""Tables of scores, with what a handful of queries does to them."""

from dataclasses import replace

from eval.corpora_protocol import by_corpus, summary
from eval.metrics import Scores

ONE = Scores(1, 0.2, 0.2, 0.5, 0.2, 0.4, 0.8, 0.2, 0.2, 0.2, 0.0)
NOTHING = replace(ONE, f1_at_20=0.0, mrr=0.0)


def cells(table, *start):
    """Of the row whose first cells are these."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return next(row for row in rows if tuple(row[: len(start)]) == start)


def test_ratios_are_those_of_means_and_the_worst_is_one_corpus():
    results = {"a": {"BM25": ONE, "dense": replace(ONE, f1_at_20=0.3)}, "b": {"BM25": ONE, "dense": ONE}}
    assert cells(summary(results), "dense")[1:4] == ["0.250", "1.25", "1.00"]
    assert cells(by_corpus(results), "a", "1", "dense")[3:5] == ["0.300", "1.50"]


def test_where_bm25_finds_nothing_there_is_no_ratio():
    results = {"a": {"BM25": NOTHING, "dense": ONE}, "b": {"BM25": ONE, "dense": replace(ONE, f1_at_20=0.4)}}
    assert cells(by_corpus(results), "a", "1", "dense")[4] == "–"
    assert cells(summary(results), "dense")[2:4] == ["3.00", "2.00"]
    assert cells(summary({"a": results["a"]}), "dense")[2:4] == ["–", "–"]
