"""Lists of people in BibTeX, with the separators and the parts of names that people write."""

import pytest

from .helpers import read, write


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        (r"Pe\~na, Ana", "Ana Peña"),
        (r"Ana Mu\~{n}oz~y~Pe{\~n}a", "Ana Muñoz y Peña"),
        (r"\~Nu\~nez, J.~B.", "J. B. Ñuñez"),
        (r"Nguy\~{\^e}n, Lan", "Lan Nguyễn"),
        (r"van~der~Berg, P.", "P. van der Berg"),
        (r"\~{}Berg, P.", "P. Berg"),
        (r"{\'A}lvarez Roca, Jos{\'e}", "Álvarez Roca, José"),
        (r"{\'E}. Andr{\'e}", "É. André"),
        (r"Hans {\L}ukasz Meier", "Hans Łukasz Meier"),
        (r"{{\'A}lvarez and Sons}", "Álvarez and Sons"),
    ],
)
def test_a_tilde_is_an_accent_behind_a_backslash_and_a_space_elsewhere(tmp_path, written, read_as):
    text = f"@misc{{k, title={{A}}, author={{{written} and Bo Li}}}}"
    assert read(write(tmp_path / "refs.bib", text))[0]["k"].authors == (read_as, "Bo Li")


@pytest.mark.parametrize(
    ("written", "read_as"),
    [
        ("family=Vaart, given=Aad W., prefix=van der, useprefix=true", "Aad W. van der Vaart"),
        ("given=Hans, given-i=H, family=Harman, suffix=Jr.", "Hans Harman Jr."),
        (r"family=M{\"{u}}ller, given={J{\'e}r{\^o}me}", "Jérôme Müller"),
        ('"family={Robert and Sons, Inc.}"', "Robert and Sons, Inc."),
    ],
)
def test_parts_of_a_name_may_be_named(tmp_path, written, read_as):
    text = f"@misc{{k, title={{A}}, author={{Bo Li and {written}}}}}"
    assert read(write(tmp_path / "refs.bib", text))[0]["k"].authors == ("Bo Li", read_as)


def test_a_name_behind_another_may_begin_with_an_accent(tmp_path):
    authors = r"Li, Bo and \'Alvarez, Jos\'e and \v{C}apek, K.; \~Nu\~nez, J. AND  \AA{}s, A. and \O{}stby, B."
    papers, _ = read(write(tmp_path / "refs.bib", f"@misc{{k, title={{A}}, author={{{authors}}}}}"))
    assert papers["k"].authors == ("Bo Li", "José Álvarez", "K. Čapek", "J. Ñuñez", "A. Ås", "B. Østby")


@pytest.mark.parametrize("end", [" and others", " et al.", " and et al", ", et al.", " AND OTHERS"])
def test_that_a_list_goes_on_is_kept(tmp_path, end):
    text = f"@misc{{k, title={{A}}, author={{Roe, R. and Brothers, B.{end}}}}}"
    assert read(write(tmp_path / "refs.bib", text))[0]["k"].authors == ("R. Roe", "B. Brothers", "others")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Smith, J., Doe, A., Roe, B.-C.", ("J. Smith", "A. Doe", "B.-C. Roe")),
        ("Smith, J., Doe, A. and Roe, B.", ("J. Smith", "A. Doe", "B. Roe")),
        ("J. Smith, A. Doe and B. Roe", ("J. Smith", "A. Doe", "B. Roe")),
        ("John Smith, Anna Doe, Bill van Roe", ("John Smith", "Anna Doe", "Bill van Roe")),
        ("Smith, John; Doe, Anna", ("John Smith", "Anna Doe")),
        ("Smith, John &amp; M&#252;ller, Anna", ("John Smith", "Anna Müller")),
        (r"Smith, John \& Doe, Anna", ("John Smith", "Anna Doe")),
        (r"Smith, J. \\& Doe, A.", ("J. Smith", "A. Doe")),
        ("{World Bank}, ", ("{World Bank}",)),
        ("John Smith, Jane Doe, and Richard Roe", ("John Smith", "Jane Doe", "Richard Roe")),
        ("Smith, John, and Doe, Jane", ("John Smith", "Jane Doe")),
        (r"John Smith \& Jane Doe", ("John Smith", "Jane Doe")),
        ("Li X., Wang Y.", ("X. Li", "Y. Wang")),
        ("van der Aalst W, García J", ("W van der Aalst", "J García")),
        (
            "Smith J, Doe J, Roe R, World Health Organization",
            ("J Smith", "J Doe", "R Roe", "World Health Organization"),
        ),
        ("Smith, J., World Bank, Doe, A.", ("J. Smith", "World Bank", "A. Doe")),
        ("Li X, Wang Y and World Health Organization", ("X Li", "Y Wang", "World Health Organization")),
        ("Robert W. Hill, Jr. and Roe, Jane", ("Robert W. Hill Jr.", "Jane Roe")),
        ("Smith J.; Doe J.; et al.", ("J. Smith", "J. Doe", "others")),
        ("Smith, J; Doe, J; and Roe, R", ("J Smith", "J Doe", "R Roe")),
        # What BibTeX understands stays as it is.
        ("García M., José A. and Pérez, Luis", ("García M., José A.", "Luis Pérez")),
        ("García López, María José and Richard Roe", ("García López, María José", "Richard Roe")),
        ("von Neumann, John Louis and Roe, Jane", ("John Louis von Neumann", "Jane Roe")),
        ("{Robitaille}, Thomas P. and {Bray}, E. and {Astropy}", ("Thomas P. Robitaille", "E. Bray", "Astropy")),
        ("King, Jr., Martin Luther and Roe, III, B.", ("Martin Luther King Jr.", "B. Roe III")),
        ("Doe, Esq., John and John Doe Esq.", ("John Doe Esq.", "John Doe Esq.")),
        ("Martin Luther King Jr and John Doe 3rd", ("Martin Luther King Jr", "John Doe 3rd")),
        ("Smith, Jr., J. and {Smith, Doe; Partners & Co}", ("J. Smith Jr.", "Smith, Doe; Partners & Co")),
        ('{M{\\"u}ller}, J. and Johnson \\& Johnson', ("J. Müller", "Johnson & Johnson")),
    ],
)
def test_lists_of_people_with_other_separators_than_and(tmp_path, written, meant):
    text = f"@misc{{k, title={{A}}, author={{{written}}}}}"
    assert read(write(tmp_path / "refs.bib", text))[0]["k"].authors == meant


@pytest.mark.parametrize("end", ["and ...", "and …", ", …", "…"])
def test_a_list_that_breaks_off_goes_on(tmp_path, end):
    text = f"@misc{{a, title = {{One}}, author = {{K Lee and JB Park {end}}}}}"
    assert read(write(tmp_path / "a.bib", text))[0]["a"].authors == ("K Lee", "JB Park", "others")
