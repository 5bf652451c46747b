"""DOIs and files of DOIs as people write them."""

import pytest

from common.errors import FetchError, SourceError
from fetch.openalex import MAX_VALUES, batches
from fetch.selection import Selection, checked_dois, read_dois
from indexer.identity.identifiers import lone_doi


@pytest.mark.parametrize(
    ("text", "doi"),
    [
        ("10.1561/1500000019", "10.1561/1500000019"),
        (" https://doi.org/10.1145/ABC.1 ", "10.1145/abc.1"),
        ("http://dx.doi.org/10.1000%2Fx", "10.1000/x"),
        ("DOI: 10.1000/x", "10.1000/x"),
        (
            "10.1002/(SICI)1097-4571(199009)41:6<391::AID-ASI1>3.0.CO;2-9",
            "10.1002/(sici)1097-4571(199009)41:6<391::aid-asi1>3.0.co;2-9",
        ),
        ("W12", ""),
        ("10.1000/two words", ""),
        ("", ""),
    ],
)
def test_a_doi_is_bare_and_lower_case(text, doi):
    assert lone_doi(text) == doi


def test_a_wrong_doi_is_quoted():
    with pytest.raises(FetchError, match="'W12' is not a DOI"):
        checked_dois(["10.1000/x", "W12"])


def test_a_list_of_dois_may_have_comments_and_repeats(tmp_path):
    path = tmp_path / "dois.txt"
    path.write_text("\ufeff# mine\n10.1000/a\n\nhttps://doi.org/10.1000/B\n10.1000/A\n", "utf-8")
    assert read_dois(path) == ("10.1000/a", "10.1000/b")


@pytest.mark.parametrize("encoding", ["utf-16", "cp1252"])
def test_a_list_of_dois_is_read_in_the_encodings_of_windows(tmp_path, encoding):
    path = tmp_path / "dois.txt"
    path.write_bytes("# für die Einleitung\r\n10.1000/a\r\n10.1000/b\r\n".encode(encoding))
    assert read_dois(path) == ("10.1000/a", "10.1000/b")


def test_comments_stand_behind_white_space_as_a_doi_may_hold_their_mark(tmp_path):
    path = tmp_path / "dois.txt"
    path.write_text("  # mine\n10.1000/a # the first\n10.1000/b\t#\n10.1002/x#y\n")
    assert read_dois(path) == ("10.1000/a", "10.1000/b", "10.1002/x#y")


def test_a_bibliography_gives_its_dois(tmp_path):
    path = tmp_path / "mine.bib"
    path.write_text("@article{a, title={One}, doi={10.1000/A}}\n@article{b, title={Two}}\n@misc{c, doi={10.1000/c}}\n")
    assert read_dois(path) == ("10.1000/a", "10.1000/c")


def test_works_without_a_doi_are_named(tmp_path, caplog):
    path = tmp_path / "mine.bib"
    entries = "".join(f"@article{{k{number}, title={{Work {number}}}}}\n" for number in range(5))
    path.write_text("@article{a, title={One}, doi={10.1000/a}}\n" + entries)
    assert read_dois(path) == ("10.1000/a",)
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}: 5 of 6 works have no DOI and are left out: Work 0; Work 1; Work 2; …"
    ]


def test_files_without_dois_are_refused_with_their_place(tmp_path):
    path = tmp_path / "dois.txt"
    path.write_text("10.1000/a\nno doi\n")
    with pytest.raises(FetchError, match=r"dois\.txt, line 2: 'no doi'"):
        read_dois(path)
    path.write_text("# nothing\n")
    with pytest.raises(FetchError, match="no DOI in it"):
        read_dois(path)
    (tmp_path / "refs.bib").write_text("@book{a, title={One}}\n")
    with pytest.raises(FetchError, match="no DOI in it; `citescout corpus build --from`"):
        read_dois(tmp_path / "refs.bib")
    with pytest.raises(SourceError, match="cannot read"):
        read_dois(tmp_path / "nowhere.txt")


def test_a_selection_of_everything_and_years_in_the_wrong_order_are_refused():
    with pytest.raises(FetchError, match="nothing is selected"):
        Selection(search=" ", from_year=2000).check()
    with pytest.raises(FetchError, match="2001 is after"):
        Selection("x", from_year=2001, to_year=2000).check()


def test_batches_lose_nothing_and_fit_one_filter():
    values = [f"10.1000/{'x' * (number % 90)}-{number}" for number in range(500)]
    made = list(batches(values))
    assert [value for batch in made for value in batch] == values
    assert all(len(batch) <= MAX_VALUES and len("|".join(batch)) < 3000 for batch in made)
    assert list(batches([])) == []
    assert [len(batch) for batch in batches(f"W{number}" for number in range(250))] == [100, 100, 50]
