"""Rows of tables, whoever exported them: quotation marks, line breaks, and names of columns that come again."""

import csv
import io

import pytest

from indexer.readers import streams

from .helpers import read, write
from .samples import SAMPLES


def test_what_a_quotation_mark_that_is_never_closed_costs_is_reported(tmp_path):
    head, rows = "title,year,abstract\n", "".join(f'T{number},2001,"a\n{number}"\n' for number in range(3))
    text = f'{head}{rows}Bad,2001,"open\n' + "".join(f"U{number},2001,b\n" for number in range(5))
    papers, report = read(write(tmp_path / "a.csv", text))
    assert sorted(paper.title for paper in papers.values()) == ["T0", "T1", "T2"]
    assert report.skipped == 1
    assert report.problems[0].where == "line 8"
    assert "nothing is read from here to line 13" in report.problems[0].reason
    papers, report = read(write(tmp_path / "a.csv", f'{head}{rows}Last,2001,"open\n\n'))
    assert report.skipped == 0
    assert {paper.abstract for paper in papers.values() if paper.title == "Last"} == {"open"}


@pytest.mark.parametrize("end", ['T1,2002,"a ""b"""\n', '"T1","2002","b"\n'])
def test_rows_that_a_missing_quotation_mark_makes_one_are_reported_and_those_beside_them_read(tmp_path, end):
    text = f'title,year,abstract\nBefore,2000,"a\nb, ""c"", d"\nBad,2001,"open\n{end}After,2003,d\n'
    papers, report = read(write(tmp_path / "a.csv", text))
    assert [paper.title for paper in papers.values()] == ["Before", "After"]
    assert report.skipped == 1
    assert report.problems[0].where == "line 4"
    assert "nothing is read from here to line" in report.problems[0].reason


@pytest.mark.parametrize("line", ["is", "is not, so far, bad, or"])
def test_a_cell_with_marks_and_line_breaks_stays_one_though_its_marks_should_be_doubled(tmp_path, line):
    text = f'title,year,venue,abstract\nOne,2001,,"of what\n{line} "good" here"\nTwo,2002,,b\n'
    papers, report = read(write(tmp_path / "a.csv", text))
    assert [paper.title for paper in papers.values()] == ["One", "Two"]
    assert report.skipped == 0


def test_a_carriage_return_within_a_cell_is_a_blank(tmp_path):
    papers, report = read(write(tmp_path / "a.csv", 'title,year,abstract\r\nOne,2001,a\rb\r\nTwo,2002,"c\rd"\r\n'))
    assert report.skipped == 0
    assert {paper.title: paper.abstract for paper in papers.values()} == {"One": "a b", "Two": "c d"}


def test_a_quotation_mark_that_is_never_closed_costs_a_bounded_part(tmp_path):
    rows = "".join(f"{number},{'x' * 200} {number},Doe J.,C,Doe J,Things,2000,,,,\n" for number in range(1, 25_000))
    head = "PMID,Title,Authors,Citation,First Author,Journal/Book,Publication Year,Create Date,PMCID,NIHMS ID,DOI\n"
    papers, report = read(write(tmp_path / "a.csv", head + '7000000,"Never closed,x\n' + rows))
    assert report.skipped >= 1
    assert report.problems[0].where == "line 2"
    assert "is a quotation mark missing?" in report.problems[0].reason
    lost = streams.MAX_BLOCK_BYTES // 230
    assert len(papers) > 24_999 - lost - 1_000
    assert papers["24999"].authors == ("J Doe",)


def test_rows_without_a_title_are_reported_with_their_line(tmp_path):
    papers, report = read(write(tmp_path / "a.csv", "Title,Authors,Year\nOne,A. Roe,2001\n,B. Doe,2002\n\nTotal: 2\n"))
    assert [paper.title for paper in papers.values()] == ["One"]
    assert [(p.where, p.reason) for p in report.problems[:2]] == [
        ("line 3", "neither title nor abstract"),
        ("line 5", "one column where there should be 3"),
    ]


@pytest.mark.parametrize(
    "name", ["wos_tab", "scopus", "pubmed_csv", "lens", "dimensions", "zotero_csv", "openalex_csv", "table"]
)
def test_the_names_of_columns_are_no_paper_in_tables_that_were_joined(tmp_path, name):
    ((file, text),) = SAMPLES[name].items()
    text = text if isinstance(text, str) else text.decode()
    papers, report = read(write(tmp_path / "one" / file, text))
    joined, joined_report = read(write(tmp_path / "joined" / file, f"{text}\ufeff{text}"))
    assert (joined, joined_report.read) == (papers, 2 * report.read)


def _web_of_science(rows, **how):
    header = ("PT", "AU", "TI", "SO", "AB", "PY", "UT")
    stream = io.StringIO()
    csv.writer(stream, delimiter="\t", **how).writerows([header, *(("J", "A, B", *row) for row in rows)])
    return stream.getvalue()


def test_web_of_science_has_bare_quotation_marks_and_programs_that_save_it_again_have_not(tmp_path):
    rows = [
        ('"Big data" and its discontents', "S", "", "2001", "WOS:1"),
        ("Second", "S", '"We argue that an unclosed mark begins here.', "2002", "WOS:2"),
        ("Third", "S", '"Closed" and then', "2003", "WOS:3"),
    ]
    texts = (
        _web_of_science(rows, quoting=csv.QUOTE_NONE, quotechar=None),
        _web_of_science(rows),
        _web_of_science(rows, quoting=csv.QUOTE_ALL),
    )
    for text in texts:
        papers, report = read(write(tmp_path / "savedrecs.txt", text))
        found = [(p.title, p.venue, p.abstract, str(p.year), p.id) for p in papers.values()]
        assert (found, report.skipped, report.formats) == (rows, 0, {"wos_tab": 1})
        assert {p.authors for p in papers.values()} == {("B A",)}
