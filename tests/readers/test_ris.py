import pytest

from indexer.identity.keys import keys_of

from .helpers import of_format, read, write
from .samples import RIS


def test_fields_are_read(tmp_path):
    papers, report = read(of_format("ris", tmp_path / "refs.ris", RIS))
    paper = papers["10.1000/ris"]
    assert paper.title == "Title over two lines"
    assert paper.abstract == "Abstract with a dash - and a blank line below. More of it."
    assert paper.authors == ("Jörg Müller", "Ann van der Berg Jr.")
    assert (paper.year, paper.venue, paper.url) == (2001, "Acta", "https://example.org/ris")
    assert report.skipped == 0


def test_missing_ends_neither_merge_nor_drop_records(tmp_path):
    papers, _ = read(write(tmp_path / "refs.ris", RIS))
    assert (papers["own-id"].title, papers["own-id"].authors) == ("No end mark", ("Plato",))
    assert [p.title for p in papers.values()][-1] == "Last, without an end"


def test_record_without_any_identifier_keeps_the_same_digest(tmp_path):
    text = "TY  - JOUR\nTI  - Nameless\nPY  - 2000\nER  -\n"
    ids = [list(read(write(tmp_path / name, text))[0]) for name in ("a.ris", "b.ris")]
    assert ids[0] == ids[1]
    assert ids[0][0].startswith("ris-")


def test_single_spaces_and_leading_remarks(tmp_path):
    text = "Exported by X\n\nTY - JOUR\nTI - Narrow\nER -\n"
    assert [p.title for p in read(write(tmp_path / "refs.ris", text))[0].values()] == ["Narrow"]


def test_record_without_title_is_reported_with_its_line(tmp_path):
    text = "TY  - JOUR\nTI  - A\nER  - \n\nTY  - JOUR\nAU  - B\nER  - \n"
    _, report = read(write(tmp_path / "refs.ris", text))
    assert [(p.where, p.reason) for p in report.problems] == [("line 5", "neither title nor abstract")]


def test_people_in_one_field_are_told_apart_and_the_full_name_of_a_journal_counts(tmp_path):
    record = "TY  - JOUR\nAU  - {}\nTI  - On things\nJO  - J. Th.\nJF  - Journal of Things\nER  - \n"
    for field, authors in (
        ("Smith, J., & Doe, A.", ("J. Smith", "A. Doe")),
        ("Smith, John; Doe, Ann", ("John Smith", "Ann Doe")),
        ("Smith, John, Jane Doe & Bo Li, Jr.", ("John Smith", "Jane Doe", "Bo Li Jr.")),
        ("Smith, J., ... & Doe, A., et al.", ("J. Smith", "A. Doe", "others")),
        ("Ernst & Young, LLP", ("LLP Ernst & Young",)),
        ("Smith, John, Jr.", ("John Smith Jr.",)),
    ):
        (paper,) = read(write(tmp_path / "a.ris", record.format(field)))[0].values()
        assert (paper.authors, paper.venue) == (authors, "Journal of Things")


@pytest.mark.parametrize(
    ("lines", "pmid"),
    [
        (
            "DB  - Embase\nDB  - Medline\nAN  - L624339157\nC5  - 30221595\nUR  - https://www.embase.com/records?id=L6",
            "30221595",
        ),
        ("DB  - Embase\nAN  - L624339157\nUR  - https://www.embase.com/records?id=L6", ""),
        ("DB  - Ovid MEDLINE(R) ALL <1946 to March 01, 2024>\nAN  - 30221595", "30221595"),
        ("DB  - APA PsycInfo\nAN  - 30221595", ""),
        ("N1  - Accession Number: 132393039. Language: English. PMID: NLM30221595.\nDB  - rzh", "30221595"),
        ("N1  - Comment on: Lancet 2018. PMID: 30221595", ""),
    ],
)
def test_pmids_of_medical_databases_are_read(tmp_path, lines, pmid):
    (paper,) = read(write(tmp_path / "refs.ris", f"TY  - JOUR\nTI  - Aspirin\n{lines}\nER  - \n"))[0].values()
    assert [key.value for key in keys_of(paper) if key.kind == "pmid"] == ([pmid] if pmid else [])
