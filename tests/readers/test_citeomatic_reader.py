from .corpus_samples import CITEOMATIC
from .helpers import json_lines, of_format, read, write


def test_fields_are_read(tmp_path):
    papers, report = read(of_format("citeomatic", tmp_path / "corpus.json", json_lines(CITEOMATIC)))
    paper = papers["12"]
    assert paper.citations == ("7", "3")
    # The tokens that the published figures were measured on, not the raw text.
    assert (paper.title, paper.abstract) == (CITEOMATIC["title"], CITEOMATIC["abstract"])
    assert (paper.year, paper.venue, paper.authors) == (2009, "KDD", ("Ann Author", "Bo Böse"))
    assert (report.read, report.skipped) == (1, 0)


def test_raw_text_stands_in_for_missing_tokens(tmp_path):
    papers, _ = read(write(tmp_path / "corpus.json", json_lines(CITEOMATIC | {"title": "", "abstract": None})))
    assert (papers["12"].title, papers["12"].abstract) == (CITEOMATIC["title_raw"], CITEOMATIC["abstract_raw"])
