from .helpers import json_lines, of_format, read, write

CORPUS = json_lines(
    {"_id": "d1", "title": "Direct Ranker", "text": "About ranking.", "metadata": {}},
    {
        "_id": "d2",
        "title": "",
        "text": "Text only.",
        "metadata": {"authors": ["1741101", "Ada L."], "year": 1997, "references": ["d1", "d9"], "cited_by": ["d7"]},
    },
)
QUERIES = json_lines({"_id": "q1", "text": "ranking", "metadata": {}})
QRELS = "query-id\tcorpus-id\tscore\nq1\td1\t1\n"


def test_only_the_corpus_holds_papers(tmp_path):
    write(tmp_path / "corpus.jsonl", CORPUS)
    write(tmp_path / "queries.jsonl", QUERIES)
    write(tmp_path / "qrels" / "test.tsv", QRELS)
    papers, report = read(tmp_path)
    assert list(papers) == ["d1", "d2"]
    assert (papers["d1"].title, papers["d1"].abstract) == ("Direct Ranker", "About ranking.")
    assert (papers["d2"].year, papers["d2"].citations) == (1997, ("d1", "d9"))
    assert (report.skipped, report.skipped_files, report.formats) == (0, 0, {"beir": 1})


def test_corpus_alone_is_enough_under_any_name(tmp_path):
    assert list(read(of_format("beir", tmp_path / "anything.jsonl", CORPUS))[0]) == ["d1", "d2"]
