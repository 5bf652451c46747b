import json

from .helpers import json_lines, read, write


def test_all_fields_are_read(tmp_path):
    record = {
        "id": "p1",
        "title": "Probabilistic relevance",
        "abstract": "BM25 and beyond.",
        "year": 2009,
        "authors": ["Stephen Robertson", "Hugo Zaragoza"],
        "venue": "FnTIR",
        "doi": "https://doi.org/10.1561/1500000019",
        "arxiv": "arXiv:1706.03762v5",
        "url": "https://example.org/p1",
        "citations": ["p2", "p3"],
    }
    papers, report = read(write(tmp_path / "a.jsonl", json_lines(record)))
    paper = papers["p1"]
    assert (paper.title, paper.abstract, paper.year) == ("Probabilistic relevance", "BM25 and beyond.", 2009)
    assert paper.authors == ("Stephen Robertson", "Hugo Zaragoza")
    assert (paper.venue, paper.doi, paper.arxiv) == ("FnTIR", "10.1561/1500000019", "1706.03762")
    assert (paper.url, paper.citations) == ("https://example.org/p1", ("p2", "p3"))
    assert (report.read, report.skipped, report.formats) == (1, 0, {"jsonl": 1})


def test_a_pmid_is_kept_as_the_address_in_pubmed(tmp_path):
    page = "https://example.org/a"
    records = [
        {"id": f"{n}", "title": "T", "pmid": pmid} for n, pmid in enumerate((7, "007", "PMID: 7", 7.0, [7], "x"))
    ]
    papers, _ = read(
        write(tmp_path / "a.jsonl", json_lines(*records, {"id": "b", "title": "T", "pmid": 7, "url": page}))
    )
    address = "https://pubmed.ncbi.nlm.nih.gov/7/"
    assert [paper.url for paper in papers.values()] == [*[address] * 4, "", "", address]


def test_only_true_means_retracted(tmp_path):
    records = [{"id": str(value), "title": "T", "retracted": value} for value in (True, False, "true", 1, None)]
    papers, report = read(write(tmp_path / "a.jsonl", json_lines(*records)))
    assert [paper.id for paper in papers.values() if paper.retracted] == ["True"]
    assert report.skipped == 0


def test_title_or_abstract_is_enough(tmp_path):
    papers, report = read(write(tmp_path / "a.jsonl", json_lines({"id": 1, "title": "T"}, {"id": 2, "abstract": "A"})))
    assert [(p.id, p.title, p.abstract) for p in papers.values()] == [("1", "T", ""), ("2", "", "A")]
    assert report.skipped == 0


def test_malformed_lines_are_reported_with_their_numbers(tmp_path):
    lines = [
        '{"id": "a", "title": "good"}',
        "",
        '{"id": "b", "title": ',
        "[1, 2]",
        '{"title": "no id"}',
        '{"id": "c", "title": " ", "abstract": null}',
        '{"id": "d", "title": ["a list"]}',
        '{"id": "e", "title": "x", "citations": "a"}',
        '{"id": "z", "title": "good too"}',
    ]
    papers, report = read(write(tmp_path / "a.jsonl", "\n".join(lines)))
    assert list(papers) == ["a", "z"]
    assert [p.where for p in report.problems] == ["line 3", "line 4", "line 5", "line 6", "line 7", "line 8"]
    reasons = [p.reason for p in report.problems]
    assert reasons[2:] == [
        "no id",
        "neither title nor abstract",
        "title is a list, not text",
        "citations is a text, not a list of ids",
    ]
    assert str(report.problems[2]) == f"{tmp_path / 'a.jsonl'}: line 5: no id"


def test_what_strict_json_forbids_but_real_files_have(tmp_path):
    lines = [
        '{"id": "a", "title": "half \\ud83d pair", "year": NaN}',
        '{"id": "b", "title": "deep", "x": ' + "[" * 100_000,
    ]
    papers, report = read(write(tmp_path / "a.jsonl", "\n".join(lines) + "]" * 100_000 + "}"))
    assert papers["a"].title == "half pair"
    assert papers["a"].year is None
    assert report.skipped == 1


def test_one_array_reads_like_lines(tmp_path):
    records = [{"id": str(i), "title": f"Title {i}"} for i in range(50)]
    papers, report = read(write(tmp_path / "a.json", json.dumps(records, indent=1)))
    assert list(papers) == [str(i) for i in range(50)]
    assert report.skipped == 0


def test_objects_that_span_lines_are_read(tmp_path):
    records = [{"id": str(i), "title": f"Title {i}"} for i in range(50)]
    text = "\n".join(json.dumps(record, indent=2) for record in records)
    assert list(read(write(tmp_path / "a.json", text))[0]) == [str(i) for i in range(50)]
    assert list(read(write(tmp_path / "b.json", f"\n{text}"))[0]) == [str(i) for i in range(50)]


def test_damaged_array_keeps_what_stands_before_the_damage(tmp_path):
    text = json.dumps([{"id": str(i), "title": "T"} for i in range(2000)])
    papers, report = read(write(tmp_path / "a.json", text[: len(text) // 2]))
    assert len(papers) == text[: len(text) // 2].count("}")
    assert report.skipped == 1
    assert "nothing after it could be read" in report.problems[0].reason
    assert report.problems[0].where == f"record {len(papers) + 1}"
