"""Tables that people make themselves."""

import csv
import io

import pytest

from common.errors import SourceError
from indexer.readers import read_papers

from .helpers import read, write

ROWS = (
    ("No.", "TITLE", "Author(s)", "Publication Year", "Journal", "DOI", "Abstract", "My notes"),
    (
        "1",
        "Attention, again",
        "Vaswani, A., Shazeer, N. & Parmar, N.",
        "2017",
        "NeurIPS",
        "",
        "It works; well.",
        "read",
    ),
    ("2", "Of bidirectional things", "Jacob Devlin; Ming-Wei Chang", "2019.0", "", "https://doi.org/10.1000/B", "", ""),
    ("3", "Müllers Sätze", "Müller, Jörg and Böhm, Anna", "12/05/1998", "Zeitschrift", "10.1000/c", "Über Dinge.", ""),
)
FOUND = [
    ("Attention, again", ("A. Vaswani", "N. Shazeer", "N. Parmar"), 2017, "NeurIPS", "", "It works; well."),
    ("Of bidirectional things", ("Jacob Devlin", "Ming-Wei Chang"), 2019, "", "10.1000/b", ""),
    ("Müllers Sätze", ("Jörg Müller", "Anna Böhm"), 1998, "Zeitschrift", "10.1000/c", "Über Dinge."),
]


def table(delimiter: str) -> str:
    stream = io.StringIO()
    csv.writer(stream, delimiter=delimiter).writerows(ROWS)
    return stream.getvalue()


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("plain.csv", table(",").encode()),
        ("excel.csv", table(";").encode("utf-8-sig")),
        ("old-excel.csv", table(";").encode("cp1252")),
        ("named-separator.csv", b"sep=;\r\n" + table(";").encode("cp1252")),
        ("unicode-text.txt", table("\t").encode("utf-16")),
        ("tabs.tsv", table("\t").encode()),
    ],
)
def test_a_table_is_read_however_it_was_saved(tmp_path, name, data):
    path = write(tmp_path / name, data)
    papers, report = read(path)
    assert [(p.title, p.authors, p.year, p.venue, p.doi, p.abstract) for p in papers.values()] == FOUND
    assert (report.formats, report.skipped) == ({"table": 1}, 0)
    said = "columns read: title, author(s), publication year, abstract, journal, doi; not read: no., my notes"
    assert f"{path}: {said}" in map(str, report.problems)


@pytest.mark.parametrize("heading", ["title", "\ufeffTitle", '"Document Title"', "\r\nTitel"])
def test_a_table_may_have_nothing_but_titles(tmp_path, heading):
    lines = [
        heading,
        "Attention, again",
        '"A title, quoted; ""as said"""',
        "",
        '"Of two',
        'lines"',
        heading,
        "The last",
    ]
    papers, report = read(write(tmp_path / "titles.csv", "\r\n".join(lines).encode()))
    titles = ["Attention, again", 'A title, quoted; "as said"', "Of two lines", "The last"]
    assert [p.title for p in papers.values()] == titles
    assert report.skipped == 0


@pytest.mark.parametrize("name", ["titles.txt", "titles.md"])
def test_a_text_that_begins_with_the_word_title_is_no_table(tmp_path, name):
    with pytest.raises(SourceError, match="in no known format"):
        read(write(tmp_path / name, b"Title\nAttention, again\nAbstract\nIt works.\n"))


def test_what_several_tables_have_in_common_is_said_once(tmp_path):
    files = [write(tmp_path / f"{name}.csv", f"Title,Year\n{name},2001\n") for name in "abc"]
    other = write(tmp_path / "d.csv", "Title,Year,Mine\nd,2001,x\n")
    report = read(*files, other)[1]
    assert list(map(str, report.problems)) == [
        f"{files[0]} and 2 other files: columns read: title, year",
        f"{other}: columns read: title, year; not read: mine",
    ]
    assert report.found == 2


def test_numbers_of_rows_are_no_ids_and_keys_are(tmp_path):
    numbered = write(tmp_path / "a.csv", "ID,Title,Year\n1,One,2001\n2,Two,2002\n")
    other = write(tmp_path / "b.csv", "ID,Title,Year\n1,Three,2001\nroe2002,Two,2002\n")
    papers, _ = read(numbered, other)
    assert [paper.title for paper in papers.values()] == ["One", "Two", "Three", "Two"]
    assert [paper.id for paper in papers.values() if not paper.id.startswith("table-")] == ["roe2002"]
    assert set(read(numbered)[0]) == set(read(write(tmp_path / "c.csv", "Year;title\n2001;One\n2002;Two\n"))[0])


def test_what_stands_above_the_names_of_columns_may_be_long(tmp_path):
    said = f"Exported from the catalogue of the library, which holds {'more and ' * 10}more, on 1 May 2020"
    papers, _ = read(write(tmp_path / "a.csv", f"{said}\nTitle,Year\nOne,2019\n"))
    assert [(paper.title, paper.year) for paper in papers.values()] == [("One", 2019)]


def test_of_columns_of_one_name_the_first_that_is_filled_counts(tmp_path):
    papers, _ = read(write(tmp_path / "a.csv", "Title,Year,DOI,Year\nOne,2019,10.1000/a,\nTwo,,10.1000/b,2020\n"))
    assert [paper.year for paper in papers.values()] == [2019, 2020]


def test_what_excel_made_of_ids_and_values_is_none(tmp_path):
    text = "id;title;year;pages\n1,23457E+11;One;2019;#NV\n1,23457E+11;Two;2020;3-4\n1E+11;#NAME?;2020;1\n"
    text += "1E+11;Three;2021;5\n"
    papers, report = read(write(tmp_path / "a.csv", text))
    assert [(paper.title, paper.imprint and paper.imprint.page) for paper in papers.values()] == [
        ("One", None),
        ("Two", "3-4"),
        ("Three", "5"),
    ]
    assert all(id_.startswith("table-") for id_ in papers)
    assert report.skipped == 1


def test_papers_of_tables_are_found_by_what_others_say_of_them(tmp_path):
    write(tmp_path / "a.csv", "Title,Authors,Year,Volume,Start page\nOn walks,Jane Doe,1999,12,345\n")
    columns = "Authors,Title,Year,Source title,References,EID\n"
    cited = '"Doe J., On walks, Things, 12, pp. 345-350, (1999)"'
    write(tmp_path / "scopus.csv", f"{columns}Roe R.,Citing,2020,Things,{cited},2-s2.0-2\n")
    papers, _ = read(tmp_path)
    assert [papers[id_].title for id_ in papers["2-s2.0-2"].citations] == ["On walks"]


@pytest.mark.parametrize("title", ["Hauptsachtitel", "Sachtitel"])
@pytest.mark.parametrize("author", ["Verfasser", "Verfasserin", "Verfasser/in", "Verfasser(in)"])
def test_columns_of_german_catalogues_are_read(tmp_path, title, author):
    rows = f"{title};{author};Erscheinungsjahr;Zusammenfassung\nÜber Dinge;Müller, J.;2001;Von Dingen.\n"
    (paper,) = read(write(tmp_path / "list.csv", rows))[0].values()
    assert (paper.title, paper.authors, paper.year) == ("Über Dinge", ("J. Müller",), 2001)
    assert paper.abstract == "Von Dingen."


@pytest.mark.parametrize(
    ("columns", "issue"),
    [
        ("Title,Volume,Issue,Page,Publisher", "22"),  # Paperpile
        ("Title,Volume,Number,Pages,Publisher", "22"),  # Google Scholar
        ("Titel;Band;Heft;Seiten;Verlag", "22"),
        ("Title,Part,Number,Pages,Publisher", ""),
    ],
)
def test_volumes_issues_and_pages_are_read_by_their_names(tmp_path, columns, issue):
    row = "One;141;22;8763-8775;Printer"
    row = row if ";" in columns else row.replace(";", ",")
    (paper,) = read(write(tmp_path / "list.csv", f"{columns}\n{row}\n"))[0].values()
    found = paper.imprint
    assert (found.issue, found.page, found.publisher) == (issue, "8763-8775", "Printer")
    assert found.volume == ("141" if issue else "")


def test_lists_of_programs_for_reviews_are_read(tmp_path):
    row = {"record_id": "7", "Paper_Title": "One", "Published Year": "2001", "journal_title": "Acta", "Ref": "x"}
    (paper,) = read(write(tmp_path / "a.csv", f"{','.join(row)}\n{','.join(row.values())}\n"))[0].values()
    assert (paper.title, paper.year, paper.venue) == ("One", 2001, "Acta")


DATABASES = {
    "IEEE Xplore": {
        "Document Title": "One",
        "Authors": "A. B. Roe; C. Doe",
        "Publication Title": "2019 IEEE Conference on Things (ICT)",
        "Publication Year": "2019",
        "Abstract": "A.",
        "DOI": "10.1000/one",
        "PDF Link": "https://example.org/one",
        "IEEE Terms": "Ice",
    },
    "Publish or Perish": {
        "Cites": "7",
        "Authors": "AB Roe, C Doe…",
        "Title": "One",
        "Year": "2019",
        "Source": "Things",
        "Publisher": "Elsevier",
        "ArticleURL": "https://example.org/one",
        "CitesURL": "https://scholar.google.com/scholar?cites=1",
        "GSRank": "1",
        "Type": "PDF",
        "DOI": "10.1000/one",
        "Abstract": "A.",
    },
    "Google Scholar": {
        "Authors": "Roe, A. B.; Doe, C.; ",
        "Title": "One",
        "Publication": "Things",
        "Year": "2019",
        "Abstract": "A.",
        "DOI": "10.1000/one",
    },
    "EBSCO": {
        "Article Title": "One",
        "Author": "Roe, A. B.; Doe, C.",
        "Journal Title": "Things",
        "Publication Date": "20190401",
        "Accession Number": "2019-12345-001",
        "DOI": "10.1000/one",
        "Abstract": "A.",
        "PLink": "https://example.org/one",
    },
    "Embase": {
        "TITLE": "One",
        "AUTHOR NAMES": "Roe A.B.;Doe C.",
        "SOURCE": "Things (2019) 1:1 (1-2)",
        "SOURCE TITLE": "Things",
        "DATE OF PUBLICATION": "1 Apr 2019",
        "ABSTRACT": "A.",
        "DOI": "10.1000/one",
        "EMBASE ACCESSION ID": "L2001234567",
    },
    "ProQuest": {
        "Title": "One",
        "Abstract": "A.",
        "Authors": "Roe, A. B.; Doe, C.",
        "digitalObjectIdentifier": "10.1000/one",
        "pubdate": "Apr 2019",
        "pubtitle": "Things",
        "DocumentURL": "https://example.org/one",
    },
    "Paperpile": {
        "Item type": "Journal Article",
        "Authors": "Roe AB,Doe C",
        "Title": "One",
        "Full journal": "Things",
        "Publication year": "2019",
        "DOI": "10.1000/one",
        "Abstract": "A.",
        "URLs": "https://example.org/one",
    },
}


@pytest.mark.parametrize("name", DATABASES)
def test_tables_of_databases_are_read(tmp_path, name):
    stream = io.StringIO()
    csv.writer(stream).writerows([DATABASES[name].keys(), DATABASES[name].values()])
    (paper,) = read(write(tmp_path / "a.csv", "\ufeff" + stream.getvalue()))[0].values()
    assert (paper.title, paper.abstract, paper.year, paper.doi) == ("One", "A.", 2019, "10.1000/one")
    assert [name.replace(".", "").replace(" ", "") for name in paper.authors[:2]] == ["ABRoe", "CDoe"]
    assert "Things" in paper.venue
    assert paper.url in ("", "https://example.org/one")


@pytest.mark.parametrize(
    "text",
    [
        "NCT Number,Study Title,Study URL,Study Status,Brief Summary,First Posted\n"
        "NCT01038583,Aspirin in the elderly,https://clinicaltrials.gov/study/NCT01038583,NO,Of trials.,2009-12-24\n",
        "TrialID,Public_title,Scientific_title,Date_registration,web_address\n"
        "NCT01038583,ASPREE,Aspirin in the elderly,24/12/2009,https://clinicaltrials.gov/study/NCT01038583\n",
    ],
)
def test_tables_of_registers_of_trials_are_read(tmp_path, text):
    papers, _ = read(write(tmp_path / "trials.csv", text))
    (paper,) = papers.values()
    assert (paper.id, paper.title, paper.year) == ("NCT01038583", "Aspirin in the elderly", 2009)
    assert (paper.url, paper.abstract) == (
        "https://clinicaltrials.gov/study/NCT01038583",
        "Of trials." if "Summary" in text else "",
    )


def test_a_table_with_a_field_a_row_is_refused_with_what_to_choose(tmp_path):
    path = write(tmp_path / "a.csv", '"TITLE","One"\n"AUTHOR NAMES","Roe A.","Doe B."\n"SOURCE","Things"\n')
    with pytest.raises(SourceError, match="a table of Embase with a field a row; export RIS"):
        list(read_papers([path]))


def test_a_table_without_titles_is_refused_with_what_to_do(tmp_path):
    path = write(tmp_path / "a.csv", "Attention Is All You Need,Vaswani,2017\nBERT,Devlin,2019\n")
    with pytest.raises(SourceError, match=r"without a column for titles \(its columns: attention is all you need, vas"):
        list(read_papers([path]))


@pytest.mark.parametrize("text", ["Title\tOn ranking\nAbstract\tWe rank.\n", "Titles, and more\nProse.\n"])
def test_a_draft_in_lines_with_tabs_or_commas_is_no_table(tmp_path, text):
    with pytest.raises(SourceError, match="in no known format"):
        read(write(tmp_path / "draft.txt", text))


@pytest.mark.parametrize(
    ("cells", "authors"),
    [
        (("Ann Roe, Bo Poe", "Cy Lee, Di Doe, Ed Coe"), ("Ann Roe", "Bo Poe")),
        (("Ann Roe, Bo Poe", "Cy Lee"), ("Ann Roe", "Bo Poe")),
        (("Gil Ríos, Ana María", "Roe, Bo"), ("Gil Ríos, Ana María",)),
        (("van der Berg, Jan Piet", "Cy Lee"), ("Jan Piet van der Berg",)),
        (("Gil Ríos, Ana María", "Roe, Bo; Poe, Cy", "Di Doe"), ("Gil Ríos, Ana María",)),
        (("Gil Ríos, Ana María", "World Health Organization"), ("Gil Ríos, Ana María",)),
    ],
)
def test_one_comma_between_names_is_read_as_in_the_other_rows(tmp_path, cells, authors):
    lines = [f'{number},"{cell}"' for number, cell in enumerate(cells)]
    papers, _ = read(write(tmp_path / "a.csv", "\n".join(["title,authors", *lines]) + "\n"))
    assert next(iter(papers.values())).authors == authors
