"""References that Web of Science and Scopus print as text, and the papers that they name."""

import pytest

from indexer.readers.references import from_scopus, from_web_of_science

from .expected_exports import described
from .helpers import read, write


def test_references_are_found_in_all_files_of_a_folder(tmp_path):
    record = "PT J\nAU Small, H\nTI {}\nPY {}\nVL {}\nBP {}\nUT WOS:{}\n{}ER\n\n"
    head = "FN Clarivate Analytics Web of Science\nVR 1.0\n"
    cited = "CR Small H, 1973, J AM SOC INFORM SCI, V24, P265\n   SMALL H, 1973, J AM SOC INFORM SCI, V24, P999\n"
    write(tmp_path / "savedrecs.txt", head + record.format("Citing", 1980, 31, 1, "A", cited) + "EF\n")
    write(tmp_path / "savedrecs (1).txt", head + record.format("Cited", 1973, 24, "0265", "B", "") + "EF\n")
    papers, report = read(tmp_path)
    unmatched = described(author="SMALL, H", year="1973", volume="24", page="999")
    assert papers["WOS:A"].citations == ("WOS:B", unmatched)
    assert report.references == {"place": 1, "": 1}


def test_two_papers_that_fit_a_reference_are_both_left_out(tmp_path):
    record = "PT J\nAU Small, {}\nTI {}\nPY 1973\nVL 24\nBP 265\nUT WOS:{}\n{}ER\n\n"
    cited = "CR Small H, 1973, J A, V24, P265\n"
    text = record.format("H", "One", "A", "") + record.format("H", "Two", "B", "") + record.format("I", "X", "C", cited)
    papers, _ = read(write(tmp_path / "savedrecs.txt", text))
    assert papers["WOS:C"].citations == ()


def test_records_of_one_paper_from_several_databases_are_one_that_a_reference_names(tmp_path):
    record = "PT J\nAU Small, {}\nTI {}\nPY 1973\nVL 24\nBP 265\n{}UT WOS:{}\n{}ER\n\n"
    cited = "CR Small H, 1973, J A, V24, P265\n"
    citing = record.format("I", "X", "", "C", cited).replace("VL 24", "VL 31")
    text = record.format("H", "One: a study", "DI 10.1000/1\n", "A", "") + citing
    other = "TY  - JOUR\nID  - 7\nAU  - Small, Henry\nTI  - One: A Study.\nPY  - 1973\nVL  - 24\nSP  - 265\nDO  - {}\n"
    same = read(write(tmp_path / "a.txt", text), write(tmp_path / "b.ris", other.format("10.1000/1")))[0]
    assert same["WOS:C"].citations == ("7",)
    different = read(write(tmp_path / "a.txt", text), write(tmp_path / "b.ris", other.format("10.1000/2")))[0]
    assert different["WOS:C"].citations == ()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Smith J, 2001, J CHEM PHYS, V12, P345, DOI 10.1063/1.12345", ("10.1063/1.12345", "2001", "12", "345")),
        ("van der Berg JA, 1999, PLOS ONE, V7, ARTN e123", ("", "1999", "7", "e123")),
        ("*WHO, 2003, REP", ("", "2003", "", "")),
        ("2001, NATURE, V12, P3", ("", "2001", "12", "3")),
        ("[Anonymous], V12", ("", "", "", "")),
        ("", ("", "", "", "")),
    ],
)
def test_lines_of_web_of_science(line, expected):
    found = from_web_of_science(line)
    assert (found.doi, found.year, found.volume, found.page) == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Mayergoyz, I.D., (1986) Phys. Rev. Lett., 56, p. 1518", ("Mayergoyz, I.D.", "1986", "56", "1518")),
        ("Doe, A., Roe, B., Title (2014) Rev. Geophys., 52 (3), pp. 557-602", ("Doe, A.", "2014", "52", "557")),
        ("Smith J.-P., Doe A., Title, Things, 8, 2, pp. 17-29, (2016)", ("Smith, J.-P.", "2016", "8", "17")),
        ("Smith J., Title, Things, 8, pp. 17-29, (2016)", ("Smith, J.", "2016", "8", "17")),
        ("Smith J., Book without pages, (2016)", ("Smith, J.", "2016", "", "")),
        ("(2012) Os Arquivos Audiovisuis em Portugal, , http://x.org", ("", "2012", "", "")),
        ("Smith J., Title of 1999, Things, 8, 2, art. no. 012345, (2016)", ("Smith, J.", "2016", "8", "012345")),
    ],
)
def test_entries_of_scopus(line, expected):
    found = from_scopus(line)
    assert (found.author, found.year, found.volume, found.page) == expected


@pytest.mark.parametrize(
    ("line", "title"),
    [
        (
            "Doe, A., Roe, B., Sets, graphs, and trees (2014) Rev. Geophys., 52 (3), pp. 557-602",
            "Sets, graphs, and trees",
        ),
        ("Doe, A.B., Sets (a survey) (2014) Rev. Geophys., 52", "Sets (a survey)"),
        ("Smith J.-P., Doe A., Cooling in dry cities, Things, 8, 2, pp. 17-29, (2016)", "Cooling in dry cities"),
        ("Smith J., Cooling in dry cities, (2016)", "Cooling in dry cities"),
        ("Smith J., Heat, health, and equity: A study, Urban Clim., 30, (2019)", "Heat, health, and equity: A study"),
        ("Smith J., Thick description, Works: Selected, pp. 3-30, (1973)", "Thick description"),
        ("Smith J., Doe A., Et al., The statement, an update, BMJ, 372, (2021)", "The statement, an update"),
        ("Smith, J., Doe, A., et al., Sets and trees (2014) Rev. Geophys., 52 (3), pp. 557-602", "Sets and trees"),
        (
            "Smith J., Qualitative, Quantitative, and Mixed Cases, (2014)",
            "Qualitative, Quantitative, and Mixed Cases",
        ),
        ("Smith J., Adam, arXiv preprint arXiv:1412.6980, (2014)", "Adam"),
        # Where no name tells where the title begins, none is taken.
        ("Annual report of the agency, (2012)", ""),
        ("Mayergoyz, I.D., (1986) Phys. Rev. Lett., 56, p. 1518", ""),
        ("Smith J., (2016)", ""),
        ("Smith J.", ""),
        ("", ""),
    ],
)
def test_titles_in_entries_of_scopus(line, title):
    assert from_scopus(line).title == title


@pytest.mark.parametrize(
    ("title", "behind"),
    [
        ("Weapons of destruction, How data increase inequality", ""),
        ("On the cities", "Stadt, Raum und Gesellschaft, 3, "),
        ("Pre- and post-war, urban change, and cities", "Cities (London, England), 12, "),
    ],
)
def test_a_title_is_found_where_commas_do_not_tell_it_from_the_source(tmp_path, title, behind):
    columns = "Authors,Author full names,Title,Year,Source title,References,EID\n"
    citing = f'"Roe R.","Roe, Rob (2)","Citing",2020,Things,"Smith J., {title}, {behind}(2014)",2-s2.0-2\n'
    cited = f'"Smith J.","Smith, Jane (1)","{title}",2014,Things,,2-s2.0-1\n'
    papers, report = read(write(tmp_path / "scopus.csv", columns + citing + cited))
    assert papers["2-s2.0-2"].citations == ("2-s2.0-1",)
    assert report.references == {"title": 1}
