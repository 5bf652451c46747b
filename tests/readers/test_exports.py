"""What is read of the exports of databases and reference managers, against values written by hand."""

import json

import pytest

from indexer.paper import Paper

from . import export_samples as samples
from .expected_exports import EXPECTED
from .helpers import detecting, read, write
from .samples import write_sample


def without_digest(text: str) -> str:
    """An id that was made of title and year, without its digest."""
    return text[: text.index("-") + 1] if text.startswith(("jats-", "zotero-", "endnote-")) else text


def test_every_export_has_values_written_by_hand():
    assert EXPECTED.keys() == samples.EXPORT_SAMPLES.keys()


@pytest.mark.parametrize("name", EXPECTED)
def test_every_field_is_read(tmp_path, name):
    papers, _ = read(write_sample(tmp_path, name))
    for found, expected in zip(papers.values(), EXPECTED[name], strict=True):
        for field in Paper.__slots__:
            value, wanted = getattr(found, field), getattr(expected, field)
            if field == "id":
                value, wanted = without_digest(value), without_digest(wanted)
            elif field == "citations":
                value, wanted = tuple(map(without_digest, value)), tuple(map(without_digest, wanted))
            elif field == "original" and value and wanted:
                value, wanted = ((one.format, json.loads(one.text)) for one in (value, wanted))
            assert value == wanted, field


@pytest.mark.parametrize("name", EXPECTED)
def test_the_wrong_ending_does_not_matter(tmp_path, name):
    for number, text in enumerate(samples.EXPORT_SAMPLES[name].values()):
        for ending in ("ris", "bib", "docx", "csv"):
            assert detecting(write(tmp_path / f"{number}.{ending}", text)) == [name]


def test_the_export_of_dimensions_for_mapping_has_one_column_for_journals_and_books(tmp_path):
    text = (
        '"About the data: Exported on Nov 20, 2026"\n'
        "Publication ID,DOI,Title,Source title/Anthology title,PubYear,Authors,Cited references\n"
        'pub.1,10.1000/a,One,Acta,2020,"Roe, Ann",[Doe]|Two|Acta|2010|1|1|1||pub.2|3;[Poe]|Three|||||||pub.3|1\n'
    )
    papers, _ = read(write(tmp_path / "mapping.csv", text))
    assert (papers["pub.1"].venue, papers["pub.1"].citations) == ("Acta", ("pub.2", "pub.3"))


def test_the_tab_delimited_export_that_excel_saved_as_csv_is_read(tmp_path):
    text = 'PT,AU,TI,SO,PY,UT\nJ,"Roe, A; Doe, B","One, again",Acta,2001,WOS:1\n'
    paper = read(write(tmp_path / "savedrecs.csv", text))[0]["WOS:1"]
    assert (paper.title, paper.authors, paper.year) == ("One, again", ("A Roe", "B Doe"), 2001)


def test_full_names_of_scopus_are_parted(tmp_path):
    text = 'Authors,Title,Year,Source title,EID\n"Smith, John; Doe, Jane",One,2001,Acta,2-s2.0-1\n'
    assert read(write(tmp_path / "scopus.csv", text))[0]["2-s2.0-1"].authors == ("John Smith", "Jane Doe")


def test_web_of_sciences_sheet_for_excel_is_read_as_its_tab_delimited_export(tmp_path):
    text = (
        "Publication Type,Authors,Author Full Names,Article Title,Source Title,Abstract,Cited References,"
        "Publication Year,DOI,Pubmed Id,UT (Unique WOS ID)\n"
        'J,"Doe, J; Roe, R","Doe, Jane; Roe, Rob",Uptake of CO<inf>2</inf>,SCIENCE,About it.,'
        '"Small H, 1973, J AM SOC INFORM SCI, V24, P265",2020,10.1000/SHEET,5079701,WOS:1\n'
    )
    papers, _ = read(write(tmp_path / "savedrecs.csv", text))
    paper = papers["WOS:1"]
    assert (paper.title, paper.year, paper.authors) == ("Uptake of CO2", 2020, ("Jane Doe", "Rob Roe"))
    assert (paper.doi, paper.venue, paper.abstract) == ("10.1000/sheet", "SCIENCE", "About it.")
    assert len(paper.citations) == 1
