import json

from .corpus_samples import PDF_PARSE, S2ORC
from .helpers import json_lines, of_format, read, write


def test_static_metadata(tmp_path):
    paper = read(of_format("s2orc", tmp_path / "metadata_0.jsonl", json_lines(S2ORC)))[0]["77490025"]
    assert paper.title == "On the Cochlea"
    assert paper.abstract == "AIM: hear. RESULTS: heard."
    assert paper.authors == ("Békésy, Jr., Georg von X.", "Plato")
    assert (paper.year, paper.venue, paper.doi, paper.arxiv) == (1960, "Acta", "10.1000/abc", "")
    assert paper.citations == ("1", "2")


def test_metadata_of_2019_lies_one_level_deeper(tmp_path):
    described = {key: S2ORC[key] for key in ("title", "authors", "abstract", "year", "venue", "outbound_citations")}
    record = {"paper_id": "7", "metadata": described, "s2_pdf_hash": "x", "grobid_parse": {"body_text": []}}
    paper = read(write(tmp_path / "0.jsonl", json_lines(record)))[0]["7"]
    assert (paper.title, paper.year, paper.citations) == ("On the Cochlea", 1960, ("1", "2"))


def test_parses_beside_the_metadata_hold_no_papers(tmp_path):
    write(tmp_path / "metadata" / "metadata_0.jsonl", json_lines(S2ORC))
    write(tmp_path / "pdf_parses" / "pdf_parses_0.jsonl", json_lines(PDF_PARSE))
    papers, report = read(tmp_path)
    assert list(papers) == ["77490025"]
    assert report.problems == []


TEXT = "A café\ntitle\nAnn A.\nThe abstract 😀 here.\nMore of it.\nBody."


def spans(*pieces, **attributes):
    found = [{"start": TEXT.index(piece), "end": TEXT.index(piece) + len(piece)} | attributes for piece in pieces]
    return json.dumps(found)


ANNOTATIONS = {
    "title": spans("A café\ntitle"),
    "abstract": spans("The abstract 😀 here.", "More of it."),
    "author": spans("Ann A."),
    "venue": None,
    "bibentry": json.dumps(
        [
            {"start": "1", "end": "2", "attributes": {"id": "b0", "matched_paper_id": 209253920}},
            {"start": "3", "end": "4", "attributes": {"id": "b1"}},
            {"start": "5", "end": "6", "attributes": {"id": "b2", "matched_paper_id": 5}},
        ]
    ),
}


def test_annotated_text_of_the_api_dataset(tmp_path):
    record = {
        "corpusid": 5,
        "externalids": {"arxiv": "1706.03762", "mag": None, "doi": "10.1/X"},
        "content": {"source": {"pdfurls": None}, "text": TEXT, "annotations": ANNOTATIONS},
        "updated": "2022",
    }
    paper = read(of_format("s2orc", tmp_path / "s2orc.jsonl", json_lines(record)))[0]["5"]
    assert (paper.title, paper.abstract) == ("A café title", "The abstract 😀 here. More of it.")
    assert (paper.authors, paper.doi, paper.arxiv) == (("Ann A.",), "", "1706.03762")
    assert paper.citations == ("209253920",)


def test_second_version_of_the_api_dataset(tmp_path):
    record = {
        "corpusid": 5,
        "title": "Given",
        "authors": [{"name": "Bo B."}],
        "openaccessinfo": {"externalids": {"DOI": "10.1000/V2"}, "license": None},
        "body": {"text": TEXT, "annotations": {"abstract": spans("More of it.")}},
        "bibliography": {"text": "", "annotations": {"bib_entry": ANNOTATIONS["bibentry"]}},
    }
    paper = read(write(tmp_path / "v2.jsonl", json_lines(record)))[0]["5"]
    assert (paper.title, paper.abstract, paper.authors) == ("Given", "More of it.", ("Bo B.",))
    assert (paper.doi, paper.citations) == ("10.1000/v2", ("209253920",))


def test_spans_that_make_no_sense_cut_nothing(tmp_path):
    bad = [
        {"start": 5, "end": 2},
        {"start": None, "end": 3},
        {"start": -4, "end": 3},
        "x",
        {"start": "9" * 30, "end": 1},
    ]
    record = {"corpusid": 1, "content": {"text": TEXT, "annotations": {"title": bad, "abstract": "{not json"}}}
    _, report = read(write(tmp_path / "s2orc.jsonl", json_lines(record)))
    assert [p.reason for p in report.problems] == ["neither title nor abstract"]
