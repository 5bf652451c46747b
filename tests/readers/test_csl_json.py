from .helpers import detecting, json_lines, read, write
from .samples import CSL


def test_fields_are_read(tmp_path):
    path = write(tmp_path / "items.json", CSL)
    assert detecting(path) == ["csl_json"]
    papers, report = read(path)
    paper = papers["doe2009"]
    assert (paper.title, paper.abstract, paper.year) == ("A title", "In JATS.", 2009)
    assert paper.authors == ("Jane Doe", "Jan van der Berg", "The Group")
    assert (paper.venue, paper.doi, paper.url) == ("Acta", "10.1000/csl", "https://example.org/csl")
    second = papers["10.1000/2"]
    assert (second.title, second.year) == ("Crossref's list", 1950)
    assert report.skipped == 0


def test_lines_instead_of_an_array(tmp_path):
    record = {"id": 7, "type": "book", "title": "T", "issued": {"date-parts": [[None]]}, "author": [{}]}
    assert read(write(tmp_path / "items.jsonl", json_lines(record)))[0]["7"].year is None
