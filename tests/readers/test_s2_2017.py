from .helpers import json_lines, of_format, read, write

RECORD = {
    "id": "4cd223df721b722b1c40689caa52932a41fcc223",
    "title": "Knowledge-rich, computer-assisted composition",
    "paperAbstract": "Résumé of\nan abstract.",
    "keyPhrases": ["composition"],
    "s2Url": "https://semanticscholar.org/paper/4cd223df",
    "pdfUrls": [],
    "authors": [{"name": "Ann Author", "ids": ["1741101"]}, {"name": "Bo Böse", "ids": []}],
    "inCitations": ["c789e333fdbb963883a0b5c96c648bf36b8cd242"],
    "outCitations": ["abe213ed63c426a089bdf4329597137751dbb3a0", "4cd223df721b722b1c40689caa52932a41fcc223"],
    "year": 2016,
    "venue": "HLT",
}


def test_fields_are_read(tmp_path):
    papers, _ = read(of_format("s2_2017", tmp_path / "papers-2017-02-21.json", json_lines(RECORD)))
    paper = papers[RECORD["id"]]
    assert paper.abstract == "Résumé of an abstract."
    assert paper.authors == ("Ann Author", "Bo Böse")
    assert (paper.year, paper.venue, paper.url) == (2016, "HLT", RECORD["s2Url"])
    assert paper.citations == ("abe213ed63c426a089bdf4329597137751dbb3a0",)


def test_missing_year_and_empty_abstract_are_no_fault(tmp_path):
    record = {key: value for key, value in RECORD.items() if key != "year"} | {"paperAbstract": ""}
    papers, report = read(write(tmp_path / "s2.json", json_lines(record)))
    assert papers[RECORD["id"]].year is None
    assert report.skipped == 0
