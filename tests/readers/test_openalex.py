import json
from dataclasses import replace

import pytest

from indexer.paper import Imprint, Paper

from .helpers import json_lines, of_format, read, write
from .samples import OPENALEX_CSV, OPENALEX_WORK


def test_fields_are_read(tmp_path):
    paper = read(of_format("openalex", tmp_path / "part_000", json_lines(OPENALEX_WORK)))[0]["W2741809807"]
    assert paper.title == "The state of OA & more"
    assert paper.abstract == "Despite growing interest growing"
    assert (paper.year, paper.venue, paper.authors) == (2018, "PeerJ", ("Heather Piwowar",))
    assert (paper.doi, paper.arxiv) == ("10.7717/peerj.4375", "1802.00001")
    assert paper.citations == ("W1", "W2")
    assert paper.imprint == Imprint("article-journal", "6", page="e4375")


def test_a_range_of_pages_is_read(tmp_path):
    work = OPENALEX_WORK | {"biblio": {"volume": "6", "first_page": "12", "last_page": "19"}}
    (paper,) = read(write(tmp_path / "part_000", json_lines(work)))[0].values()
    assert paper.imprint == Imprint("article-journal", "6", page="12-19")


@pytest.mark.parametrize("retracted", [True, False])
def test_a_retraction_is_read(tmp_path, retracted):
    work = OPENALEX_WORK | {"is_retracted": retracted}
    (paper,) = read(write(tmp_path / "part_000", json_lines(work)))[0].values()
    assert paper.retracted is retracted


@pytest.mark.parametrize("indent", [None, 2])
def test_pages_of_the_api_are_read_as_they_come(tmp_path, indent):
    pages = [
        {
            "meta": {"count": 2},
            "results": [OPENALEX_WORK, OPENALEX_WORK | {"id": "https://openalex.org/W5"}],
            "group_by": [],
        },
        {"meta": {"count": 2}, "results": [OPENALEX_WORK | {"id": "https://openalex.org/W6"}]},
    ]
    text = "\n".join(json.dumps(page, indent=indent) for page in pages)
    assert list(read(of_format("openalex", tmp_path / "page.json", text))[0]) == ["W2741809807", "W5", "W6"]


def test_nulls_are_no_fault(tmp_path):
    work = dict.fromkeys(OPENALEX_WORK) | {"id": "https://openalex.org/W9", "title": "T"}
    papers, report = read(write(tmp_path / "part_000", json_lines(work)))
    assert papers["W9"].title == "T"
    assert report.skipped == 0


def test_the_work_that_stands_for_all_that_were_deleted_is_cited_by_none(tmp_path):
    cited = [f"https://openalex.org/{id_}" for id_ in ("W1", "W4285719527", "W2")]
    work = OPENALEX_WORK | {"referenced_works": cited}
    assert read(write(tmp_path / "part_000", json_lines(work)))[0]["W2741809807"].citations == ("W1", "W2")


def test_authors_and_places_that_openalex_does_not_know_keep_their_printed_names(tmp_path):
    work = {
        "id": "https://openalex.org/W9",
        "title": "T",
        "referenced_works": [],
        "authorships": [{"author": {"display_name": None}, "raw_author_name": "Ann Roe"}],
        "primary_location": {"source": None, "raw_source_name": "Proc. of Bees"},
    }
    paper = read(write(tmp_path / "part_000", json_lines(work)))[0]["W9"]
    assert (paper.authors, paper.venue) == (("Ann Roe",), "Proc. of Bees")


def test_the_export_of_the_page_is_read(tmp_path):
    papers, _ = read(of_format("openalex_csv", tmp_path / "works.csv", OPENALEX_CSV))
    of_the_snapshot = read(write(tmp_path / "part_000", json_lines(OPENALEX_WORK)))[0]["W2741809807"]
    assert papers["W2741809807"] == replace(
        of_the_snapshot,
        title="The state of OA, & more",
        abstract="Despite growing interest, growing",
        authors=("Heather Piwowar", "Jörg Müller"),
        imprint=Imprint(volume="6"),
    )
    columns, rows = OPENALEX_CSV.split("\n", 1)
    quoted = '"' + columns.replace(",", '","') + '"\n' + rows  # as R writes it
    assert read(of_format("openalex_csv", tmp_path / "quoted.csv", quoted))[0] == papers
    assert papers["W9"] == Paper(
        "W9", "Nothing is known", "", 1999, ("Ann Roe",), url="https://pubmed.ncbi.nlm.nih.gov/12345678", retracted=True
    )
