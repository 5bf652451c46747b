from .helpers import detecting, json_lines, read, write
from .samples import ARXIV


def test_fields_are_read(tmp_path):
    path = write(tmp_path / "arxiv-metadata-oai-snapshot.json", ARXIV)
    assert detecting(path) == ["arxiv"]
    paper = read(path)[0]["0704.0001"]
    assert paper.title == "Calculation of prompt diphoton production at Münster"
    assert paper.abstract == "A fully differential calculation with $\\sqrt{s}$ is presented."
    assert paper.authors == ("C. Balázs", "E. L. Berger Jr.")
    assert paper.year == 2007  # of the first version, not of the last change
    assert (paper.doi, paper.arxiv) == ("10.1103/physrevd.76.013009", "0704.0001")
    assert paper.link == "https://arxiv.org/abs/0704.0001"


def test_old_identifiers_and_missing_lists(tmp_path):
    record = {"id": "hep-th/9901001", "title": "T", "abstract": "A", "categories": "hep-th", "versions": [],
              "authors": "A. One and B. Two", "update_date": "1999-01-01"}  # fmt: skip
    paper = read(write(tmp_path / "a.json", json_lines(record)))[0]["hep-th/9901001"]
    assert (paper.arxiv, paper.year, paper.authors) == ("hep-th/9901001", 1999, ("A. One", "B. Two"))
