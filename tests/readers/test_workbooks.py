"""Workbooks: the tables of .xlsx, .xls and .ods files."""

import csv
import io
import time
from pathlib import Path

import pytest
from archives import zipped

from common.errors import SourceError
from indexer.readers import read_papers
from indexer.readers.source import SourceFile
from manuscripts import read_references

from .export_samples import EXPORT_SAMPLES
from .helpers import read, write
from .test_tables import FOUND, ROWS
from .workbook_files import XLS, Day, ods, xlsx

HEADING = ["Title", "Authors", "Year", "DOI"]
PAPER = ["One", "A. Roe", 2019.0, "10.1000/1"]


def found_in(data: bytes, path: Path, **options: object) -> list[tuple[object, ...]]:
    papers, _ = read(write(path, data), **options)
    return [(p.title, p.authors, p.year, p.doi) for p in papers.values()]


@pytest.mark.parametrize("name", ["a.xlsx", "a.ods", "renamed.dat"])
def test_a_workbook_is_read_as_the_table_that_it_holds(tmp_path, name):
    made = ods if name.endswith("ods") else xlsx
    rows = [["My reading list"], [], *ROWS]
    papers, report = read(write(tmp_path / name, made({"Papers": rows, "Old": [["x"]]})))
    assert [(p.title, p.authors, p.year, p.venue, p.doi, p.abstract) for p in papers.values()] == FOUND
    assert report.formats == {"table": 1}
    assert [problem.reason for problem in report.problems] == [
        "read: the sheet Papers; not read: Old",
        "columns read: title, author(s), publication year, abstract, journal, doi; not read: no., my notes",
    ]


def test_workbooks_of_old_programs_are_read(tmp_path):
    expected = [("Müllers Sätze", (), 1998, "10.1000/c")]
    assert found_in(XLS, tmp_path / "savedrecs.xls") == expected
    assert found_in(zipped({"more/savedrecs.xls": XLS}), tmp_path / "a.zip") == expected


def test_numbers_and_dates_are_as_people_see_them(tmp_path):
    rows = [["Title", "Year", "PMID", "Key"], ["One", Day(43586), 31452104.0, "a"], ["Two", 2019.0, 0.5, 7.0]]
    papers, _ = read(write(tmp_path / "a.xlsx", xlsx({"s": rows})))
    assert [(p.year, p.url) for p in papers.values()] == [
        (2019, "https://pubmed.ncbi.nlm.nih.gov/31452104/"),
        (2019, ""),
    ]


def test_lines_within_a_cell_part_authors_and_rows_keep_their_numbers(tmp_path):
    rows = [["A list", "of mine"], [], HEADING, ["One", "Roe, A.\nDoe, B.", 2019, ""], ["", "x", 2019, ""], PAPER]
    papers, report = read(write(tmp_path / "a.xlsx", xlsx({"s": rows})))
    assert [paper.authors for paper in papers.values()] == [("A. Roe", "B. Doe"), ("A. Roe",)]
    assert [(p.where, p.reason) for p in report.problems if p.where] == [("row 5", "neither title nor abstract")]


def test_the_sheet_is_the_first_whose_heading_a_format_knows(tmp_path):
    notes = [["Title", "My thesis"], ["By", "me"]]
    sheets = {"Notes": [["read", "this"], *notes], "Papers": [*notes, [], HEADING, PAPER], "More": [HEADING, PAPER]}
    expected = [("One", ("A. Roe",), 2019, "10.1000/1")]
    assert found_in(xlsx({"Nothing": [], "x": [["a", "b"]]} | {"P": sheets["Papers"]}), tmp_path / "a.xlsx") == expected
    assert found_in(xlsx({"Papers": sheets["Papers"], "Notes": notes}), tmp_path / "b.xlsx") == expected


@pytest.mark.parametrize("name", ["scopus", "wos_tab", "dimensions", "zotero_csv"])
def test_exports_of_databases_are_known_in_a_workbook(tmp_path, name):
    ((path, content),) = EXPORT_SAMPLES[name].items()
    plain, told = read(write(tmp_path / path, content))
    with SourceFile(path, lambda: (tmp_path / path).open("rb"), asked_for=True).open() as opened:
        text = io.TextIOWrapper(opened.body, "utf-8", newline="")
        rows = list(csv.reader(text, delimiter=opened.head.table.delimiter))
    papers, report = read(write(tmp_path / "export.xlsx", xlsx({"savedrecs": rows})))
    assert papers == plain
    assert report.formats == told.formats == {name: 1}


PAGE = """<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head>
<meta http-equiv="Content-Type" content="text/html; charset={charset}"><style>td {{ color: red }}</style></head>
<body><table><tr><td colspan="2">My search<td>12 hits</table>
<TABLE border=1>
<tr><th>Title</th><th rowspan=2>Group</th><th>Authors</th><th>Year</th><th>DOI</th></tr>
<tr><td>Müllers &amp; Łukasiewicz’
  <i>Sätze</i></td><td>Roe, A.<br>Doe, B.</td><td>2019</td><td><a href="x">10.1000/1</a></td>
<tr><td>Two<td>x<td><p>Roe, A.</p><td>2020<td>10.1000/2
</TABLE></body></html>"""
EXCEL_2003 = """<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet" xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
<Worksheet ss:Name="Notes"><Table><Row><Cell><Data ss:Type="String">Mine</Data></Cell></Row></Table></Worksheet>
<Worksheet ss:Name="Papers"><Table><Column ss:Width="9"/><Row/>
<Row><Cell ss:MergeAcross="1"><Data>Title</Data></Cell><Cell><Data>Authors</Data></Cell><Cell><Data>Year</Data></Cell>
<Cell><Data>DOI</Data></Cell></Row>
<Row><Cell><Data>One</Data></Cell><Cell ss:Index="4"><Data>2019</Data></Cell><Cell><Data>10.1000/1</Data></Cell></Row>
</Table></Worksheet></Workbook>"""


@pytest.mark.parametrize("charset", ["utf-8", "utf-16", "iso-8859-2"])
def test_a_web_page_that_is_called_a_workbook_is_read_as_one(tmp_path, charset):
    data = PAGE.format(charset=charset).replace("’" if charset == "iso-8859-2" else "\0", "").encode(charset)
    papers, report = read(write(tmp_path / "results.xls", data))
    apostrophe = "" if charset == "iso-8859-2" else "’"
    assert [(p.title, p.authors, p.year, p.doi) for p in papers.values()] == [
        (f"Müllers & Łukasiewicz{apostrophe} Sätze", ("A. Roe", "B. Doe"), 2019, "10.1000/1"),
        ("Two", ("A. Roe",), 2020, "10.1000/2"),
    ]
    assert [problem.reason for problem in report.problems] == [
        "columns read: title, authors, year, doi; not read: group"
    ]


def test_a_last_cell_of_a_web_page_may_take_up_several_rows(tmp_path):
    rows = ("<th>Title<th>Year", "<td>One<td rowspan=2>2019", "<td>Two", "<td>Three<td>2020")
    page = f"<html><table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table></html>"
    assert [found[::2] for found in found_in(page.encode(), tmp_path / "a.xls")] == [
        ("One", 2019),
        ("Two", None),
        ("Three", 2020),
    ]


def test_excels_xml_is_read_and_its_other_sheets_are_named(tmp_path):
    papers, report = read(write(tmp_path / "renamed.xml", EXCEL_2003))
    assert [(p.title, p.authors, p.year, p.doi) for p in papers.values()] == [("One", (), 2019, "10.1000/1")]
    assert report.problems[0].reason == "read: the sheet Papers; not read: Notes"


@pytest.mark.parametrize("page", ["<html><body>Please sign in.</body></html>", "<!DOCTYPE html><p>No access"])
def test_a_web_page_without_a_table_is_none(tmp_path, page):
    with pytest.raises(SourceError, match=r"a\.xls: a web page; look there for a way to export BibTeX"):
        list(read_papers([write(tmp_path / "a.xls", page)]))


def test_pages_that_are_called_pages_are_not_read(tmp_path):
    page = PAGE.format(charset="utf-8").replace("urn:schemas-microsoft-com:office:excel", "")
    with pytest.raises(SourceError, match=r"a\.html: a web page"):
        list(read_papers([write(tmp_path / "a.html", page)]))


def test_a_workbook_without_titles_is_refused_with_what_to_do(tmp_path):
    path = write(tmp_path / "a.xlsx", xlsx({"s": [["Group", "Value"], ["a", 1]]}))
    with pytest.raises(SourceError, match=r"a.xlsx: a table without a column for titles \(its columns: group, value\)"):
        list(read_papers([path]))
    path = write(tmp_path / "b.ods", ods({"s": []}))
    with pytest.raises(SourceError, match=r"b.ods: empty$"):
        list(read_papers([path]))


GOOD = xlsx({"s": [HEADING, PAPER]})
CELL = '<c r="{}" t="s"><v>0</v></c>'
SHEET = (
    '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>{}</sheetData></worksheet>'
)
LONG = "<sst><si><t>{}</t></si></sst>".format("long " * 6_000)
MANY = SHEET.format("".join(f'<row r="{n}">{CELL.format(f"A{n}")}</row>' for n in range(1, 50_000)))
FAR = SHEET.format(f'<row r="1">{CELL.format("A1")}</row><row r="1048576">{CELL.format("XFD1048576")}</row>')
HOSTILE = {
    "strings": xlsx({"s": []}, **{"xl/sharedStrings.xml": LONG, "xl/worksheets/sheet1.xml": MANY}),
    "far": xlsx({"s": []}, **{"xl/sharedStrings.xml": LONG, "xl/worksheets/sheet1.xml": FAR}),
    "no sheet": xlsx({"s": []}, **{"xl/worksheets/sheet1.xml": "<worksheet><sheetData><row"}),
    "no list of sheets": zipped({"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<w/>"}),
    "cut": XLS[:4_352],  # where its library panics
    "endless page": b"<table><tr>" + b"<td colspan=1000 rowspan=1000>" * 100_000,
    "password": XLS[:512] + "EncryptedPackage".encode("utf-16-le"),
}


@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_or_damaged_workbook_ends_in_one_line(tmp_path, name):
    path = write(tmp_path / "corpus" / "a.xlsx", HOSTILE[name])
    start = time.monotonic()
    with pytest.raises(
        SourceError, match=r"a.xlsx: cannot be read as a workbook \((?!an error of).*\); save its sheet as CSV$"
    ) as error:
        list(read_papers([path], format="table" if name == "far" else None))
    assert time.monotonic() - start < 60
    assert "\n" not in str(error.value)
    write(tmp_path / "corpus" / "b.csv", "Title,Year\nOne,2019\n")
    papers, report = read(tmp_path / "corpus")
    assert len(papers) == 1
    assert [problem.file for problem in report.problems] == [path, str(tmp_path / "corpus" / "b.csv")]


@pytest.mark.long
def test_eighty_thousand_rows_with_abstracts_are_read(tmp_path):
    rows = ([f"Paper {number}", "A. Roe", 2019, "Words. " * 200, *[f"Cell {number}"] * 20] for number in range(80_000))
    heading = ["Title", "Authors", "Year", "Abstract", *map(str, range(20))]
    path = write(tmp_path / "a.xlsx", xlsx({"s": [heading, *rows]}))
    assert sum(1 for _ in read_papers([path])) == 80_000


def test_a_workbook_is_piped_and_handed_over_as_a_bibliography(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(GOOD)))
    assert [paper.title for paper in read_papers(["-"])] == ["One"]
    assert [paper.title for paper in read_references(GOOD)[0]] == ["One"]
    assert [paper.title for paper in read_references(XLS)[0]] == ["Müllers Sätze"]
    assert [paper.title for paper in read_references(zipped({"a.xlsx": GOOD}))[0]] == ["One"]
