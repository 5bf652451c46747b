"""Lists of people in BibTeX, with the parts of names that people write; for other separators see test_name_lists."""

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
        ("García López, María José and Richard Roe", ("García López, María José", "Richard Roe")),
        ("{Robitaille}, Thomas P. and {Bray}, E. and {Astropy}", ("Thomas P. Robitaille", "E. Bray", "Astropy")),
        ("Smith, Doe and Roe", ("Doe Smith", "Roe")),
        ("Ministry of Education, Government of India", ("Ministry of Education, Government of India",)),
        ("Research and Development Group", ("Research", "Development Group")),
    ],
)
def test_what_bibtex_understands_stays_as_it_is(tmp_path, written, meant):
    text = f"@misc{{k, title={{A}}, author={{{written}}}}}"
    assert read(write(tmp_path / "refs.bib", text))[0]["k"].authors == meant


@pytest.mark.parametrize("end", ["and ...", "and …", ", …", "…"])
def test_a_list_that_breaks_off_goes_on(tmp_path, end):
    text = f"@misc{{a, title = {{One}}, author = {{K Lee and JB Park {end}}}}}"
    assert read(write(tmp_path / "a.bib", text))[0]["a"].authors == ("K Lee", "JB Park", "others")
