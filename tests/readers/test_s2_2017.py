from .corpus_samples import S2_2017
from .helpers import json_lines, of_format, read, write


def test_fields_are_read(tmp_path):
    papers, _ = read(of_format("s2_2017", tmp_path / "papers-2017-02-21.json", json_lines(S2_2017)))
    paper = papers[S2_2017["id"]]
    assert paper.abstract == "Résumé of an abstract."
    assert paper.authors == ("Ann Author", "Bo Böse")
    assert (paper.year, paper.venue, paper.url) == (2016, "HLT", S2_2017["s2Url"])
    assert paper.citations == ("abe213ed63c426a089bdf4329597137751dbb3a0",)


def test_missing_year_and_empty_abstract_are_no_fault(tmp_path):
    record = {key: value for key, value in S2_2017.items() if key != "year"} | {"paperAbstract": ""}
    papers, report = read(write(tmp_path / "s2.json", json_lines(record)))
    assert papers[S2_2017["id"]].year is None
    assert report.skipped == 0
