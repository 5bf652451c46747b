from .helpers import json_lines, of_format, read, write

RECORD = {
    "title": "random walks , revisited",
    "abstract": "we walk at random .",
    "authors": ["Ann Author", "Bo Böse"],
    "out_citations": ["7", "12", "3", "12"],
    "year": 2009,
    "id": "12",
    "venue": "KDD",
    "in_citation_count": 4,
    "out_citation_count": 4,
    "key_phrases": ["random walk"],
    "title_raw": "Random Walks, Revisited",
    "abstract_raw": "We walk at random.",
    "date": None,
}


def test_fields_are_read(tmp_path):
    papers, report = read(of_format("citeomatic", tmp_path / "corpus.json", json_lines(RECORD)))
    paper = papers["12"]
    assert paper.citations == ("7", "3")
    # The tokens that the published figures were measured on, not the raw text.
    assert (paper.title, paper.abstract) == (RECORD["title"], RECORD["abstract"])
    assert (paper.year, paper.venue, paper.authors) == (2009, "KDD", ("Ann Author", "Bo Böse"))
    assert (report.read, report.skipped) == (1, 0)


def test_raw_text_stands_in_for_missing_tokens(tmp_path):
    papers, _ = read(write(tmp_path / "corpus.json", json_lines(RECORD | {"title": "", "abstract": None})))
    assert (papers["12"].title, papers["12"].abstract) == (RECORD["title_raw"], RECORD["abstract_raw"])
